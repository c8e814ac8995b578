"""On a real GlusterFS volume write-behind is switched for each trial, seen by its client, and as before afterwards."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SITE = Path("config/sites/here.yaml")
STUDY = Path("config/studies/tiny.yaml")
LAB = Path(__file__).with_name("gluster.sh")

#: Prints the option's value, and how often it is among those that somebody has set.
GET = (
    "gluster volume get fast performance.write-behind | awk 'END {print $2}'; "
    "gluster volume info fast | grep -c '^performance.write-behind' || true"
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(os.geteuid()) or not shutil.which("glusterd") or not shutil.which("ip"),
        reason="a volume of GlusterFS needs root and bash envs/setup.sh settings",
    ),
]

#: Tells what the client's graph has while fio runs, then becomes fio.
WITNESS = """\
#!/bin/sh
case "$*" in *--output-format*) grep -c performance/write-behind {graph} >>{seen} ;; esac
exec {fio} "$@"
"""


@pytest.fixture
def gluster(project):
    """Run a shell script beside a mounted volume, and return what it prints."""

    def run(script, seconds=90):
        done = subprocess.run(
            [LAB, project / "lab", "sh", "-c", script], capture_output=True, text=True, check=False, timeout=seconds
        )
        if "mount" in done.stderr and "fuse" in done.stderr.lower() and done.returncode:
            pytest.skip(f"no file system of FUSE can be mounted here: {done.stderr.strip().splitlines()[-1]}")
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def take_write_behind():
    head, _, cache = STUDY.read_text().partition("  cache:\n")
    cache = cache.replace("write_cache: qemu-nbd", "write_behind: site").replace("random-write", "write")
    cache = cache.replace("      queue_depth: [4]\n", "").replace(
        "write_cache: [writeback, unsafe]", "write_behind: [on, off]"
    )
    STUDY.write_text(f"{head}  cache:\n{cache}")
    with SITE.open("a") as file:
        file.write("settings:\n  write_behind: {kind: gluster, volume: fast, option: performance.write-behind}\n")


def test_write_behind_is_in_force_in_the_client_for_its_trials_and_as_before_afterwards(
    project, gluster, measure_arguments
):
    take_write_behind()
    graph, seen = project / "lab/mounted/.meta/graphs/active/volfile", project / "seen"
    (project / "bin").mkdir()
    (project / "bin/fio").write_text(WITNESS.format(graph=graph, seen=seen, fio=shutil.which("fio")))
    (project / "bin/fio").chmod(0o755)
    measure = " ".join(measure_arguments("tiny.cache", "tiny", f"--target={project}/lab/mounted"))
    run = f"PATH={project}/bin:$PATH {sys.executable} -m coldcache {measure}"
    said = gluster(f"{GET}; {run}; {GET}; ls {project}/lab/mounted")
    assert said.splitlines() == ["on", "0", "on", "0", "coldcache"]
    outcomes = [json.loads(path.read_text()) for path in Path("raw/tiny").rglob("trial.json")]
    outcomes.sort(key=lambda outcome: outcome["start"])
    assert len(outcomes) == 4
    for outcome, count in zip(outcomes, seen.read_text().split(), strict=True):
        level, read = outcome["factors"]["write_behind"], outcome["settings"]["write_behind"]
        assert (read["asked"], read["read"], read["read_after"]) == (level, level, level)
        assert read["where"] == "performance.write-behind of the volume fast"
        # What the client had while the tool ran, as somebody else saw it.
        assert count == ("1" if level == "on" else "0")
        assert (outcome["failure"], outcome["exit_status"]) == (None, 0)
        assert outcome["target"]["filesystem"] == "fuse.glusterfs"


def test_a_runner_that_is_killed_leaves_write_behind_for_the_next_start_to_reset(project, gluster, measure_arguments):
    take_write_behind()
    STUDY.write_text(STUDY.read_text().replace("seconds: 0.2 s", "seconds: 5 s").replace("[on, off]", "[off]"))
    measure = " ".join(measure_arguments("tiny.cache", "tiny", f"--target={project}/lab/mounted"))
    again = " ".join(measure_arguments("tiny.files", "tiny", f"--target={project}/lab/mounted"))
    said = gluster(f"""
        {sys.executable} -m coldcache {measure} & runner=$!
        until gluster volume info fast | grep -q '^performance.write-behind: off'; do sleep 0.1; done
        kill -9 $runner
        {GET}
        {sys.executable} -m coldcache {again}
        {GET}
    """)
    assert said.splitlines() == ["off", "1", "on", "0"]


def test_an_option_or_a_volume_that_is_none_is_told_before_anything_runs(project, gluster, measure_arguments):
    take_write_behind()
    SITE.write_text(SITE.read_text().replace("volume: fast", "volume: slow"))
    measure = " ".join(measure_arguments("tiny.cache", "tiny", f"--target={project}/lab/mounted"))
    said = gluster(f"{sys.executable} -m coldcache {measure} 2>&1")
    assert said.startswith("tiny.cache is not run: write_behind cannot be put in force: gluster ")
    assert "Volume slow does not exist" in said
    assert not list(Path("raw/tiny").rglob("trial.json"))
