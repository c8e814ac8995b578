"""Storage that is not what it seems: caches below it, other writers, another pace, and inodes that were just freed."""

import os
import random
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

from disk import Disk
from scene import Scene, tell

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.trials import CollectedTrial, collect_trials

STUDY = """\
study: break
title: A campaign of seconds
question: Is what disturbs it noticed?
repetitions: {repetitions}
notebooks: []
{more}sweeps:
  transfers:
    title: Transfers
    tools: [fio]
    operations: [{operation}]
    {levels}
"""
#: Buffered reads of a file that was just laid out.
_READS = STUDY.format(
    repetitions=2, more="", operation="read",
    levels="factors: {threads: [1, 2], transfer_size: [64 KiB], file_size: [8 MiB], direct_io: [false]}",
)  # fmt: skip
_WRITES = STUDY.format(
    repetitions=2, more="", operation="write",
    levels="options: {fio: ['--rate=16m']}\n    seconds: 2 s\n"
    "    factors: {threads: [1, 2], transfer_size: [64 KiB], file_size: [4 MiB], direct_io: [true]}",
)  # fmt: skip
_CREATES = STUDY.format(
    repetitions=6, more="", operation="file-create",
    levels="seconds: 20 s\n    factors: {threads: [1], files: [24000]}",
)  # fmt: skip
#: Small direct writes; the sentinel writes as well.
_PACED = STUDY.format(
    repetitions=9, more="sentinel: {sweep: watch, every: 2}\n", operation="write",
    levels="seconds: 300 ms\n"
    "    factors: {threads: [1, 2], transfer_size: [64 KiB], file_size: [4 MiB], direct_io: [true]}\n"
    "  watch:\n    title: Watch\n    tools: [fio]\n    operations: [write]\n    seconds: 300 ms\n"
    "    factors: {threads: [1], transfer_size: [64 KiB], file_size: [4 MiB], direct_io: [true]}",
)  # fmt: skip

#: Only what is staged is to be noticed: nothing objects to a busy machine, or to trials of a second.
SITE = """\
site: break
title: A folder
targets: {scratch: {path: TARGET, make: true}}
limits: {bytes: 64 MiB, seconds: 120 s, layout_seconds: 60 s}
cold: {COLD}
thresholds: {shortest_run: 1 ms, load_per_core: 1000000, foreign_cpu: 2, least_free: 0, fill_drift: 1}
"""
_EVICTED = SITE.replace("COLD", "method: eviction")

#: The rate to which a device is slowed, in B/s; each device of a test is faster.
_SLOW = 3_000_000


def drop_nothing(scene: Scene, moments: random.Random, times: int) -> str:
    """A site's command that is to drop caches drops nothing: every read is warm, and marked."""
    site = SITE.replace("COLD", 'method: commands, commands: [["true"]]')
    for _ in _campaigns(scene, times, _READS, site):
        with Disk(scene, "scratch"):
            found = _measure(scene)
        if wrong := [trial for trial in found if _verdict_of(trial) != ("warm", "memory")]:
            return f"{wrong[0].key} is {_verdict_of(wrong[0])}"
        if any("served-from-cache" not in trial.judgement.codes for trial in found):
            return f"not every read is marked: {[trial.judgement.codes for trial in found]}"
        scene.staged += 1
    return ""


def cache_below(scene: Scene, moments: random.Random, times: int) -> str:
    """A loop device without direct I/O answers from its file's cache: no read is cold; with direct I/O every one is."""
    for number in _campaigns(scene, 2 * times, _READS, _EVICTED):
        with Disk(scene, "scratch") as disk:
            is_direct = bool(number % 2)
            mode = "on" if is_direct else "off"
            subprocess.run(["losetup", f"--direct-io={mode}", disk.device], check=True)
            found = _measure(scene)
        # Each campaign without it has a control beside it.
        scene.staged += not is_direct
        colds = {_verdict_of(trial) for trial in found}
        if is_direct and colds != {("cold", "storage")}:
            return f"with direct I/O the reads are {colds}"
        if not is_direct and any("cold" in verdict or "storage" in verdict for verdict in colds):
            return f"without direct I/O the reads are {colds}"
    return ""


def write_beside(scene: Scene, moments: random.Random, times: int) -> str:
    """Another program writes to the device all the time: every trial is marked."""
    for _ in _campaigns(scene, times, _WRITES, _EVICTED):
        with Disk(scene, "scratch", 256) as disk, _writer(disk.place / "lost+found"):
            found = _measure(scene)
        if unmarked := [trial.key for trial in found if "foreign-transfers" not in trial.judgement.codes]:
            return f"not marked is {unmarked[0]}"
        scene.staged += 1
    return ""


