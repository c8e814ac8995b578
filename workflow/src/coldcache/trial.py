"""One execution of one case: files laid out, caches dropped, counters read, the tool run, everything written down."""

import json
import os
import select
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.cold_methods import make_cold
from coldcache.errors import SettingError
from coldcache.layout import lay_out, lay_out_within
from coldcache.plan import Trial, tool_module
from coldcache.provenance import read_counters
from coldcache.settings import BlockSettings
from coldcache.site import Site
from coldcache.tools.run import Inputs, Run

#: Tools speak English with points for decimals, and Open MPI runs as root in a container.
_ENVIRONMENT = {"LC_ALL": "C", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class Surroundings(NamedTuple):
    """What all trials of a block share.

    Attributes
    ----------
    site : Site
        Its limits hold for every trial.
    work : Path
        The marked work folder of the target.
    lock : int
        Descriptor of the target's lock, which every tool inherits.
    settings : BlockSettings
        What puts the levels of factors in force, and undoes it at the end of the block.
    system, target : dict
        As `provenance.describe_system` and `provenance.describe_target` return them.
    versions : dict of str to str
        The version of each tool.
    """

    site: Site
    work: Path
    lock: int
    settings: BlockSettings
    system: dict[str, Any]
    target: dict[str, Any]
    versions: dict[str, str]


def execute(trial: Trial, folder: Path, surroundings: Surroundings) -> dict[str, Any]:
    """Run a trial and write its folder, under a temporary name until it is whole.

    Parameters
    ----------
    trial : Trial
        What to run.
    folder : Path
        The trial's folder, which must not exist yet.
    surroundings : Surroundings
        What the trials of the block share.

    Returns
    -------
    dict
        What `trial.json` holds. A trial that fails is written like any other, with ``failure`` naming the cause.
    """
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    story = _begin(trial, surroundings)
    try:
        _carry_out(trial, partial, surroundings, story)
    except SettingError as error:
        story["failure"] = {"code": "setting-failed", "message": str(error)}
    except OSError as error:
        story["failure"] = {"code": "preparation-failed", "message": str(error)}
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    _write(partial, story)
    partial.rename(folder)
    return story


def _begin(trial: Trial, surroundings: Surroundings) -> dict[str, Any]:
    case = trial.case
    return {
        "format": 1,
        "study": case.study, "sweep": case.sweep, "case": case.name, "repetition": trial.repetition,
        "operations": list(case.operations), "factors": case.factors,
        **({"scale": case.scale} if case.scale else {}),
        "tool": case.tool, "tool_version": surroundings.versions[case.tool],
        "argv": [], "settings": {}, "cold": None, "counters": None, "failure": None,
        "start": None, "end": None, "seconds": None, "exit_status": None, "timed_out": False,
        "time_limit": surroundings.site.limits.seconds,
        "free_bytes": None, "size_bytes": None, "own_bytes": None, "load": None,
        "target": {"path": surroundings.site.target.path, **surroundings.target}, "system": surroundings.system,
    }  # fmt: skip


def _carry_out(trial: Trial, partial: Path, surroundings: Surroundings, story: dict[str, Any]) -> None:
    case = trial.case
    tool = tool_module(case.tool)
    folder = Path(case.run.directory)
    with surroundings.settings.in_force(trial, folder) as readings:
        story["settings"] = {factor: reading._asdict() for factor, reading in readings.items()}
        if any(reading.read != reading.asked for reading in readings.values()):
            return
        run = case.run
        inputs = tool.inputs(run)
        if not run.device:
            run, inputs = _prepare(run, inputs, tool, surroundings.site)
        story["argv"] = tool.argv(run)
        if run.files:
            story["factors"] = {**case.factors, "files": run.files}
        if inputs.total:
            paths = [folder / name for names in inputs.names for name in names]
            story["cold"] = make_cold(case.cold, paths, surroundings.work, surroundings.lock)
        status = os.statvfs(folder)
        story["free_bytes"] = status.f_bavail * status.f_frsize
        story["size_bytes"] = status.f_blocks * status.f_frsize
        story["own_bytes"] = run.file_size * run.threads if run.device else inputs.total
        story["load"] = os.getloadavg()[0]
        before = read_counters(surroundings.target["device"])
        _run_tool(story, partial, surroundings)
        story["counters"] = before and {"before": before, "after": read_counters(surroundings.target["device"])}
        for factor, read in surroundings.settings.read_again(trial).items():
            story["settings"][factor]["read_after"] = read


def _prepare(run: Run, inputs: Inputs, tool: Any, site: Site) -> tuple[Run, Inputs]:
    """Lay the inputs out; where time is short use fewer files per thread, and say so in the run."""
    folder = Path(run.directory)
    if not run.files:
        lay_out(folder, inputs)
        return run, inputs
    if not inputs.names:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return run, inputs
    count = lay_out_within(folder, inputs, site.limits.layout_seconds)
    if count < len(inputs.names[0]):
        run = run._replace(files=count)
        inputs = tool.inputs(run)
    return run, inputs


def _run_tool(story: dict[str, Any], partial: Path, surroundings: Surroundings) -> None:
    with (partial / "stdout.txt").open("wb") as stdout, (partial / "stderr.txt").open("wb") as stderr:
        story["start"] = datetime.now(UTC).isoformat(timespec="milliseconds")
        began = time.monotonic()
        process = subprocess.Popen(
            story["argv"], stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env={**os.environ, **_ENVIRONMENT},
            start_new_session=True, pass_fds=(surroundings.lock,),
        )  # fmt: skip
        try:
            story["timed_out"] = not _ends_within(process, story["time_limit"])
        finally:
            # The whole group: a tool that hangs, or that ends before its children, leaves nothing running.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        story["seconds"] = round(time.monotonic() - began, 6)
        story["end"] = datetime.now(UTC).isoformat(timespec="milliseconds")
        story["exit_status"] = process.returncode


def _ends_within(process: subprocess.Popen, seconds: float) -> bool:
    """Wait for a process without polling it, which would load the machine under test."""
    descriptor = os.pidfd_open(process.pid)
    try:
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        return bool(waiting.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def _write(partial: Path, story: dict[str, Any]) -> None:
    """Write `trial.json` and bring the folder to stable storage."""
    (partial / "trial.json").write_text(json.dumps(story, indent=1) + "\n")
    for path in [*partial.iterdir(), partial]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
