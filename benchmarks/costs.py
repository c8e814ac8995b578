"""Measure the cost of commands, in temporary projects."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

ROOT = Path(__file__).resolve().parents[1]

#: The files of this project that Snakemake needs.
_PARTS = ("Snakefile", "config", "docs", "environment.yml", "notebooks", "workflow")

_SITE = """\
site: bench
title: A folder
targets: {scratch: {path: scratch, make: true}}
# They take two seconds of a campaign, however many trials it has.
measures_ceilings: false
"""

#: A workflow that does nothing: what remains is Snakemake's own start.
EMPTY_WORKFLOW = "rule all:\n    input:\n        [],\n"

#: A folder in memory, so that a tree of millions of files does not load the disk.
_MEMORY = Path("/dev/shm")

PYTHON = sys.executable
COLDCACHE = (PYTHON, "-m", "coldcache")
DESIGN = ("--campaign=bench", "--studies=bench", "--site=bench")
CONFIG = ("--config", "campaign=bench", "studies=bench", "site=bench")
SNAKEMAKE = ("snakemake", "--quiet", "rules", "progress", "host", "--cores", "2", "--nolock")


class Cost(NamedTuple):
    """The cost of a command and of all the processes that were waited for.

    Attributes
    ----------
    seconds, processor : float
        Wall time and processor time, in s.
    memory : float
        Peak memory of the largest of them, in MB.
    """

    seconds: float
    processor: float
    memory: float


def cost_of(
    words: Sequence[str | Path], folder: Path = ROOT, programs: Path | None = None, output: IO[bytes] | None = None
) -> Cost:
    """Return the cost of a command; end the benchmark if it fails.

    Parameters
    ----------
    words : sequence of str or Path
        The command.
    folder : Path
        Where it runs.
    programs : Path, optional
        A folder that goes first on PATH.
    output : file, optional
        What takes its standard output; nothing does when left out.
    """
    path = os.pathsep.join([*([str(programs)] if programs else []), str(Path(PYTHON).parent), os.environ["PATH"]])
    with tempfile.TemporaryFile() as said:
        began = time.monotonic()
        process = subprocess.Popen(
            words, cwd=folder, env={**os.environ, "PATH": path}, stdin=subprocess.DEVNULL,
            stdout=output or subprocess.DEVNULL, stderr=said,
        )  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            sys.exit(f"bench: {' '.join(map(str, words))[:300]}: {said.read().decode(errors='replace')[-2000:]}")
    return Cost(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6)


def cost_of_all(words: Sequence[str | Path], folder: Path = ROOT) -> Cost:
    """Return the cost of a command and of all it leaves behind, such as the server that the workflow forks steps of."""
    return cost_of([PYTHON, str(Path(__file__).with_name("wait_for_all.py")), *words], folder)


def least(costs: Sequence[Cost]) -> Cost:
    """Return the minimum of each cost: other load on the machine can only add to it."""
    return Cost(*(min(column) for column in zip(*costs, strict=True)))


@contextmanager
def make_project(study: str, in_memory: bool = False) -> Iterator[Path]:
    """Yield the folder of a project with a site and a study named `bench`."""
    where = _MEMORY if in_memory and _is_roomy(_MEMORY) else ROOT / "logs"
    where.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="bench-", dir=where))
    try:
        for part in _PARTS:
            if (ROOT / part).is_dir():
                shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
            else:
                shutil.copy(ROOT / part, folder / part)
        write_study(folder, study)
        (folder / "config/sites/bench.yaml").write_text(_SITE)
        yield folder
    finally:
        # rm removes millions of files quickly.
        subprocess.run(["rm", "-rf", "--", folder], check=True)


def write_study(folder: Path, study: str) -> None:
    """Replace the study `bench` of a project."""
    (folder / "config/studies/bench.yaml").write_text(study)


def _is_roomy(folder: Path) -> bool:
    if not os.access(folder, os.W_OK):
        return False
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize > 2e9 and status.f_favail > 2_500_000
