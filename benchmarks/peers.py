"""Other programs that run a command for each point of a grid: install them and give them the same points."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from costs import PYTHON, ROOT

_PLACE = ROOT / ".peers"
_LOCK = ROOT / "envs/peers.lock"


class Peer(NamedTuple):
    """A program to compare with.

    Attributes
    ----------
    prepare : callable
        Writes what it needs for a number of points into a folder, and returns the command that runs them.
    results : str
        The pattern of the folders or files in which it keeps what a point printed.
    """

    prepare: Callable[[Path, int], list[str]]
    results: str

    def count_files(self, folder: Path) -> int:
        """Return how many files it left for all points."""
        return sum(path.is_file() for path in folder.glob(self.results))


def set_up() -> dict[str, Peer]:
    """Install what `envs/peers.lock` pins into a folder, and return the peers by name."""
    if not (_PLACE / "bin/python").exists():
        subprocess.run([PYTHON, "-m", "venv", "--without-pip", _PLACE], check=True)
    uv = [Path(PYTHON).with_name("uv"), "pip", "sync", "--quiet", "--require-hashes", "--compile-bytecode"]
    done = subprocess.run([*uv, "--python", _PLACE / "bin/python", _LOCK], check=False)
    if done.returncode:
        sys.exit("bench: the peers cannot be installed (is the network there?)")
    return {
        "IOPS": Peer(_prepare_iops, "work/**/*"),
        "ReFrame": Peer(_prepare_reframe, "output/**/*"),
        "Snakemake": Peer(_prepare_snakemake, "results/**/*"),
    }


def _write(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def _prepare_iops(folder: Path, points: int) -> list[str]:
    _write(folder, "grid.yaml", _IOPS.format(threads=list(range(1, 21)), repetitions=points // 20))
    return [str(_PLACE / "bin/iops"), "run", "grid.yaml"]


_IOPS = """\
benchmark:
  name: bench
  workdir: work
  executor: local
  repetitions: {repetitions}
vars:
  threads:
    type: int
    sweep: {{mode: list, values: {threads}}}
command:
  template: fio --numjobs={{{{ threads }}}} --rw=write
scripts:
  - name: point
    script_template: |
      #!/bin/sh
      {{{{ command.template }}}}
output:
  sink: {{type: csv, path: "{{{{ workdir }}}}/results.csv"}}
"""


def _prepare_reframe(folder: Path, points: int) -> list[str]:
    _write(folder, "grid.py", _REFRAME.format(points=points))
    own = ["--prefix", str(folder), "--exec-policy", "serial", "-c", "grid.py", "-r"]
    return [str(_PLACE / "bin/reframe"), *own]


_REFRAME = """\
import reframe as rfm
import reframe.utility.sanity as sn


@rfm.simple_test
class Point(rfm.RunOnlyRegressionTest):
    number = parameter(range({points}))
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "fio"

    @run_before("run")
    def set_options(self):
        self.executable_opts = [f"--numjobs={{self.number % 20 + 1}}", "--rw=write"]

    @sanity_function
    def ended(self):
        return sn.assert_eq(self.job.exitcode, 0)
"""


def _prepare_snakemake(folder: Path, points: int) -> list[str]:
    _write(folder, "Snakefile", _SNAKEFILE.format(points=points))
    return [str(Path(PYTHON).with_name("snakemake")), "--quiet", "all", "--cores", "1", "--nolock"]


_SNAKEFILE = """\
rule all:
    input:
        expand("results/{{point}}.txt", point=range({points})),


rule point:
    output:
        "results/{{point}}.txt",
    shell:
        "fio --numjobs=$(({{wildcards.point}} % 20 + 1)) --rw=write > {{output}}"
"""
