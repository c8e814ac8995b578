"""Disks that fill up, and targets that turn read-only, go away or are replaced while a tool runs."""

import random
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from disk import Disk, covered
from scene import Scene, refuses, tell

#: Codes of trials that met a full or a lost target.
_FULL = "preparation-failed exit-status log-refused"


def fill_target(scene: Scene, moments: random.Random) -> str:
    """A target that fills up in mid-run: told by name, and completed once there is space."""
    with Disk(scene, "scratch"):
        return _fill(scene, moments, scene.folder / "scratch")


def fill_raw(scene: Scene, moments: random.Random) -> str:
    """A disk of the raw logs that fills up in mid-run."""
    with Disk(scene, "raw", 24):
        return _fill(scene, moments, scene.folder / "raw")


def use_up_inodes(scene: Scene, moments: random.Random) -> str:
    """A disk of the raw logs that runs out of inodes in mid-run."""
    with Disk(scene, "raw", 24, "-N 300"):
        return _fill(scene, moments, scene.folder / "raw", 10_000)


def _fill(scene: Scene, moments: random.Random, place: Path, files: int = 0) -> str:
    span = scene.undisturbed().seconds
    runner = scene.start()
    time.sleep(moments.uniform(0.1, 0.8) * span)
    ballast = place / "lost+found"
    with suppress(OSError):
        for number in range(files):
            (ballast / str(number)).touch()
        if not files:
            with (ballast / "ballast").open("wb", buffering=0) as file:
                while file.write(bytes(65536)):
                    pass
    _, errors = runner.communicate()
    shutil.rmtree(ballast)
    scene.remember()
    return refuses(runner, errors) or scene.complete(_FULL, 1)


def unmount_target(scene: Scene, moments: random.Random) -> str:
    """A target that is unmounted in mid-run: void with the reason, nothing left in its place, completed after."""
    with Disk(scene, "scratch") as disk:
        return _lose(scene, moments, disk.place, disk.unmount, disk.mount)


def replace_target(scene: Scene, moments: random.Random) -> str:
    """Another file system mounted over the target in mid-run: void with the reason, and nothing written there."""
    with Disk(scene, "scratch") as disk:
        other = covered(disk.place)
        return _lose(scene, moments, disk.place, other.__enter__, lambda: other.__exit__(None, None, None))


def turn_read_only(scene: Scene, moments: random.Random) -> str:
    """A target that an error of its disk turns read-only in mid-run: void with the reason, completed after."""
    with Disk(scene, "scratch") as disk:
        return _lose(scene, moments, disk.place, disk.abort, disk.repair)


def _lose(
    scene: Scene, moments: random.Random, place: Path, take: Callable[[], object], give_back: Callable[[], object]
) -> str:
    """Take a target away in mid-run, give it back, and return what did not hold."""
    span = scene.undisturbed().seconds
    runner = scene.start()
    scene.wait_for("scratch/coldcache/break/transfers/t0", runner)
    time.sleep(moments.uniform(0, span / 2))
    take()
    _, errors = runner.communicate()
    # What is still the target is not elsewhere.
    elsewhere = not (place / "coldcache/.lock").exists()
    strayed = [str(path) for path in place.rglob("*") if path.is_file()] if elsewhere else []
    for path in place.glob("coldcache") if elsewhere else ():
        shutil.rmtree(path)
    give_back()
    scene.remember()
    if strayed and "other file system" not in errors:
        return f"written elsewhere: {strayed[0]}"
    if runner.returncode and "put it right and start again" not in errors and "is not writable" not in errors:
        return f"it ends with: {tell(errors)}"
    return refuses(runner, errors) or scene.complete("target-lost", 1)
