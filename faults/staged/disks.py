"""Disks that fill up, and targets that turn read-only, go away or are replaced while a tool runs."""

import random
import shutil
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

from disk import Disk, covered
from scene import Scene, ends_within, refuses, tell

#: Codes of trials that met a full or a lost target.
_FULL = "preparation-failed exit-status log-refused"


def fill_target(scene: Scene, moments: random.Random, times: int) -> str:
    """The target fills up during a run: an error names it, and the campaign completes once there is space."""
    with Disk(scene, "scratch"):
        return _fill(scene, moments, times, scene.folder / "scratch")


def fill_raw(scene: Scene, moments: random.Random, times: int) -> str:
    """The disk of the raw logs fills up during a run."""
    with Disk(scene, "raw", 24):
        return _fill(scene, moments, times, scene.folder / "raw")


def use_up_inodes(scene: Scene, moments: random.Random, times: int) -> str:
    """The disk of the raw logs runs out of inodes during a run."""
    with Disk(scene, "raw", 24, "-N 300"):
        return _fill(scene, moments, times, scene.folder / "raw", 10_000)


def _fill(scene: Scene, moments: random.Random, times: int, place: Path, files: int = 0) -> str:
    """Fill a disk in mid-run and empty it, again and again: each fill ends the runner, and costs one trial at most."""
    ballast, fills = place / "lost+found", 0
    while scene.staged < times:
        runner = scene.start()
        if scene.wait_for_moment(runner, moments):
            _fill_up(ballast, files)
            fills += 1
        _, errors = runner.communicate()
        shutil.rmtree(ballast, ignore_errors=True)
        scene.remember()
        if reason := refuses(runner, errors):
            return reason
        if runner.returncode == 0:
            break
        scene.staged += 1
    return scene.complete(_FULL, fills)


def _fill_up(folder: Path, files: int) -> None:
    """Fill a disk by a folder on it: with so many files, or with bytes."""
    folder.mkdir(exist_ok=True)
    with suppress(OSError):
        for number in range(files):
            (folder / str(number)).touch()
        if not files:
            with (folder / "ballast").open("wb", buffering=0) as file:
                while file.write(bytes(65536)):
                    pass


def unmount_target(scene: Scene, moments: random.Random, times: int) -> str:
    """The target is unmounted during a run: void with the reason, nothing left in its place, completed after."""
    with Disk(scene, "scratch") as disk:
        return _lose(scene, moments, times, disk.place, disk.unmount, disk.mount)


def replace_target(scene: Scene, moments: random.Random, times: int) -> str:
    """Another file system is mounted over the target during a run: void with the reason, nothing written there."""
    with Disk(scene, "scratch") as disk, ExitStack() as over:
        return _lose(scene, moments, times, disk.place, lambda: over.enter_context(covered(disk.place)), over.close)


def turn_read_only(scene: Scene, moments: random.Random, times: int) -> str:
    """A disk error turns the target read-only during a run: void with the reason, completed after."""
    with Disk(scene, "scratch") as disk:
        return _lose(scene, moments, times, disk.place, disk.abort, disk.repair)


def _lose(
    scene: Scene, moments: random.Random, times: int, place: Path,
    take: Callable[[], object], give_back: Callable[[], object],
) -> str:  # fmt: skip
    """Take a target away in mid-run and give it back, again and again, and return what did not hold."""
    reason = ""
    while not reason and scene.staged < times:
        noted = scene.count_noted()
        runner = scene.start()
        # A target that goes away before is not the one that the runner has locked.
        scene.wait_for_trials(noted + 1, runner)
        if ends_within(runner, moments.uniform(0, 2 * scene.undisturbed().trial)):
            runner.communicate()
            break
        take()
        _, errors = runner.communicate()
        scene.staged += 1
        reason = _find_strayed(place, errors)
        give_back()
        scene.remember()
        if runner.returncode and "fix it and start again" not in errors and "is not writable" not in errors:
            reason = f"it ends with: {tell(errors)}"
        reason = reason or refuses(runner, errors)
    return reason or scene.complete("target-lost", scene.staged)


def _find_strayed(place: Path, errors: str) -> str:
    """Return what was written where the target was, unless it was said, and remove it."""
    # What is still the target is not elsewhere.
    elsewhere = not (place / "coldcache/.lock").exists()
    strayed = [str(path) for path in place.rglob("*") if path.is_file()] if elsewhere else []
    for path in place.glob("coldcache") if elsewhere else ():
        shutil.rmtree(path)
    return f"written elsewhere: {strayed[0]}" if strayed and "other file system" not in errors else ""
