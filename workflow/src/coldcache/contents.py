"""What the Snakefile's rules work on: the blocks and notebooks of the campaign that the configuration asks for."""

import gc
import math
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.campaign import SUMS, is_sealed
from coldcache.cluster.allocations import arrange_allocations, walltime
from coldcache.design import KEYS, SITES, read_design
from coldcache.errors import ColdCacheError, DesignError
from coldcache.foreign import CLAIMS, AnyStudy, list_notebooks
from coldcache.site import Site, read_site
from coldcache.sources import sources_of, sources_of_notebook
from coldcache.terms import nearest


class Contents(NamedTuple):
    """The files and arguments of the workflow's rules.

    Attributes
    ----------
    campaign : str
        Its name.
    arguments : str
        The design as arguments of `python -m coldcache measure`, quoted for a shell.
    cores : int
        Cores of a node, or of this machine: a block takes them all, so that nothing runs beside a measurement.
    minutes, nodes : dict of str to int
        Time limit and nodes of each job that measures.
    evidence : list of str
        What must exist before anything is collected: the manifest of every such job, or the seal.
    notebooks : list of str
        Executed notebooks.
    digests : list of str
        One small file per study, which changes with what notebooks can learn of it; has the wildcard ``campaign``.
    templates : list of str
        What the report's pages are made with.
    claims : list of str
        Files that state claims.
    code_of_collect, code_of_claims, code_of_report : list of str
        Sources whose change makes everything that is collected, the verdicts on claims, or the report, anew.
    """

    campaign: str
    arguments: str
    cores: int
    minutes: dict[str, int]
    nodes: dict[str, int]
    evidence: list[str]
    notebooks: list[str]
    digests: list[str]
    templates: list[str]
    claims: list[str]
    code_of_collect: list[str]
    code_of_claims: list[str]
    code_of_report: list[str]

    def time_limit(self, wildcards: Any) -> int:
        """Return the time limit of a block in minutes, as Snakemake asks for a resource."""
        return self.minutes.get(wildcards.block, 1)

    def digest_after(self, checkpoints: Any) -> Callable[[Any], str]:
        """Return what tells Snakemake the digest of a study once it is written: an old one counts as unchanged."""

        def choose_digest(wildcards: Any) -> str:
            collected = checkpoints.collect_records.get(campaign=wildcards.campaign).output
            return next(path for path in collected.digests if Path(path).stem == wildcards.study)

        return choose_digest

    def code_of_notebook(self, wildcards: Any) -> list[str]:
        """Return the sources whose change executes a notebook anew, as Snakemake asks for inputs."""
        return sources_of_notebook(Path(f"notebooks/{wildcards.notebook}.ipynb"))

    def verdicts_on_claims(self, wildcards: Any) -> list[str]:
        """Return what a notebook takes beside the dataset, as Snakemake asks for inputs."""
        names = ("claims", "statements", "contradictions") if wildcards.notebook == CLAIMS else ()
        return [f"results/{wildcards.campaign}/{name}.csv" for name in names]

    def node_count(self, wildcards: Any) -> int:
        """Return how many nodes a block needs, as Snakemake asks for a resource."""
        return self.nodes.get(wildcards.block, 1)


def read_contents(config: Mapping[str, Any], in_job: bool = False) -> Contents:
    """Return what the rules work on; a user's mistake ends the program with one line.

    Parameters
    ----------
    config : mapping
        As `design.read_design` takes it.
    in_job : bool
        Whether a scheduler has started this Snakemake for one block: it is told which, and plans nothing.
    """
    # A large plan is a million objects without a cycle: looking through them for one, here and later while Snakemake
    # works, would be a quarter of the time until the first job.
    gc.disable()
    try:
        return _read_for_job(config) if in_job else _read(config)
    except ColdCacheError as error:
        sys.exit(f"coldcache: {error}")
    finally:
        gc.freeze()
        gc.enable()


def _read(config: Mapping[str, Any]) -> Contents:
    design = read_design(config)
    name = design.name
    for study in design.studies:
        _refuse_unknown_notebooks(study)
    sealed = is_sealed(design.folder)
    allocations = [] if sealed else arrange_allocations(design.blocks(), design.site)
    manifests = [f"results/{name}/blocks/{allocation.name}.json" for allocation in allocations]
    return Contents(
        campaign=name,
        arguments=_arguments(config),
        cores=_cores(design.site),
        minutes={job.name: math.ceil(round(walltime(job, design.site.limits) / 60, 6)) for job in allocations},
        nodes={job.name: job.nodes for job in allocations},
        evidence=[f"raw/{name}/{SUMS}"] if sealed else manifests,
        notebooks=[
            f"results/{name}/notebooks/{study.study}/{notebook}.ipynb"
            for study in design.studies
            for notebook in list_notebooks(study, study is design.studies[0], Path("notebooks"))
        ],
        digests=[f"results/{{campaign}}/digests/{study.study}.sha256" for study in design.studies],
        templates=[*_files(Path("workflow/report")), *map(str, Path("docs").glob("twelve-rules.md"))],
        claims=[*_files(Path("config/claims")), *_files(Path("config/studies"))],
        code_of_collect=sources_of(["coldcache.collect"]),
        code_of_claims=sources_of(["coldcache.claims.judging"]),
        code_of_report=sources_of(["coldcache.report.rendering"]),
    )


def _read_for_job(config: Mapping[str, Any]) -> Contents:
    """Return what the rule of a block needs, whose nodes and time the job has already."""
    site = read_site(SITES, str(config["site"]), str(config.get("target") or "") or None)
    nothing: dict[str, Any] = {name: [] for name in Contents._fields}
    known = {"campaign": config["campaign"], "arguments": _arguments(config), "cores": _cores(site)}
    return Contents(**{**nothing, "minutes": {}, "nodes": {}, **known})


def _arguments(config: Mapping[str, Any]) -> str:
    return shlex.join(f"--{key}={config[key]}" for key in KEYS if config.get(key))


def _cores(site: Site) -> int:
    return site.clients.cores or len(os.sched_getaffinity(0))


def _refuse_unknown_notebooks(study: AnyStudy) -> None:
    known = sorted(path.stem for path in Path("notebooks").glob("*.ipynb"))
    for notebook in study.notebooks:
        if notebook not in known:
            where = f"config/studies/{study.study}.yaml, notebooks"
            raise DesignError(f'{where}: unknown notebook "{notebook}"; {nearest(notebook, known)}')


def _files(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
