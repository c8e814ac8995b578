"""An outage that a setting asks for: a target's server is killed while a tool runs, and started again."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from coldcache.core.errors import SettingError
from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.faults import lose_target, return_target
from coldcache.measure.model.place import Place

#: The target that fails, and how long after the start of the tool, in s.
TARGET, AFTER = 1, 3.0

#: The model's file that says which outage is due, and how long the last one was.
_FILE = "outage.json"


def arm(place: Place, seconds: float | None) -> None:
    """Let the next tool meet an outage of so many seconds; None: none."""
    file = place.folder / _FILE
    if seconds is None:
        file.unlink(missing_ok=True)
    else:
        file.write_text(json.dumps({"seconds": seconds}))


def read_outage(place: Place) -> float | None:
    """Return the outage that is due, in s, or the last one if it was shorter; None if there is none."""
    try:
        found = json.loads((place.folder / _FILE).read_text())
    except FileNotFoundError:
        return None
    return float(min(found["seconds"], found.get("lasted", found["seconds"])))


@contextmanager
def staged(place: Place | None, kept: Path) -> Iterator[None]:
    """Stage the outage that is due while the context lasts, and wait until the target is back.

    Parameters
    ----------
    place : Place or None
        The model's; without one nothing is staged.
    kept : Path
        The trial's folder, which gets ``outage.json``: the target, when its server was killed and when it answered
        again (ISO 8601, UTC), and how long that took, in s.

    Raises
    ------
    SettingError
        If the target could not be killed, or does not come back.
    """
    seconds = read_outage(place) if place else None
    if place is None or seconds is None:
        yield
        return
    ended = threading.Event()
    failed: list[ModelError] = []

    def stage() -> None:
        if ended.wait(AFTER):
            return
        try:
            _stage(place, seconds, kept)
        except ModelError as error:
            failed.append(error)

    thread = threading.Thread(target=stage)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    if failed:
        raise SettingError(f"outage of target {TARGET}: {failed[0]}") from failed[0]


def _stage(place: Place, seconds: float, kept: Path) -> None:
    lost, start = datetime.now(UTC), time.monotonic()
    lose_target(place, TARGET)
    time.sleep(max(0.0, start + seconds - time.monotonic()))
    return_target(place, TARGET)
    lasted = time.monotonic() - start
    story = {"target": TARGET, "lost": lost.isoformat(), "back": datetime.now(UTC).isoformat(), "lasted": lasted}
    (kept / _FILE).write_text(json.dumps(story))
    (place.folder / _FILE).write_text(json.dumps({"seconds": seconds, "lasted": lasted}))
