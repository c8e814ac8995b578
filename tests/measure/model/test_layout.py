"""Places of striped files are given up only once no object of a removed file is left."""

import stat
from pathlib import Path

import pytest

from coldcache.measure.model import layout

#: What Ceph 16.2.15's metadata server tells of the folders of removed entries, and of one that was pinned before it
#: was removed, which was still there after ten minutes. Only what is read here.
STRAYS = [{"ino": 1536 + number, "mode": 0o40500, "nlink": 1, "stray_prior_path": ""} for number in range(10)]
FOLDER = {
    "ino": 1099511629474, "mode": 0o40755, "nlink": 0,
    "stray_prior_path": "/pfs/data/coldcache/model/metadata-servers/mdt0-c1",
}  # fmt: skip
FILE = {**FOLDER, "mode": stat.S_IFREG | 0o644}


@pytest.mark.parametrize(
    ("queued", "left", "keeps"),
    [(0, [], False), (0, [FOLDER], False), (0, [FILE], True), (0, [FOLDER, FILE], True), (1, [], True)],
)
def test_a_removed_folder_has_no_object_to_wait_for(monkeypatch, queued, left, keeps):
    def answer(path, prefix, **arguments):
        assert path == Path("mds.m1")
        if prefix == "dump tree":
            assert arguments == {"root": "~mds1", "depth": 2}
        return {
            "perf dump": {"purge_queue": {"pq_item_in_journal": queued}, "mds_cache": {"num_strays": len(left)}},
            "status": {"whoami": 1},
            "dump tree": [*STRAYS, *left],
        }[prefix]

    monkeypatch.setattr(layout, "ask_server", answer)
    assert layout._keeps_removed_files(Path("mds.m1")) is keeps
