"""The inputs of the Snakemake rules: blocks, notebooks, digests and source files of the configured campaign."""

import gc
import json
import math
import os
import shlex
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.campaign.campaign import CLOUDWATCH_FOLDER, Campaign, presentation, presentation_of_site
from coldcache.campaign.known_since import list_sources
from coldcache.campaign.seal import SUMS, is_sealed
from coldcache.core.errors import ColdCacheError
from coldcache.core.program_files import PROGRAM, find_file, list_files, show_path
from coldcache.dataset.slices import EVERYTHING, list_reads, list_slices, place_digest, slice_of_claims
from coldcache.design.claim import CLAIMS, list_claim_files
from coldcache.design.jobs import Allocation, gather_sweeps, walltime
from coldcache.design.notebooks import list_notebooks, refuse_unknown_notebooks
from coldcache.design.site import Site, read_site
from coldcache.measure.model.storage import end_storage
from coldcache.workflow.begun import take_begun, update_presentation
from coldcache.workflow.code_inputs import digest_of, sources_of, sources_of_notebook
from coldcache.workflow.configuration import KEYS, SITES, STUDIES, keep_text, read_config_file, read_design

#: The modules by which notebooks read verdicts on claims, and the bounds that claims state.
_VERDICTS_ON_CLAIMS, _BOUNDS_OF_CLAIMS = "analysis/questions/claims.py", "analysis/claimed_ratios.py"

#: The numbers that the documents state.
_PUBLISHED = Path("config/published")


