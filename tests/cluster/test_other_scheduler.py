"""Without Slurm the same campaign runs: nodes are named in a file, and reached by ssh."""

import re
import shutil

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


def test_a_study_runs_on_four_nodes_by_the_profile_of_the_page(lab, root):
    page = (root / "docs/run-on-another-scheduler.md").read_text()
    (lab.clone / "pbs").mkdir()
    profile = re.search(r"```yaml\n# pbs/profile.yaml\n(.*?)```", page, re.DOTALL)[1]
    (lab.clone / "pbs/profile.yaml").write_text(profile)
    (lab.clone / "bin").mkdir()
    shutil.copy(root / "tests/cluster/qsub", lab.clone / "bin")
    words = ["--config", "campaign=other", "studies=both", "site=lab-ssh", "--", "measure_all"]
    lab.run("env", f"PATH={lab.clone / 'bin'}:{lab.environment['PATH']}", "snakemake", "--profile", "pbs", *words)
    found = lab.verdicts("other")
    assert found == dict.fromkeys(found, ("valid", ""))
    assert len(found) == 3
    launched = {key: outcome["launch"] for key, outcome in lab.outcomes("other").items() if "launch" in outcome}
    assert {launch["starter"] for launch in launched.values()} == {"ssh"}
    ran = {key: {host: node["processes"] for host, node in launch["nodes"].items()} for key, launch in launched.items()}
    assert ran["both/servers/operation=read/r0"] == {"n1": 1, "n2": 1, "n3": 1, "n4": 1}
    assert ran["both/clients/only/r0"] == {"n1": 2, "n2": 2, "n3": 1, "n4": 1}
