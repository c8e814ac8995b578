"""What a killed runner has changed is known to the next one, on the host that changed it."""

import json

import pytest

from coldcache.core.errors import SettingError
from coldcache.measure.settings import journal
from coldcache.measure.settings.journal import (
    JOURNAL,
    SHARED,
    SettingChange,
    is_left,
    of_node,
    read_journal,
    write_journal,
)

KERNEL = SettingChange("sysctl", {"module": "kernel-value", "outlives_restart": False}, "10")
VOLUME = SettingChange("write_behind", {"module": "gluster-option", "outlives_restart": True}, "on")


def test_changes_are_read_in_their_order_until_they_are_undone(tmp_path):
    assert read_journal(tmp_path) == []
    write_journal(tmp_path, [KERNEL, VOLUME])
    assert read_journal(tmp_path) == [KERNEL, VOLUME]
    assert is_left(tmp_path)
    write_journal(tmp_path, [])
    assert (read_journal(tmp_path), is_left(tmp_path), list(tmp_path.iterdir())) == ([], False, [])


def test_a_reboot_undoes_what_does_not_outlive_it(tmp_path, monkeypatch):
    write_journal(tmp_path, [KERNEL, VOLUME])
    monkeypatch.setattr(journal, "_boot", lambda: "another boot")
    assert read_journal(tmp_path) == [VOLUME]


def test_another_host_must_undo_its_own_changes_but_may_undo_those_of_all(tmp_path):
    for name in (JOURNAL, SHARED):
        write_journal(tmp_path, [VOLUME], name)
        stated = json.loads((tmp_path / name).read_text())
        (tmp_path / name).write_text(json.dumps({**stated, "host": "node7"}))
    with pytest.raises(SettingError, match="node7 left settings changed; start there, or undo them by hand"):
        read_journal(tmp_path)
    assert read_journal(tmp_path, SHARED) == [VOLUME]


@pytest.mark.parametrize("text", ["", "{", '{"changes": [{"factor": "x"}]}', '{"changes": []}'])
def test_what_is_no_journal_is_refused_with_the_remedy(tmp_path, text):
    (tmp_path / JOURNAL).write_text(text)
    with pytest.raises(SettingError, match=r"not a journal of settings .*; undo them by hand, then remove it"):
        read_journal(tmp_path)


def test_nothing_may_be_changed_where_the_journal_cannot_be_written(tmp_path):
    with pytest.raises(
        SettingError, match=r"cannot be written \(No such file or directory\), so nothing may be changed"
    ):
        write_journal(tmp_path / "lost", [KERNEL])


def test_each_node_has_a_journal_of_its_own(tmp_path):
    write_journal(tmp_path, [KERNEL], of_node("node1"))
    assert (tmp_path / ".settings-on-node1.json").is_file()
    assert is_left(tmp_path)
    assert read_journal(tmp_path) == []
