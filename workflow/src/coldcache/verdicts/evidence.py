"""Decide whether an operation reached the storage: compare bytes over the device with bytes moved by the tool."""

from typing import NamedTuple

from coldcache.core.outcome import Counters
from coldcache.core.units import show_bytes
from coldcache.core.vocabulary import DATA_OPERATIONS, METADATA_OPERATIONS
from coldcache.verdicts.layers import name_cache_below, name_cache_device, name_memory, name_unseen_cache
from coldcache.verdicts.observation import Observation, count_names, crossing, list_operations, moved_range, ramp_share

#: Bytes that a journal or the tool's own files may add.
SLACK = 8 * 2**20

#: What one name makes cross, in B: an inode (ext4's default) if its change or look-up crosses at all; a block of the
#: journal if the change was on storage by itself, as inodes of earlier changes may be written back meanwhile; and at
#: most some blocks: inode, directory, bitmaps and journal.
_INODE, _BLOCK, _MOST_PER_NAME = 256, 4096, 64 * 1024

#: A client sends this many calls per name at most: LOOKUP, ACCESS, OPEN, SETATTR, CLOSE and the like.
_MOST_CALLS = 10


class Evidence(NamedTuple):
    """What crossed the device, or the wire to a server, while an operation ran.

    Attributes
    ----------
    reached : str
        ``storage``, ``memory``, or ``unknown`` where nothing was counted or the counts prove neither.
    why : str
        The reason, with figures.
    moved_bytes : float or None
        The bytes that the tool moved, at most; None for operations on names, and where the log does not say.
    names : float or None
        The files or directories that it handled; None for transfers.
    crossed_bytes : int or None
        What crossed in the operation's direction while the tool ran, in B; None where nothing counts it.
    requests, flushes, discarded_bytes : int or None
        Requests in that direction (for a server: calls), flushes, and discarded bytes meanwhile.
    is_part : bool
        Whether a part of the bytes crossed, and the rest cannot have.
    """

    reached: str
    why: str = ""
    moved_bytes: float | None = None
    names: float | None = None
    crossed_bytes: int | None = None
    requests: int | None = None
    flushes: int | None = None
    discarded_bytes: int | None = None
    is_part: bool = False


class _Work(NamedTuple):
    """The least and most traffic that an operation can cause, and what crossed; in B, or in calls to a server."""

    least: float
    full: float
    most: float
    crossed: int


def direction_of(operation: str) -> str | None:
    """Return the direction of an operation, ``read`` or ``written``; None for a mix of both."""
    if operation.endswith(("read", "-stat")):
        return "read"
    return "written" if operation.endswith(("write", "-create", "-remove", "-rename")) else None


def find_evidence(trial: Observation, operation: str) -> Evidence:
    """Return the evidence that the work of an operation reached the storage.

    Only a count between both bounds is a proof: less than was moved was answered from memory, and of much more than
    was moved the foreign part may hide that.
    """
    outcome = trial.outcome
    found = _read_counts(trial, operation)
    if trial.records and (memory := name_memory(trial)):
        return found._replace(reached="memory", why=memory)
    if outcome.counters is None or found.crossed_bytes is None:
        return found._replace(why=outcome.uncounted or "nothing counts the bytes that cross the device")
    if reset := _find_reset(operation, outcome.counters):
        why = f"the counters were reset meanwhile: {reset} went backwards"
        return found._replace(crossed_bytes=None, requests=None, flushes=None, discarded_bytes=None, why=why)
    nodes = outcome.factors.get("nodes", 1)
    if nodes > 1 and outcome.counters.of != "model" and not outcome.guest:
        # One node's part of what all of them moved says nothing about the others'; a model counts for all its clients.
        return found._replace(crossed_bytes=None, requests=None, why=f"the bytes were counted on one of {nodes} nodes")
    own = _find_work(trial, operation, outcome.counters)
    if own is None:
        return found._replace(why=_why_no_work(trial, operation))
    reached, is_part = _compare(trial, operation, own)
    why = _show(trial, found)
    if reached == "storage" and (hidden := _find_hidden(trial, operation, found)):
        return found._replace(why=f"{why}, but {hidden}")
    if reached == "storage" and direction_of(operation) == "read":
        why += name_unseen_cache(trial) or ""
    if direction_of(operation) == "read" and found.names is not None and outcome.cold and outcome.cold.names:
        why += f"; dentries and inodes were {outcome.cold.names} before"
    if reached == "unknown" and own.crossed > own.full and not is_part:
        why += ", more than the tool moved, which proves nothing"
    return found._replace(reached=reached, why=why, is_part=is_part)


def _read_counts(trial: Observation, operation: str) -> Evidence:
    """Return the evidence without a verdict: what the tool moved, and what was counted."""
    found, direction, counters = Evidence("unknown"), direction_of(operation), trial.outcome.counters
    if operation in METADATA_OPERATIONS:
        found = found._replace(names=count_names(trial, operation))
    elif moved := moved_range(trial, operation):
        found = found._replace(moved_bytes=moved.most)
    if counters is None or not direction:
        return found
    requests = counters.difference("reads" if direction == "read" else "writes")
    return found._replace(
        crossed_bytes=counters.difference(f"{direction}_bytes"),
        requests=requests if counters.of == "device" else _count_calls(counters),
        flushes=counters.difference("flushes"), discarded_bytes=counters.difference("discarded_bytes"),
    )  # fmt: skip


