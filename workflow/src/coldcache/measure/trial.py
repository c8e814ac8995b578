"""Run one trial: lay out its files, make them cold, read the counters, run the tool, and write everything down."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.campaign.trial_json import TRIAL_JSON, write_outcome
from coldcache.core.errors import CampaignError, SettingError
from coldcache.core.outcome import ColdState, Failure, Outcome
from coldcache.core.units import show_bytes
from coldcache.core.vocabulary import LOOK_UPS
from coldcache.design.cases import Trial
from coldcache.design.settings.nfs_guest import Guest
from coldcache.design.site import Site
from coldcache.measure.cluster.ask_nodes import BlockNodes, cool_everywhere, refuse_lost
from coldcache.measure.cluster.launch import Launch
from coldcache.measure.cold import forgets_names, make_cold, measure_below
from coldcache.measure.fresh_files import SINGLY, find_inode_readahead, forget_earlier_files, renew
from coldcache.measure.host.counters import choose_counters, pair_counters, read_counters
from coldcache.measure.host.inventory import describe_below
from coldcache.measure.host.mounts import count_free_inodes, find_mount
from coldcache.measure.input_files import lay_out, lay_out_within
from coldcache.measure.lease import Lease
from coldcache.measure.model import trial_files
from coldcache.measure.model.outage import staged
from coldcache.measure.model.place import Place as Model
from coldcache.measure.model.watchdog import guarded
from coldcache.measure.nfs_guest.read_back import read_guest_levels
from coldcache.measure.nfs_guest.start import describe_kernel, wrap
from coldcache.measure.settings.block import BlockSettings
from coldcache.measure.supervise import supervise
from coldcache.measure.target import LOCK, bytes_elsewhere
from coldcache.measure.target_identity import why_lost
from coldcache.tools import nfs_guest_log as nfs_guest
from coldcache.tools.launchers import MODEL
from coldcache.tools.run import Inputs, Run

#: Bytes and files that the disk of the raw logs must have free; the log of a trial has some ten KiB.
_LEAST_BYTES, _LEAST_FILES = 4 * 2**20, 16

#: How long preparing and ending a trial on a model may take before its clients are cut off, in s.
_SECONDS_AROUND = 120.0


class BlockContext(NamedTuple):
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
        Keeps other hosts off the target.
    settings : BlockSettings
        Puts the levels of factors in force, and restores them at the end of the block.
    system, target : dict
        As `describe_system` and `describe_target` of `coldcache.measure.host.inventory` return them.
    versions : dict of str to str or None
        The version of each tool; None where only its log states it.
    environment : mapping of str to str
        That of this process, in which tools start.
    place : BlockNodes
        The nodes of the block's job.
    model : Model or None
        The scale model that the target is on.
    """

    site: Site
    work: Path
    lock: int
    lease: Lease
    settings: BlockSettings
    system: dict[str, Any]
    target: dict[str, Any]
    versions: dict[str, str | None]
    environment: Mapping[str, str]
    place: BlockNodes = BlockNodes()
    model: Model | None = None

    def why_lost(self) -> str | None:
        """Return why the target is no longer the one that was locked, or no longer held; None while it is."""
        reason = why_lost(self.site.target, self.work.parent, self.work / LOCK, self.lock)
        return reason or self.lease.why_lost()


def run_trial(trial: Trial, folder: Path, block: BlockContext) -> Outcome:
    """Run a trial, write its folder, and return what happened.

    The folder has a temporary name until it is complete. A trial that fails is written like any other; its outcome
    names the failure.

    Parameters
    ----------
    trial : Trial
        What to run.
    folder : Path
        The trial's folder, which must not exist yet.
    block : BlockContext
        What the trials of the block share.

    Raises
    ------
    CampaignError
        If the disk of the raw logs is full: the trial is not kept.
    ClusterError
        If a node was lost: the trial is not kept.
    """
    partial = folder.with_name(f".{folder.name}.partial")
    if partial.exists():
        shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        with guarded(block.model, block.site.limits.seconds + _SECONDS_AROUND):
            outcome = _TrialRun(trial, partial, block).run()
        try:
            # A log that met a full disk would read as the tool's own failure.
            refuse_full(partial)
            write_outcome(partial / TRIAL_JSON, outcome)
            _sync(partial)
            partial.rename(folder)
        except OSError as error:
            raise CampaignError(f"{folder}: cannot be written ({error.strerror}); start again once it can") from error
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return outcome


