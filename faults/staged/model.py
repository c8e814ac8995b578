"""Parts of a scale model that fail while a trial runs on it: every trial ends judged, and the next start is clean."""

import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from os import truncate
from pathlib import Path

from scene import Scene, ends_within, refuses, tell

from coldcache.measure.model import faults
from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.limits import set_limit
from coldcache.measure.model.place import Place, open_place
from coldcache.measure.model.stop import list_left, stop

STUDY = """\
study: break
title: Transfers on a scale model
question: Is every trial judged, whatever fails?
repetitions: 2
notebooks: []
sweeps:
  transfers:
    title: Transfers
    tools: [fio]
    operations: [write, read]
    seconds: 30 s
    factors:
      threads: [4]
      transfer_size: [128 KiB]
      file_size: [12 MiB]
      file_layout: [file-per-thread]
      direct_io: [false]
"""
SITE = """\
site: break
title: A small scale model
targets: {pfs: {path: FOLDER/c1/data, make: true, direct_io: true}}
limits: {bytes: 1 GiB, seconds: 40 s}
cold: {method: remount}
model: {targets: 2, storage_nodes: 2, metadata_servers: 1, standby_servers: STANDBY, clients: 2, target_size: 1 GiB,
  target_rate: 8 MB/s, failure_grace: 600 s, io_timeout: 20 s}
"""

#: The longest that a runner may take, in s: all of its trials, with the model's start and the time after a limit.
_LONGEST = 600

Change = Callable[[Place], None]


def lose_model_target(scene: Scene, moments: random.Random, times: int) -> str:
    """The server of a storage target is killed during a trial, and comes back."""
    return _stage(scene, moments, times, lambda p: faults.lose_target(p, 1), lambda p: faults.return_target(p, 1))


def lose_model_target_for_good(scene: Scene, moments: random.Random, times: int) -> str:
    """The server of a storage target is killed during a trial, and does not come back."""
    return _stage(scene, moments, times, lambda place: faults.lose_target(place, 1), None)


def lose_model_metadata(scene: Scene, moments: random.Random, times: int) -> str:
    """The metadata server is killed during a trial, without a standby, and comes back."""
    lose, mend = faults.lose_metadata_server, faults.return_metadata_server
    return _stage(scene, moments, times, lambda place: lose(place, 0), lambda place: mend(place, 0))


def lose_model_metadata_with_standby(scene: Scene, moments: random.Random, times: int) -> str:
    """The metadata server is killed during a trial, and a standby takes over."""
    return _stage(scene, moments, times, lambda p: faults.lose_metadata_server(p, 0), faults.wait_for_metadata, 1)


def unmount_model_client(scene: Scene, moments: random.Random, times: int) -> str:
    """A client is cut off during a trial."""
    return _stage(scene, moments, times, lambda place: faults.lose_client(place, 1), None)


def cut_model_link(scene: Scene, moments: random.Random, times: int) -> str:
    """The link of a storage node is cut during a trial, and mended."""
    return _stage(
        scene, moments, times, lambda place: faults.cut_link(place, "oss1"), lambda p: faults.mend_link(p, "oss1")
    )


def slow_model_link(scene: Scene, moments: random.Random, times: int) -> str:
    """The links of the clients become slow during a trial, and fast again."""
    return _stage(scene, moments, times, _slow_down, lambda place: _set(place, None))


def fill_model(scene: Scene, moments: random.Random, times: int) -> str:
    """The file system fills up during a trial, and is emptied."""
    return _stage(scene, moments, times, _fill, lambda p: (p.mount_of(2) / "ballast").unlink(missing_ok=True))


def _slow_down(place: Place) -> None:
    _set(place, 2e5)


def _set(place: Place, rate: float | None) -> None:
    # The runner remounts the clients between trials, and what is read back may lack one.
    with suppress(ModelError):
        set_limit(place, "client_rate", rate)


def _fill(place: Place) -> None:
    ballast = place.mount_of(2) / "ballast"
    with suppress(OSError):
        ballast.touch()
        truncate(ballast, 2 << 30)


def _stage(
    scene: Scene, moments: random.Random, times: int, hurt: Change, mend: Change | None, standby: int = 0
) -> str:
    """Stage a fault in as many campaigns, each completed by a second start."""
    with _at_place() as place:
        for _ in range(times):
            site = SITE.replace("FOLDER", str(place.folder)).replace("STANDBY", str(standby))
            scene.design(STUDY, site)
            if reason := _stage_once(scene, moments, place, hurt, mend):
                return reason
            scene.staged += 1
            shutil.rmtree(scene.raw)
            shutil.rmtree(scene.folder / "results")
            (scene.folder / "break.log").unlink()
        stop(place)
        return f"{list_left(place)} is left" if list_left(place) else ""


def _stage_once(scene: Scene, moments: random.Random, place: Place, hurt: Change, mend: Change | None) -> str:
    runner = scene.start()
    if not scene.wait_for_trials(moments.choice([0, 1, 2]), runner):
        return f"the runner ends before its trials: {tell(runner.communicate()[1])}"
    if scene.wait_for("raw/break/**/.r*.partial/stdout.txt", runner) is None:
        return f"the runner ends before its trial: {tell(runner.communicate()[1])}"
    time.sleep(moments.uniform(0, 2))
    try:
        hurt(place)
        time.sleep(moments.uniform(0.5, 3))
        if mend:
            mend(place)
    except (ModelError, OSError) as error:
        # The runner may be remounting the clients: what it then finds is staged all the same.
        print(f"model: {error}", flush=True)
    if not ends_within(runner, _LONGEST):
        runner.kill()
        return f"the runner hangs for {_LONGEST} s"
    _, errors = runner.communicate()
    if reason := refuses(runner, errors):
        return reason
    again = scene.measure()
    if again.returncode:
        return f"it does not complete: {tell(again.stderr)}"
    return _find_unjudged(scene)


def _find_unjudged(scene: Scene) -> str:
    """Return which trial lacks a verdict with its reason; empty where none does."""
    verdicts = scene.verdicts()
    if len(verdicts) != 4:
        return f"{len(verdicts)} of 4 trials are there"
    for key, (verdict, codes) in verdicts.items():
        if verdict not in ("valid", "suspect", "void") or (verdict != "valid" and not codes):
            return f"{key} is {verdict or 'not judged'} {codes}"
    print(f"model: {sorted(verdicts.values())}", flush=True)
    return ""


@contextmanager
def _at_place() -> Iterator[Place]:
    # The sockets' names are bound to 107 characters.
    with tempfile.TemporaryDirectory(prefix="model-", dir="/var/tmp") as folder:
        place = open_place(Path(folder) / "m")
        try:
            yield place
        finally:
            stop(place)
