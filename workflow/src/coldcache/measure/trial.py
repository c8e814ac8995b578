"""One execution of one case: files laid out, caches dropped, counters read, the tool run, everything written down."""

import json
import os
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.core.errors import CampaignError, SettingError
from coldcache.design.cases import Trial
from coldcache.design.guest_spec import Guest
from coldcache.design.site import Site
from coldcache.measure.cluster.ask_nodes import Place, cool_everywhere, refuse_lost
from coldcache.measure.cluster.launch import Launch
from coldcache.measure.cold import make_cold
from coldcache.measure.host.counters import choose_counters, read_counters
from coldcache.measure.host.mounts import find_mount
from coldcache.measure.input_files import lay_out, lay_out_within
from coldcache.measure.lease import Lease
from coldcache.measure.nfs_guest.read_back import read_levels
from coldcache.measure.nfs_guest.start import describe_kernel, wrap
from coldcache.measure.room import refuse_full
from coldcache.measure.settings.block import BlockSettings
from coldcache.measure.supervise import supervise
from coldcache.measure.target import LOCK, bytes_elsewhere
from coldcache.measure.target_identity import why_lost
from coldcache.tools import find_tool
from coldcache.tools import nfs_guest_log as nfs_guest
from coldcache.tools.protocols import Tool
from coldcache.tools.run import Inputs, Run


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
    lease : Lease
        The target as it is held against other hosts.
    settings : BlockSettings
        What puts the levels of factors in force, and undoes it at the end of the block.
    system, target : dict
        As `provenance.describe_system` and `provenance.describe_target` return them.
    versions : dict of str to str or None
        The version of each tool; None where only its logs state it.
    place : Place
        The nodes of the block's job.
    """

    site: Site
    work: Path
    lock: int
    lease: Lease
    settings: BlockSettings
    system: dict[str, Any]
    target: dict[str, Any]
    versions: dict[str, str | None]
    place: Place = Place()

    def why_lost(self) -> str:
        """Return why the target is no longer the one that was locked, or no longer held; empty where it is."""
        reason = why_lost(self.site.target, self.work.parent, self.work / LOCK, self.lock)
        return reason or self.lease.why_lost()


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

    Raises
    ------
    CampaignError
        If the disk of the raw logs is full: the trial is not kept.
    """
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    story = _begin(trial, surroundings)
    try:
        _carry_out_unless_lost(trial, partial, surroundings, story)
    except SettingError as error:
        story["failure"] = {"code": "setting-failed", "message": str(error)}
    except OSError as error:
        story["failure"] = {"code": "preparation-failed", "message": str(error)}
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    if lost := surroundings.why_lost():
        story["failure"] = {"code": "target-lost", "message": lost}
    try:
        # A log that met a full disk would read as the tool's own failure.
        refuse_full(partial)
        _write(partial, story)
        partial.rename(folder)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise CampaignError(f"{folder}: cannot be written ({error.strerror}); start again once it can") from error
    except CampaignError:
        shutil.rmtree(partial, ignore_errors=True)
        raise
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
        **({"sentinel": True} if case.sentinel_every else {}),
        "free_bytes": None, "size_bytes": None, "own_bytes": None, "load": None,
        "target": {"path": surroundings.site.target.path, **surroundings.target}, "system": surroundings.system,
    }  # fmt: skip


def _carry_out_unless_lost(trial: Trial, partial: Path, surroundings: Surroundings, story: dict[str, Any]) -> None:
    """Carry a trial out; raises `ClusterError` where it fails because a node was lost, and so says nothing."""
    try:
        _carry_out(trial, partial, surroundings, story)
    except SettingError:
        if surroundings.place.hosts:
            refuse_lost(surroundings.site.clients.launcher, surroundings.place.hosts)
        raise