class WorkflowInputs(NamedTuple):
    """The files and arguments of the workflow's rules.

    Attributes
    ----------
    campaign : str
        The campaign's name.
    arguments : str
        The design as arguments of `python -m coldcache measure`, quoted for a shell.
    cores : int
        Cores of a node, or of this machine: a block takes all of them, so that nothing else runs meanwhile.
    jobs : dict of str to Allocation
        The jobs that measure, by name; one of a sweep is only there to be asked for.
    before : dict of str to list of str
        Manifests of the jobs that must end before a job with rounds that a stop rule may ask for.
    evidence : list of str
        Files that must exist before collecting: the manifest of each such job, or the seal; and those of CloudWatch.
    seal : list of str
        The seal, which the report shows; empty for a campaign that is not sealed.
    notebooks : list of str
        The executed notebooks.
    slices : dict of str to list of str
        By study, the slices of the dataset that its notebooks may read.
    templates : list of str
        Templates of the report's pages.
    published : list of str
        Files of the numbers that the documents state.
    claims : list of str
        Files that state claims: those of the sources, and the campaign's studies.
    shown : list of str
        Titles, question and notebooks of each study, title and ceilings of the site, as JSON: a parameter of what shows
        them.
    design : Campaign or None
        The design; None in a job that measures a single block.
    """

    campaign: str
    arguments: str
    cores: int
    jobs: dict[str, Allocation]
    before: dict[str, list[str]]
    evidence: list[str]
    seal: list[str]
    notebooks: list[str]
    slices: dict[str, list[str]]
    templates: list[str]
    published: list[str]
    claims: list[str]
    shown: list[str]
    design: Campaign | None

    @property
    def is_to_collect(self) -> bool:
        """Whether a sealed campaign, which measures nothing, has changed since its dataset was written."""
        dataset = Path("results", self.campaign, "dataset.nc")
        sealed = max((Path(path).stat().st_mtime_ns for path in self.seal), default=0)
        return sealed > (dataset.stat().st_mtime_ns if dataset.is_file() else 0)

    def update_presentation(self) -> None:
        """Write changed titles, questions and notebooks to the campaign, or print why it keeps others."""
        line = update_presentation(self.design) if self.design else None
        if line:
            print(line, file=sys.stderr)

    def end_storage(self) -> None:
        """End the scale model that was started for the campaign; print any leftovers."""
        try:
            if self.design:
                end_storage(self.design.site)
        except ColdCacheError as error:
            print(f"coldcache: {error}", file=sys.stderr)

    def time_limit(self, wildcards: Any) -> int:
        """Return the time limit of a block in minutes; a resource function of Snakemake."""
        job = self.jobs.get(wildcards.block)
        if job is None or self.design is None:
            return 1
        return math.ceil(round(walltime(job, self.design.site.limits) / 60, 6))

    def earlier_jobs(self, wildcards: Any) -> list[str]:
        """Return the manifests that must exist before a block is measured; an input function of Snakemake."""
        return self.before.get(wildcards.block, [])

    @property
    def digests(self) -> list[str]:
        """Paths of the digests of all slices, with the wildcard ``campaign``."""
        names = dict.fromkeys(name for slices in self.slices.values() for name in slices)
        return [place_digest("results/{campaign}", name) for name in names]

    def digests_read(self, checkpoints: Any) -> Callable[[Any], list[str]]:
        """Return the input function for `read`: digest files of the slices read at the last execution.

        The function waits for the checkpoint that collects, since only then the digests are up to date. A notebook
        that was never executed, or read a slice of another study, depends on all slices.
        """
        return self._choose_digests(checkpoints, were_read=True)

    def digests_unread(self, checkpoints: Any) -> Callable[[Any], list[str]]:
        """Return the input function for `unread`: the other digest files, so that the set of inputs never changes."""
        return self._choose_digests(checkpoints, were_read=False)

    def _choose_digests(self, checkpoints: Any, were_read: bool) -> Callable[[Any], list[str]]:
        def choose_digests(wildcards: Any) -> list[str]:
            checkpoints.collect_records.get(campaign=wildcards.campaign)
            results, slices = f"results/{wildcards.campaign}", self.slices[wildcards.study]
            read = list_reads(Path(results, "reads", wildcards.study, f"{wildcards.notebook}.txt"))
            if not read <= set(slices):
                read = {EVERYTHING}
            return [place_digest(results, name) for name in slices if (name in read) == were_read]

        return choose_digests

    def code_of_collect(self, _: Any) -> str:
        """Return a checksum of the source files that collecting depends on; a parameter function, as the next three.

        To find them takes longer than to plan a small campaign, so only a start that collects does it.
        """
        return digest_of(sources_of(["coldcache.dataset.collect"]))

    def code_of_claims(self, _: Any) -> str:
        """Return a checksum of the source files that judging claims depends on."""
        return digest_of(sources_of(["coldcache.claims.judge"]))

    def code_of_report(self, _: Any) -> str:
        """Return a checksum of the source files that rendering the report depends on."""
        return digest_of(sources_of(["coldcache.report.site.render", "coldcache.report.comparison.earlier"]))

    def code_of_notebook(self, wildcards: Any) -> str:
        """Return a checksum of the source files that a notebook depends on."""
        return digest_of(sources_of_notebook(Path(self.find_notebook(wildcards))))

    def find_notebook(self, wildcards: Any) -> str:
        """Return the file of a notebook, of this folder or of the program; an input function of Snakemake."""
        return str(find_file(Path(f"notebooks/{wildcards.notebook}.ipynb")))

    @property
    def digests_of_claims(self) -> list[str]:
        """Paths of the digests of each study's claims, with the wildcard ``campaign``."""
        return [place_digest("results/{campaign}", slice_of_claims(study)) for study in self.slices]

    def claims_read(self, checkpoints: Any) -> Callable[[Any], list[str]]:
        """Return the input function for `claims`: what a notebook reads of its study's claims beside the dataset.

        For one that shows the verdicts on them it is their digest, and for one that shows their bounds the file that
        states them.
        """

        def choose_claims(wildcards: Any) -> list[str]:
            read, code = [], sources_of_notebook(Path(self.find_notebook(wildcards)))
            if any(path.endswith(_VERDICTS_ON_CLAIMS) for path in code):
                checkpoints.judge_claims.get(campaign=wildcards.campaign)
                read.append(place_digest(f"results/{wildcards.campaign}", slice_of_claims(wildcards.study)))
            stated = find_file(CLAIMS / f"{wildcards.study}.yaml")
            if any(path.endswith(_BOUNDS_OF_CLAIMS) for path in code) and stated.is_file():
                read.append(show_path(stated))
            return read

        return choose_claims

    def node_count(self, wildcards: Any) -> int:
        """Return the number of nodes that a block needs; a resource function of Snakemake."""
        job = self.jobs.get(wildcards.block)
        return job.nodes if job else 1

    def planned_trials(self, wildcards: Any) -> str:
        """Return what changes when trials are added to a block; a parameter function of Snakemake.

        It is the number and a checksum of its trials, whatever their order.
        """
        job = self.jobs.get(wildcards.block)
        return _describe_trials(job) if job else ""


def check_file(path: str, is_read: bool) -> None:
    """Exit with one line if the file of the configuration is wrong, before Snakemake says so in its own words.

    Parameters
    ----------
    path : str
        ``config/config.yaml``.
    is_read : bool
        Whether Snakemake reads it; where these rules are a module of another workflow, that gives the configuration.
    """
    try:
        if is_read:
            read_config_file(Path(path))
    except ColdCacheError as error:
        sys.exit(f"coldcache: {error}")


