"""On a real Slurm every trial of `snakemake --profile slurm` ends valid, or void or missing with its reason."""

import json
import os
import re

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]


def partials(lab, campaign):
    """Return the folders of trials that are running."""
    return list((lab.clone / "raw" / campaign).glob("*/*/*/.r*.partial/servers.txt"))


def explain(lab, campaign, found):
    """Return the reasons for verdicts, with the logs of the trials that are not valid."""
    doubted = [key.split(" ") for key, (verdict, _) in found.items() if verdict != "valid"]
    logs = [lab.clone / "raw" / campaign / "spread" / "/".join(parts) / "stdout.txt" for parts in doubted]
    kept = (lab.clone / "results" / campaign / "reasons.csv").read_text()
    return "\n".join([kept, *(f"{log}:\n{log.read_text()}" for log in logs if log.is_file())])


def test_a_study_runs_on_one_two_and_four_nodes_to_its_report_although_a_node_is_lost(lab):
    head = lab.start(*lab.snakemake("first", "spread", "all"))
    # The job of four nodes is lost with its node; no part of its trial is taken for a whole.
    lab.wait(lambda: any("nodes=4" in str(path) for path in partials(lab, "first")))
    lab.lose(3)
    lab.restore(3)
    said, _ = head.communicate(timeout=300)
    assert head.returncode == 0, f"{said[-6000:]}\n{lab.logs()}"
    assert (lab.clone / "results/first/report/summary.html").is_file()
    assert len(list(lab.clone.glob("logs/slurm/rule_measure_block/first_round-1.n4/*.log"))) == 2
    found = lab.verdicts("first")
    assert found == dict.fromkeys(found, ("valid", "")), explain(lab, "first", found)
    assert len(found) == 8

    # The job of four nodes told each of them, wherever the runner was.
    hosts = json.loads((lab.clone / "raw/first/hosts.json").read_text())
    assert set(hosts) == {"n1", "n2", "n3", "n4"}
    assert hosts["n2"] == hosts["n4"]
    assert hosts["n4"]["cores"] == os.cpu_count()

    outcomes = lab.outcomes("first")
    ran = {key: {host: node["processes"] for host, node in outcome["launch"]["nodes"].items()}
           for key, outcome in outcomes.items() if "launch" in outcome}  # fmt: skip
    # fio has a server on each node, IOzone's threads are dealt out in turn; on one node neither needs a launch.
    assert ran == {
        "spread/servers/operation=write,nodes=2/r0": {"n1": 1, "n2": 1},
        "spread/servers/operation=read,nodes=2/r0": {"n1": 1, "n2": 1},
        "spread/servers/operation=write,nodes=4/r0": {"n1": 1, "n2": 1, "n3": 1, "n4": 1},
        "spread/servers/operation=read,nodes=4/r0": {"n1": 1, "n2": 1, "n3": 1, "n4": 1},
        "spread/clients/threads=6/r0": {"n1": 2, "n2": 2, "n3": 1, "n4": 1},
    }
    trial = lab.clone / "raw/first/spread/servers/operation=read,nodes=2/r0"
    shares = [re.search(r"numjobs=(\d+)", (trial / f"{host}.fio").read_text())[1] for host in ("n1", "n2")]
    assert shares == ["3", "2"]
    # No server found another file than the one that was laid out for it.
    assert "Laying out" not in (trial / "stdout.txt").read_text()
    assert outcomes["spread/servers/operation=read,nodes=2/r0"]["cold"]["nodes"].keys() == {"n1", "n2"}