class _TrialRun:
    """A trial that is being run. `outcome` holds what is known so far, so that a failure keeps it."""

    def __init__(self, trial: Trial, partial: Path, block: BlockContext):
        self._trial, self._case, self._partial, self._block = trial, trial.case, partial, block
        case = trial.case
        self._tool = case.implementation
        self._folder = Path(case.run.directory)
        self.outcome = Outcome(
            case.study, case.sweep, case.name, trial.repetition, tuple(case.operations), case.factors, case.tool,
            block.versions[case.tool], case.scale, time_limit=block.site.limits.seconds,
            sentinel=bool(case.sentinel_every), target={"path": block.site.target.path, **block.target},
            system=block.system,
        )  # fmt: skip

    def run(self) -> Outcome:
        """Run the trial and return what happened; raises `ClusterError` if a node was lost."""
        try:
            if self._case.guest:
                self._run_in_guest(self._case.guest)
            else:
                self._run_on_target()
        except SettingError as error:
            place = self._block.place
            if place.hosts:
                refuse_lost(self._block.site.clients.launcher, place.hosts)
            self._note(failure=Failure("setting-failed", str(error)))
        except OSError as error:
            self._note(failure=Failure("preparation-failed", str(error)))
        if lost := self._block.why_lost():
            self._note(failure=Failure("target-lost", lost))
        return self.outcome

    def _note(self, **known: Any) -> None:
        self.outcome = self.outcome._replace(**known)

    def _run_on_target(self) -> None:
        """Run the trial in the folder of its sweep on the target, with its settings in force."""
        folder, settings = self._folder, self._block.settings
        settings.undo_others(self._trial)
        # Only inside the marked folder: nothing is created where the target is gone.
        folder.parent.mkdir(exist_ok=True)
        if any(not isinstance(kind, str) and kind.fresh_files for kind in self._case.settings.values()):
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(exist_ok=True)
        with settings.in_force(self._trial, folder) as readings:
            self._note(settings=readings)
            if not all(reading.is_in_force for reading in readings.values()):
                return
            if readings:
                # A mount that has just been put in force has no folder of the sweep yet.
                folder.mkdir(exist_ok=True)
            self._measure_on_target()
            after = settings.read_again(self._trial)
            self._note(settings={factor: one._replace(**after.get(factor, {})) for factor, one in readings.items()})

    def _measure_on_target(self) -> None:
        """Prepare files and caches, and run the tool between two readings of the counters."""
        case, block, folder = self._case, self._block, self._folder
        mount = find_mount(folder)
        if self.outcome.target and mount.device != self.outcome.target["device"]:
            # A setting has mounted another file system there.
            self._note(target={**self.outcome.target, **describe_below(mount)})
        run, inputs = self._prepare()
        elsewhere = bytes_elsewhere(block.work, folder.absolute())
        run = run._replace(hosts=block.place.hosts[: run.nodes] or run.hosts)
        launch = Launch(self._tool, run, self._partial, block.work, block.environment)
        self._note(argv=tuple(self._tool.argv(run)))
        if run.ramp:
            self._note(ramp=run.ramp)
        if run.files:
            self._note(factors={**case.factors, "files": run.files})
        looks_up = case.operations[0] in LOOK_UPS
        # A client of a model answers for the files that it has made, until it is remounted.
        if inputs.total or (inputs.names and (looks_up or block.model)):
            # Of empty files nothing can be evicted.
            has_bytes = inputs.total or block.model
            paths = [folder / name for names in inputs.names for name in names] if has_bytes else []
            cold = self._make_cold(run, paths)
            self._note(cold=cold._replace(names=forgets_names(case.cold)) if looks_up else cold)
            # To make them cold may have mounted the file system again.
            mount = find_mount(folder)
        status = os.statvfs(folder)
        self._note(
            free_bytes=status.f_bavail * status.f_frsize, size_bytes=status.f_blocks * status.f_frsize,
            own_bytes=elsewhere + (run.file_size * run.threads if run.device else inputs.total),
            load=os.getloadavg()[0],
        )  # fmt: skip
        source = choose_counters(mount, block.site.target.network)
        before = read_counters(source)
        creates = run.files and not inputs.names
        fresh = self._inodes_singly() if creates else nullcontext()
        with launch.ready(), staged(block.model, self._partial), fresh:
            self._run_tool(launch)
        pattern = self._tool.TRAITS.series_logs if run.series else None
        for log in folder.glob(pattern) if pattern else ():
            shutil.move(log, self._partial / log.name)
        self._keep_files(inputs)
        counted = pair_counters(source, before, before and read_counters(source))
        self._note(**{"uncounted" if isinstance(counted, str) else "counters": counted})
        if launch.spreads:
            self._check_launch(launch, run)

    def _keep_files(self, inputs: Inputs) -> None:
        """Move what the tool wrote beside its data into the trial's folder."""
        names = {name for names in inputs.names for name in names}
        for pattern in self._tool.TRAITS.keeps:
            for path in sorted(self._folder.glob(pattern)):
                is_own = path.is_file() and not path.is_symlink() and path.name not in names
                if is_own and not (self._partial / path.name).exists():
                    shutil.move(path, self._partial / path.name)

    def _run_in_guest(self, guest: Guest) -> None:
        """Run the trial on the mount of a guest; its levels, and what crossed, are read from its log."""
        case, run = self._case, self._case.run
        inputs = self._tool.inputs(run)
        self._note(
            guest=describe_kernel(), argv=tuple(wrap(guest, run, inputs, self._tool.argv(run))),
            # The guest serves its files from memory; none of them lie on this system's target.
            target={
                "path": run.directory, "filesystem": "nfs" if guest.mount else "ext4",
                "mount_options": ",".join(guest.mount),
            },
            load=os.getloadavg()[0],
        )  # fmt: skip
        if inputs.total:
            self._note(cold=ColdState("remount", inputs.total, 0))
        self._supervise(None, self._block.environment)
        sections = nfs_guest.split((self._partial / "stdout.txt").read_bytes())
        self._note(
            settings=read_guest_levels(case.settings, case.factors, sections),
            counters=nfs_guest.count_bytes(sections),
        )

    def _run_tool(self, launch: Launch) -> None:
        place = self._folder if self._tool.TRAITS.starts_in_target else launch.folder()
        self._supervise(place, launch.environment())

    def _supervise(self, place: Path | None, environment: Mapping[str, str]) -> None:
        """Run the command line in a place, or in this process's own, and note what came of it."""
        limit, joins = self._block.site.limits.seconds, self._tool.TRAITS.joins_outputs
        spreads = self._case.run.starter in ("srun", "ssh")
        argv, lock = list(self.outcome.argv), self._block.lock
        ran = supervise(argv, limit, self._partial, lock, environment, place, joins, spreads)
        self._note(**ran._asdict())
        if self.outcome.tool_version is None:
            # Some tools print their version only in the log of a run.
            self._note(tool_version=self._tool.printed_version((self._partial / "stdout.txt").read_bytes()))

    def _prepare(self) -> tuple[Run, Inputs]:
        """Lay the inputs out, and return the run with them: with fewer files per thread where time is short."""
        run, folder = self._case.run, self._folder
        inputs = self._tool.inputs(run)
        if run.device:
            return run, inputs
        if not run.files:
            if self._block.model:
                trial_files.lay_out_on_model(self._block.model, folder, inputs, self._tool, run)
            else:
                lay_out(folder, inputs)
            return run, inputs
        if self._block.model and run.subfolders:
            with trial_files.unlimited(self._block.model):
                return self._lay_out_names(run, inputs)
        return self._lay_out_names(run, inputs)

    def _lay_out_names(self, run: Run, inputs: Inputs) -> tuple[Run, Inputs]:
        """Create the empty files of a metadata operation, and return the run with as many as there are."""
        folder = self._folder
        if self._block.model and run.subfolders:
            trial_files.empty(folder, run)
        else:
            renew(folder, run.files * run.threads, self._case.bytes)
            # What now lies aside is counted while the kernel still knows its names.
            bytes_elsewhere(self._block.work, folder.absolute())
            self._note(**forget_earlier_files(folder))
            for name in run.subfolders:
                (folder / name).mkdir()
        if not inputs.names:
            return run, inputs
        with self._inodes_singly():
            count = lay_out_within(folder, inputs, self._block.site.limits.layout_seconds)
        if count < len(inputs.names[0]):
            run = run._replace(files=count)
            inputs = self._tool.inputs(run)
        return run, inputs

    @contextmanager
    def _inodes_singly(self) -> Iterator[None]:
        """Let the file system read no inodes ahead, where it would then search past those that were just freed."""
        file = find_inode_readahead(self._folder)
        # What one host of a job changes, another could not put back.
        if file is None or self._block.place.hosts:
            yield
            return
        with self._block.settings.held(file, SINGLY):
            self._note(inode_readahead=int(SINGLY))
            yield

    def _make_cold(self, run: Run, paths: list[Path]) -> ColdState:
        """Make the inputs cold, on every node of the run."""
        method = self._case.cold
        cold = make_cold(method, paths, self._block.work, self._block.lock)
        layers = (self.outcome.target or {}).get("layers", {})
        cold = cold._replace(below_bytes=measure_below(layers))
        if run.nodes == 1 or run.starter == MODEL:
            return cold
        held = cool_everywhere(run.starter, run.hosts, paths, self._partial / "inputs.txt", method.method)
        return cold._replace(resident_bytes=max(held.values()), nodes=held)

    def _check_launch(self, launch: Launch, run: Run) -> None:
        """Note which process ran where; raises `ClusterError` if the trial failed because a node was lost."""
        described = launch.describe()
        self._note(launch=described)
        fault = launch.find_fault(described, self._block.place.word)
        if (fault or self.outcome.exit_status) and run.starter != MODEL:
            refuse_lost(run.starter, run.hosts)
        if fault:
            self._note(failure=Failure("launch-failed", fault))


def refuse_full(folder: Path) -> None:
    """Raise `CampaignError` if the disk that holds a folder of raw logs is full, or nearly so.

    A log that is cut short by a full disk must not pass for a failed trial.
    """
    status = os.statvfs(folder)
    free = status.f_bavail * status.f_frsize
    advice = "free some and start again: the missing trials are measured then"
    if free < _LEAST_BYTES:
        raise CampaignError(f"{folder}: {show_bytes(free)} are left for logs; {advice}")
    inodes = count_free_inodes(status)
    if inodes is not None and inodes < _LEAST_FILES:
        raise CampaignError(f"{folder}: {inodes} inodes are left for logs; {advice}")


def _sync(folder: Path) -> None:
    """Bring a folder and its files to stable storage."""
    with os.scandir(folder) as entries:
        # The folder holds all that there is to an empty file.
        paths = [entry.path for entry in entries if not entry.is_file() or entry.stat().st_size]
    for path in [*paths, str(folder)]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
