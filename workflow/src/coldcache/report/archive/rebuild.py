"""Rebuild a campaign's results in a separate folder, only from its raw logs and this program."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from coldcache.campaign.campaign import RAW, read_campaign
from coldcache.core.errors import ColdCacheError
from coldcache.core.forks import serve_forks
from coldcache.core.program_files import find_file
from coldcache.design.notebooks import list_notebooks
from coldcache.design.site import SITES
from coldcache.report.archive.zip_files import copy_tree
from coldcache.report.site.pages import COMPARISON

#: Environment variables that the steps inherit; no others are passed on.
_ENVIRONMENT = ("HOME", "TMPDIR", "USER")


class RebuildError(ColdCacheError):
    """Results that cannot be rebuilt."""


def make_results(campaign: Path, work: Path, comparison: Path | None = None, sites: Path | None = None) -> Path:
    """Collect a campaign, judge claims, execute its notebooks and render its report in a separate folder.

    Notebooks, claims and published values are those of the working folder, else those of the program.

    Parameters
    ----------
    campaign : Path
        The folder with its raw logs.
    work : Path
        An empty folder, which receives ``raw/<campaign>`` and ``results/<campaign>``.
    comparison : Path, optional
        A page that compares this campaign with another, which the report includes unchanged.
    sites : Path, optional
        A folder with files of sites, which replace those of the working folder if it exists.

    Returns
    -------
    Path
        ``results/<campaign>`` in `work`.

    Raises
    ------
    RebuildError
        If a notebook is missing, or a step fails; the message is that of the step.
    CampaignError
        If the campaign cannot be read.
    """
    name = campaign.name
    studies = read_campaign(campaign).studies
    asked = [
        (study.study, notebook) for study in studies for notebook in list_notebooks(study, study is studies[0], name)
    ]
    copy_tree(campaign, work / RAW / name)
    if Path("config").is_dir():
        copy_tree(Path("config"), work / "config")
    for source in sites.glob("*.yaml") if sites else ():
        target = work / SITES / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        # It may be a hard link to the file of the working folder.
        target.unlink(missing_ok=True)
        shutil.copy(source, target)
    for notebook in sorted({notebook for _, notebook in asked}):
        source = find_file(Path("notebooks", f"{notebook}.ipynb"))
        if not source.is_file():
            raise RebuildError(f"{source}: missing, and the campaign needs it; start in the folder that measured it")
        (work / "notebooks").mkdir(exist_ok=True)
        shutil.copy(source, work / "notebooks")
    results = Path("results", name)
    with serve_forks(_environment()) as environment:
        run = partial(_run, work, environment)
        for step in ("collect", "claims"):
            run(step, f"--campaign={name}", f"--results={results}")
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            list(pool.map(lambda pair: run(*_execution(results, *pair)), asked))
        if comparison is not None and comparison.is_file():
            shutil.copy(comparison, work / results / COMPARISON)
        run("report", f"--campaign={name}", f"--results={results}", "--log=logs/report.log")
    return work / results


def _environment() -> dict[str, str]:
    """Return the environment of all steps."""
    kept = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    path = os.pathsep.join((str(Path(sys.executable).parent), os.defpath))
    return {**kept, "PATH": path, "LC_ALL": "C.UTF-8", "PYTHONNOUSERSITE": "1"}


def _execution(results: Path, study: str, notebook: str) -> tuple[str, ...]:
    """Return the step that executes a notebook."""
    place = f"{study}/{notebook}.ipynb"
    return (
        "notebook", f"--notebook=notebooks/{notebook}.ipynb", f"--dataset={results}/dataset.nc", f"--study={study}",
        f"--output={results}/notebooks/{place}", f"--log=logs/notebooks/{place}",
    )  # fmt: skip


def _run(work: Path, environment: Mapping[str, str], *arguments: str) -> None:
    command: Sequence[str] = [sys.executable, "-m", "coldcache", *arguments]
    done = subprocess.run(
        command, cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
        check=False,
    )  # fmt: skip
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or [f"exit status {done.returncode}"]
        raise RebuildError(f"{arguments[0]}: {said[-1].removeprefix('coldcache: ')}")