def _find_reset(operation: str, counters: Counters) -> str | None:
    """Return which count fell while the tool ran, as after a reset or on a device that was plugged in again."""
    # A metadata server of a model may be replaced while data is moved.
    calls = [name for name in counters.after if operation in METADATA_OPERATIONS and name.endswith(".requests")]
    names = ("read_bytes", "written_bytes", "calls", *calls)
    return next((name for name in names if (counters.difference(name) or 0) < 0), None)


def _find_work(trial: Observation, operation: str, counters: Counters) -> _Work | None:
    """Return what an operation must make cross; None where the log or the counters do not say."""
    crossed = counters.difference(f"{direction_of(operation)}_bytes")
    if operation in DATA_OPERATIONS or operation not in METADATA_OPERATIONS:
        moved = moved_range(trial, operation)
        allowed = 1 + trial.thresholds.foreign_share + ramp_share(trial, operation)
        return _Work(moved.least, moved.most, moved.most * allowed, crossed) if moved and crossed is not None else None
    names = count_names(trial, operation)
    if not names or crossed is None:
        return None
    if counters.of == "device":
        full = _INODE if direction_of(operation) == "read" else _BLOCK
        # Bodies may stay in memory unless they are synced.
        full += trial.outcome.factors.get("file_body", 0) if operation == "file-create" else 0
        return _Work(names * _INODE, names * full, names * (_MOST_PER_NAME + full), crossed)
    calls = _count_calls(counters)
    return None if calls is None else _Work(names, names, names * _MOST_CALLS, calls)


def _count_calls(counters: Counters) -> int | None:
    """Return the calls to a server, or the requests to all metadata servers of a model; None if nothing counts them."""
    if counters.of != "model":
        return counters.difference("calls")
    asked = [counters.difference(name) for name in counters.after if name.endswith(".requests")]
    return sum(filter(None, asked)) if asked else None


def _why_no_work(trial: Observation, operation: str) -> str:
    if operation not in METADATA_OPERATIONS:
        return f"the log does not state how many bytes were {'written' if 'write' in operation else 'read'}"
    if count_names(trial, operation):
        return "the calls to the server were not counted"
    return "the log does not state how many names were handled"


def _compare(trial: Observation, operation: str, own: _Work) -> tuple[str, bool]:
    """Return whether the work crossed, and whether just a part of it can have."""
    share, counters = trial.thresholds.cold_share, trial.outcome.counters
    direction = direction_of(operation)
    rivals = [name for name in list_operations(trial) if name != operation and direction_of(name) == direction]
    others = [work for name in rivals if counters and (work := _find_work(trial, name, counters))]
    elsewhere = sum(work.most for work in others)
    if own.crossed <= (1 - share) * own.least:
        return "memory", False
    if own.crossed > own.most + elsewhere + SLACK or len(others) < len(rivals):
        return "unknown", False
    if own.crossed - elsewhere >= share * own.full:
        return "storage", False
    return "unknown", own.crossed < share * own.least


def _find_hidden(trial: Observation, operation: str, found: Evidence) -> str | None:
    """Return why the bytes that crossed may not be the tool's, or may not have come from a disk; None if they are."""
    state, factors = trial.outcome.cold, trial.outcome.factors
    # A flush, too, ends in its faster device.
    if front := name_cache_device(trial):
        return front
    is_read = direction_of(operation) == "read"
    # Direct I/O bypasses the page cache.
    if is_read and state and state.bytes and state.resident_bytes and not factors.get("direct_io"):
        held = f"{show_bytes(state.resident_bytes)} of {show_bytes(state.bytes)} were in memory before"
        if state.resident_bytes / state.bytes > 1 - trial.thresholds.cold_share:
            return held
    if is_read and state and state.bytes and state.below_bytes is not None:
        # The page cache held no more than this of the file behind the loop device.
        return name_cache_below(trial) if state.below_bytes / state.bytes > 1 - trial.thresholds.cold_share else None
    # A flush reaches the disk below.
    return None if not is_read and found.flushes else name_cache_below(trial)


def _show(trial: Observation, found: Evidence) -> str:
    """Return what crossed, as a clause."""
    if found.names is None:
        crossed, moved = show_bytes(found.crossed_bytes or 0), show_bytes(found.moved_bytes or 0)
        # Reading ahead, or what a file system adds, makes it more than was moved.
        is_more = (found.crossed_bytes or 0) > (found.moved_bytes or 0) and crossed != moved
        return f"{crossed} {'for' if is_more else 'of'} {moved} crossed the {crossing(trial)}"
    if trial.outcome.counters and trial.outcome.counters.of != "device":
        return f"{found.requests:,} calls for {found.names:,.0f} names reached the server"
    return f"{show_bytes(found.crossed_bytes or 0)} for {found.names:,.0f} names crossed the device"
