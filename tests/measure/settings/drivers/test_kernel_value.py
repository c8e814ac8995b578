"""A kernel parameter is set for each trial, read back and undone: in a network of its own, where it touches nobody."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NAME = "net.ipv4.tcp_slow_start_after_idle"


@pytest.mark.skipif(bool(os.geteuid()) or not shutil.which("unshare"), reason="a network of its own needs root")
def test_a_parameter_of_sysctl_is_in_force_for_its_trials_and_as_before_afterwards(project, measure_arguments):
    with Path("config/sites/here.yaml").open("a") as file:
        file.write(f"settings:\n  sysctl: {{kind: sysctl, name: {NAME}, values: {{idle: 1, busy: 0}}}}\n")
    study = Path("config/studies/tiny.yaml")
    head, _, cache = study.read_text().partition("  cache:\n")
    cache = cache.replace("write_cache: qemu-nbd", "sysctl: site").replace("      queue_depth: [4]\n", "")
    study.write_text(f"{head}  cache:\n{cache.replace('write_cache: [writeback, unsafe]', 'sysctl: [idle, busy]')}")
    command = " ".join(measure_arguments("tiny.cache"))
    tell = f"sysctl -n {NAME}; {sys.executable} -m coldcache {command}; sysctl -n {NAME}"
    found = subprocess.run(
        ["unshare", "--net", "sh", "-c", tell], capture_output=True, text=True, check=False, timeout=120
    )
    assert found.stdout.split() == ["1", "1"], found.stderr
    outcomes = [json.loads(path.read_text()) for path in Path("raw/tiny").rglob("trial.json")]
    read = {(outcome["factors"]["sysctl"], outcome["settings"]["sysctl"]["read"]) for outcome in outcomes}
    assert (len(outcomes), read) == (4, {("idle", "1"), ("busy", "0")})
    assert all(outcome["settings"]["sysctl"]["where"] == NAME for outcome in outcomes)
