"""What the Snakefile's rules work on: the blocks and notebooks of the campaign that the configuration asks for."""

import math
import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.campaign import SUMS, is_sealed
from coldcache.design import KEYS, read_design
from coldcache.errors import ColdCacheError, DesignError
from coldcache.foreign import AnyStudy
from coldcache.terms import nearest

#: How much longer than its estimate a block may take before a scheduler ends it.
_MARGIN = 3


class Contents(NamedTuple):
    """The files and arguments of the workflow's rules.

    Attributes
    ----------
    campaign : str
        Its name.
    arguments : str
        The design as arguments of `python -m coldcache measure`, quoted for a shell.
    cores : int
        Cores of this machine: a block takes them all, so that nothing runs beside a measurement.
    minutes : dict of str to int
        Time limit of each block.
    evidence : list of str
        What must exist before anything is collected: the manifest of every block, or the seal.
    notebooks : list of str
        Executed notebooks.
    templates, code : list of str
        Files whose change makes the report, or everything that is collected, anew.
    """

    campaign: str
    arguments: str
    cores: int
    minutes: dict[str, int]
    evidence: list[str]
    notebooks: list[str]
    templates: list[str]
    code: list[str]

    def time_limit(self, wildcards: Any) -> int:
        """Return the time limit of a block in minutes, as Snakemake asks for a resource."""
        return self.minutes[wildcards.block]


def read_contents(config: Mapping[str, Any]) -> Contents:
    """Return what the rules work on; a user's mistake ends the program with one line."""
    try:
        return _read(config)
    except ColdCacheError as error:
        sys.exit(f"coldcache: {error}")


def _read(config: Mapping[str, Any]) -> Contents:
    design = read_design(config)
    name = design.name
    for study in design.studies:
        _refuse_unknown_notebooks(study)
    blocks = design.blocks()
    sealed = is_sealed(design.folder)
    arguments = [f"--{key}={config[key]}" for key in KEYS if config.get(key)]
    return Contents(
        campaign=name,
        arguments=shlex.join(arguments),
        cores=len(os.sched_getaffinity(0)),
        minutes={
            block.name: math.ceil(_MARGIN * sum(trial.case.seconds for trial in block.trials) / 60) + 5
            for block in blocks
        },
        evidence=[f"raw/{name}/{SUMS}"] if sealed else [f"results/{name}/blocks/{block.name}.json" for block in blocks],
        notebooks=[
            f"results/{name}/notebooks/{study.study}/{notebook}.ipynb"
            for study in design.studies
            for notebook in study.notebooks
        ],
        templates=_files(Path("workflow/report")),
        code=_files(Path("workflow/src/coldcache"), "*.py"),
    )


def _refuse_unknown_notebooks(study: AnyStudy) -> None:
    known = sorted(path.stem for path in Path("notebooks").glob("*.ipynb"))
    for notebook in study.notebooks:
        if notebook not in known:
            where = f"config/studies/{study.study}.yaml, notebooks"
            raise DesignError(f'{where}: unknown notebook "{notebook}"; {nearest(notebook, known)}')


def _files(folder: Path, pattern: str = "*") -> list[str]:
    return sorted(str(path) for path in folder.rglob(pattern) if path.is_file() and "__pycache__" not in path.parts)