def read_inputs(
    config: Mapping[str, Any], in_job: bool = False, stated: Collection[str] = (), typed: Collection[str] = ()
) -> WorkflowInputs:
    """Return the inputs of the rules; exit with one line if the configuration is wrong.

    Parameters
    ----------
    config : mapping
        As for `configuration.read_design`.
    in_job : bool
        Whether a scheduler started this Snakemake for a single block; then nothing is planned.
    stated : collection of str
        Keys that the command line states; of the others, a campaign that has begun keeps its own values.
    typed : collection of str
        What was typed after ``--config``, such as ``campaign=007``.
    """
    _put_interpreter_first()
    # A large plan has a million objects without cycles: searching them for garbage, here and while Snakemake works,
    # would take a quarter of the time until the first job.
    gc.disable()
    try:
        known = take_begun(keep_text(config, typed), stated)
        return _read_for_job(known) if in_job else _read(known)
    except ColdCacheError as error:
        sys.exit(f"coldcache: {error}")
    finally:
        gc.freeze()
        gc.enable()


def _put_interpreter_first() -> None:
    """Let the steps call the programs beside this interpreter, also without an activated environment."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    own = str(Path(sys.executable).parent)
    if folders[0] != own:
        os.environ["PATH"] = os.pathsep.join([own, *folders])


def _read(config: Mapping[str, Any]) -> WorkflowInputs:
    design = read_design(config)
    name = design.name
    for study in design.studies:
        refuse_unknown_notebooks(study, STUDIES / f"{study.study}.yaml")
    sealed = is_sealed(design.folder)
    seal = [f"raw/{name}/{SUMS}"] if sealed else []
    allocations = () if sealed else design.allocations
    sweeps = [] if sealed else gather_sweeps(design.blocks())
    manifests = [f"results/{name}/blocks/{allocation.name}.json" for allocation in allocations]
    return WorkflowInputs(
        campaign=name,
        arguments=_arguments(config),
        cores=_cores(design.site),
        jobs={job.name: job for job in [*sweeps, *allocations]},
        before={job.name: manifests[:number] for number, job in enumerate(allocations) if job.is_conditional},
        evidence=[
            *([*seal, *map(str, list_sources(design))] if sealed else manifests),
            *map(str, sorted(design.folder.glob(f"{CLOUDWATCH_FOLDER}/*.json"))),
        ],
        seal=seal,
        notebooks=[
            f"results/{name}/notebooks/{study.study}/{notebook}.ipynb"
            for study in design.studies
            for notebook in list_notebooks(study, study is design.studies[0], name, is_copy=sealed)
        ],
        slices={study.study: list_slices(study.study, study.sweeps) for study in design.studies},
        templates=[
            *_files(PROGRAM / "workflow/report"),
            *(show_path(PROGRAM / "docs" / page) for page in ("twelve-rules.md", "glossary.md")),
        ],
        published=[show_path(path) for path in list_files(_PUBLISHED, "*.csv")],
        claims=[show_path(path) for path in list_claim_files(study.study for study in design.studies)],
        shown=[
            *(json.dumps({study: shown}) for study, shown in presentation(design.studies).items()),
            json.dumps(presentation_of_site(design.site)),
        ],
        design=design,
    )


def _read_for_job(config: Mapping[str, Any]) -> WorkflowInputs:
    """Return the inputs that the rule of a single block needs; its job has nodes and time already."""
    site = read_site(SITES, str(config["site"]), str(config.get("target") or "") or None)
    nothing: dict[str, Any] = {name: [] for name in WorkflowInputs._fields}
    of_jobs: dict[str, Any] = {name: {} for name in ("jobs", "before", "slices")}
    known = {"campaign": config["campaign"], "arguments": _arguments(config), "cores": _cores(site)}
    return WorkflowInputs(**{**nothing, **of_jobs, "design": None, **known})


def _describe_trials(allocation: Allocation) -> str:
    cases = [trial.case for block in allocation.blocks for trial in block.trials]
    key_of = {id(case): case.key for case in cases}
    counts = Counter(key_of[id(case)] for case in cases)
    told = json.dumps(sorted(counts.items()))
    return f"{counts.total()} trials {zlib.crc32(told.encode()):08x}"


def _arguments(config: Mapping[str, Any]) -> str:
    return shlex.join(f"--{key}={config[key]}" for key in KEYS if config.get(key))


def _cores(site: Site) -> int:
    return site.clients.cores or len(os.sched_getaffinity(0))


def _files(folder: Path) -> list[str]:
    return sorted(show_path(path) for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
