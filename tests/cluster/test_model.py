"""Slurm's nodes as clients of the scale model: `snakemake --profile slurm` on a real parallel file system."""

import json
import shutil

import pytest
import yaml

from coldcache.measure.model.counters import read_model_counters

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

MIB = 1 << 20

#: Four processes on four nodes: fio's servers, ranks of IOR and of mdtest. No package of Debian has the last two.
STUDY = {
    "study": "parallel", "title": "Four nodes on a parallel file system", "question": "Do all nodes reach it?",
    "repetitions": 1, "notebooks": [],
    "sweeps": {
        "servers": {
            "title": "fio's servers", "tools": ["fio"], "operations": ["write"], "seconds": "30 s",
            "factors": {"nodes": [4], "threads": [4], "transfer_size": ["1 MiB"], "file_size": ["8 MiB"]},
        },
        "ranks": {
            "title": "Ranks of IOR", "tools": ["ior"], "operations": ["write"],
            "factors": {"nodes": [4], "threads": [4], "transfer_size": ["1 MiB"], "file_size": ["8 MiB"]},
        },
        "names": {
            "title": "Ranks of mdtest", "tools": ["mdtest"], "operations": ["file-create"],
            "factors": {"nodes": [4], "threads": [4], "files": [50]},
        },
    },
}  # fmt: skip


def test_slurm_measures_a_parallel_file_system_that_each_node_reaches_over_its_own_link(on_model, place):
    here = {name: sweep for name, sweep in STUDY["sweeps"].items() if shutil.which(sweep["tools"][0])}
    (on_model.clone / "config/studies/parallel.yaml").write_text(yaml.safe_dump({**STUDY, "sweeps": here}))
    before = read_model_counters(place)
    on_model.run(*on_model.snakemake("parallel", "parallel", "measure_all"))
    after = read_model_counters(place)
    found = {case.split()[0]: verdict for case, verdict in on_model.verdicts("parallel").items()}
    reasons = (on_model.clone / "results/parallel/reasons.csv").read_text()
    assert found == dict.fromkeys(here, ("valid", "")), reasons

    outcomes = on_model.outcomes("parallel")
    for outcome in outcomes.values():
        assert {host: node["processes"] for host, node in outcome["launch"]["nodes"].items()} == dict.fromkeys(
            ("n1", "n2", "n3", "n4"), 1
        )
    writing = [folder for folder in outcomes if not folder.startswith("parallel/names")]
    # Each node sent its 8 MiB over the link of its own client, and all targets together stored them.
    for client in ("c1", "c2", "c3", "c4"):
        assert after.sent[client] - before.sent[client] >= len(writing) * 8 * MIB
    stored = [after.targets[one].written_bytes - before.targets[one].written_bytes for one in (1, 2, 3, 4)]
    assert min(stored) > 0
    assert sum(stored) >= len(writing) * 32 * MIB
    # The four targets of 10 MB/s are the limit, not the machine.
    trial = on_model.clone / "raw/parallel/parallel/servers/only/r0"
    told = (trial / "stdout.txt").read_text()
    (job,) = [job for job in json.loads(told[told.index("{") :])["client_stats"] if job["jobname"] == "All clients"]
    assert 10e6 < job["write"]["bw_bytes"] < 43e6