def _carry_out(trial: Trial, partial: Path, surroundings: Surroundings, story: dict[str, Any]) -> None:
    case = trial.case
    tool = find_tool(case.tool)
    folder = Path(case.run.directory)
    if case.guest:
        _carry_out_in(case.guest, trial, partial, surroundings, story)
        return
    # Only inside the marked folder: where the target has gone from its place, nothing is made there.
    folder.parent.mkdir(exist_ok=True)
    if any(not isinstance(kind, str) and kind.fresh_files for kind in case.settings.values()):
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(exist_ok=True)
    with surroundings.settings.in_force(trial, folder) as readings:
        story["settings"] = {factor: reading.tell() for factor, reading in readings.items()}
        if any(reading.read != reading.asked for reading in readings.values()):
            return
        run = case.run
        inputs = tool.inputs(run)
        # A mount that was put in force has no folder of the sweep yet.
        folder.mkdir(exist_ok=True)
        if not run.device:
            run, inputs = _prepare(run, inputs, tool, surroundings.site)
        elsewhere = bytes_elsewhere(surroundings.work, folder.absolute())
        run = run._replace(hosts=surroundings.place.hosts[: run.nodes])
        launch = Launch(tool, run, partial, surroundings.work)
        story["argv"] = tool.argv(run)
        if run.files:
            story["factors"] = {**case.factors, "files": run.files}
        if inputs.total:
            paths = [folder / name for names in inputs.names for name in names]
            story["cold"] = make_cold(case.cold, paths, surroundings.work, surroundings.lock)
            if run.nodes > 1:
                held = cool_everywhere(run.starter, run.hosts, paths, partial / "inputs.txt", case.cold.method)
                story["cold"] |= {"resident_bytes": max(held.values()), "nodes": held}
        status = os.statvfs(folder)
        story["free_bytes"] = status.f_bavail * status.f_frsize
        story["size_bytes"] = status.f_blocks * status.f_frsize
        story["own_bytes"] = elsewhere + (run.file_size * run.threads if run.device else inputs.total)
        story["load"] = os.getloadavg()[0]
        counters = choose_counters(find_mount(folder), surroundings.site.target.network)
        before = read_counters(counters)
        with launch.ready():
            _run_tool(story, partial, surroundings, launch)
        for log in folder.glob(tool.TRAITS.series_logs) if run.series and tool.TRAITS.series_logs else ():
            shutil.move(log, partial / log.name)
        after = before and read_counters(counters)
        if before and after:
            story["counters"] = {"of": counters.kind, "crossing": counters.crossing, "before": before, "after": after}
        else:
            story["uncounted"] = counters.why_not or f"the counters of {counters.name} cannot be read"
        if launch.spreads:
            _check_launch(story, launch, run, surroundings.place)
        for factor, after in surroundings.settings.read_again(trial).items():
            story["settings"][factor] |= after


def _carry_out_in(guest: Guest, trial: Trial, partial: Path, surroundings: Surroundings, story: dict[str, Any]) -> None:
    """Run a trial on the mount of a guest, which stands for the trial's folder; its levels are read from the guest."""
    case, tool = trial.case, find_tool(trial.case.tool)
    folder = Path(case.run.directory)
    # The guest mounts over it, and leaves it empty.
    folder.parent.mkdir(exist_ok=True)
    folder.mkdir(exist_ok=True)
    story["guest"] = describe_kernel()
    story["argv"] = wrap(guest, case.run, tool.inputs(case.run), tool.argv(case.run))
    # What the guest serves lies in its memory, and none of it on this system's target.
    story["target"] = {"path": case.run.directory, "filesystem": "nfs", "mount_options": ",".join(guest.mount)}
    if tool.inputs(case.run).total:
        story["cold"] = {"method": "remount", "bytes": tool.inputs(case.run).total, "resident_bytes": 0}
    story["load"] = os.getloadavg()[0]
    _run_tool(story, partial, surroundings, Launch(tool, case.run._replace(starter=""), partial, surroundings.work))
    sections = nfs_guest.split((partial / "stdout.txt").read_bytes())
    story["settings"] = read_levels(case.settings, case.factors, sections)
    counted = nfs_guest.count_bytes(sections)
    story["counters"] = counted and {"of": "nfs", "crossing": "wire", **counted}


def _run_tool(story: dict[str, Any], partial: Path, surroundings: Surroundings, launch: Launch) -> None:
    limit, lock = story["time_limit"], surroundings.lock
    story.update(supervise(story["argv"], limit, partial, lock, launch.environment(), launch.folder()))
    if story["tool_version"] is None:
        # Some tools tell it nowhere but in what they print of a run.
        story["tool_version"] = find_tool(story["tool"]).printed_version((partial / "stdout.txt").read_bytes())


def _prepare(run: Run, inputs: Inputs, tool: Tool, site: Site) -> tuple[Run, Inputs]:
    """Lay the inputs out; where time is short use fewer files per thread, and say so in the run."""
    folder = Path(run.directory)
    if not run.files:
        lay_out(folder, inputs)
        return run, inputs
    if not inputs.names:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return run, inputs
    count = lay_out_within(folder, inputs, site.limits.layout_seconds)
    if count < len(inputs.names[0]):
        run = run._replace(files=count)
        inputs = tool.inputs(run)
    return run, inputs


def _check_launch(story: dict[str, Any], launch: Launch, run: Run, place: Place) -> None:
    """Note who ran where; a trial that failed because a node was lost is none."""
    story["launch"] = launch.describe()
    fault = launch.find_fault(story["launch"], place.word)
    if fault or story["exit_status"]:
        refuse_lost(run.starter, run.hosts)
    if fault:
        story["failure"] = {"code": "launch-failed", "message": fault}


def _write(partial: Path, story: dict[str, Any]) -> None:
    """Write `trial.json` and bring the folder to stable storage."""
    # A line for each key; laid out by Python and not in C, an indented one costs more than all else of a short trial.
    lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in story.items())
    (partial / "trial.json").write_text(f"{{\n{lines}\n}}\n")
    for path in [*partial.iterdir(), partial]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