def slow_device(scene: Scene, moments: random.Random, times: int) -> str:
    """A device is slowed in mid-campaign: what ran around slow trials of the sentinel is marked."""
    for _ in _campaigns(scene, times, _PACED, _EVICTED):
        with Disk(scene, "scratch") as disk, _group(disk.device) as group:
            count = moments.randint(20, 24)
            runner = scene.start_in_session(_in_group(scene, group))
            if not scene.wait_for_trials(count, runner):
                return f"the runner ends before: {tell(runner.communicate()[1])}"
            _limit(group, disk.device, _SLOW)
            _, errors = runner.communicate()
            if runner.returncode:
                return f"the block fails: {tell(errors)}"
            found = sorted(_collect(scene), key=lambda trial: trial.outcome.start or "")
        # Between the change and the next trial of the sentinel, what is before it was as fast as ever.
        after = next(number for number in range(count + 1, len(found)) if found[number].outcome.sentinel)
        if unmarked := [trial.key for trial in found[after:] if "drift" not in trial.judgement.codes]:
            return f"not marked is {unmarked[0]}"
        scene.staged += 1
    return ""


def free_inodes(scene: Scene, moments: random.Random, times: int) -> str:
    """Inodes were freed just before some trials create files: all of the case are marked as of two modes."""
    for _ in _campaigns(scene, times, _CREATES, _EVICTED):
        calls = sorted(moments.sample(range(2, 7), 3))
        # In the folder that fio fills, and so in the group of inodes that it takes. ext4 reuses at once what was freed
        # in the same second.
        folder = """cd "$(printf '%s\\n' "$@" | sed -n 's/^--directory=//p')" """
        free = "seq 14000 | xargs touch && seq 14000 | xargs rm && sleep 1"
        scene.replace_fio(f'({folder} && {free}) || exit 9; exec REAL "$@"', calls)
        with Disk(scene, "scratch", 256, "-O ^has_journal -N 180000"):
            found = _measure(scene)
        if unmarked := [trial.key for trial in found if "two-modes" not in trial.judgement.codes]:
            figures = sorted(round(record.value) for trial in found for record in trial.records[:1])
            codes = {trial.key: trial.judgement.codes for trial in found}
            return f"not marked is {unmarked[0]}: {figures} {codes}"
        scene.staged += 1
    return ""


def _campaigns(scene: Scene, times: int, study: str, site: str) -> Iterator[int]:
    """Yield the number of each campaign, in which a fault is staged once; the folder has no trial at its begin."""
    path = dict(scene.environment)
    for number in range(times):
        scene.environment = dict(path)
        for left in (scene.raw, scene.folder / "results", scene.folder / "scratch"):
            shutil.rmtree(left, ignore_errors=True)
        for name in ("break.log", "n"):
            (scene.folder / name).unlink(missing_ok=True)
        scene.design(study, site)
        yield number


def _measure(scene: Scene) -> list[CollectedTrial]:
    """Run the campaign and return its trials; raises `AssertionError` if the runner fails."""
    found = scene.measure()
    if found.returncode:
        raise AssertionError(f"the block fails: {tell(found.stderr)}")
    return _collect(scene)


def _collect(scene: Scene) -> list[CollectedTrial]:
    with chdir(scene.folder):
        return list(collect_trials(read_campaign(Path("raw/break"))))


def _verdict_of(trial: CollectedTrial) -> tuple[str, str]:
    return trial.judgement.cold, trial.judgement.reached_by(trial.outcome.operations[0])


@contextmanager
def _writer(folder: Path) -> Iterator[None]:
    """Write to a folder and sync, again and again, in a thread."""
    ended = threading.Event()

    def write() -> None:
        while not ended.is_set():
            with (folder / "ballast").open("wb", buffering=0) as file:
                for _ in range(32):
                    file.write(os.urandom(2**20))
                    os.fdatasync(file.fileno())

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def _group(device: str) -> Iterator[Path]:
    """Make a control group that can limit a device, and remove it."""
    unified = Path("/sys/fs/cgroup/cgroup.controllers").exists()
    group = Path("/sys/fs/cgroup" if unified else "/sys/fs/cgroup/blkio") / f"break-{Path(device).name}"
    if unified:
        (group.parent / "cgroup.subtree_control").write_text("+io")
    group.mkdir()
    try:
        yield group
    finally:
        group.rmdir()


def _limit(group: Path, device: str, rate: int) -> None:
    numbers = Path(f"/sys/class/block/{Path(device).name}/dev").read_text().strip()
    if (group / "io.max").exists():
        (group / "io.max").write_text(f"{numbers} wbps={rate}")
    else:
        (group / "blkio.throttle.write_bps_device").write_text(f"{numbers} {rate}")


def _in_group(scene: Scene, group: Path) -> list[str]:
    """Return the runner's command, which begins by joining a control group."""
    return ["sh", "-c", f'echo $$ >{group}/cgroup.procs && exec "$@"', "sh", *scene.words()]
