"""Scale a study down to a smaller system: estimate durations, and shrink sizes.

The rules: numbers of threads and transfers above the site's limits become those limits. Then all sizes of a sweep
shrink by one factor, so that its largest trial fits the site's bytes and seconds. Where the site states the speed of
one thread, cases with few threads shrink further, so that none works longer than a trial should last. The number of
directories and the files in each shrink alike, so that their ratio stays. No size shrinks below the site's least. A
series of rates keeps the number of its windows.
"""

import math
from collections.abc import Sequence

from coldcache.core.vocabulary import METADATA_OPERATIONS
from coldcache.design.levels import Level
from coldcache.design.site import Limits, Pace, Site, choose_for
from coldcache.design.study import Study, Sweep

Point = dict[str, Level]

_NO_LIMITS = Limits()

#: The shortest window of a series, in s: a shorter one would show single transfers.
_SHORTEST_WINDOW = 0.1

#: How many times longer than expected a trial may take if it moves each byte once.
_PATIENCE = 10


#: The most threads of a study that scales down where its site states none: threads are not cores.
MOST_THREADS = 64


def most_threads(site: Site, unstated: int, is_mpi: bool = False) -> int:
    """Return the most threads of a study that scales down, or ranks if a tool starts them by MPI.

    Parameters
    ----------
    site : Site
        Its `limits` bound them.
    unstated : int
        The most where it states none.
    is_mpi : bool
        Whether ranks are meant.
    """
    most = site.limits.threads or unstated
    return min(most, site.limits.ranks or most) if is_mpi else most


def split_iterations(sweep: Sweep, study: Study, site: Site) -> Sweep:
    """Return a sweep with as many iterations in one execution as a site allows; the others become trials.

    These are as many as the study repeats its cases, or as the sweep does, if those are more.
    """
    most = site.limits.iterations
    if most is None or sweep.iterations <= most:
        return sweep
    repetitions = max(study.repetitions, sweep.repetitions or 0)
    return sweep.model_copy(update={"iterations": most, "repetitions": repetitions})


def with_trial_seconds(site: Site, study: str, sweep: str) -> Site:
    """Return the site with the time that a trial of a sweep should last here."""
    seconds = choose_for(site.limits.trials_last, study, sweep)
    limits = site.limits.model_copy(update={"trial_seconds": seconds} if seconds else {})
    return site.model_copy(update={"limits": limits})


def count_items(point: Point) -> int:
    """Return the files or directories of all threads; 0 for operations on data."""
    return _items_of_thread(point) * int(point["threads"])


def expect_seconds(operations: Sequence[str], point: Point, sweep: Sweep, site: Site, tool: str) -> float:
    """Return how long one execution measures by the site's expected speed, in s."""
    whole = _expect(operations, point, sweep, site.expected, tool, int(point["threads"]))
    return max(whole, _expect_one(operations, point, sweep, site, tool))


def _expect_one(operations: Sequence[str], point: Point, sweep: Sweep, site: Site, tool: str) -> float:
    """Return how long one of its threads would take alone; 0 if the site does not state the speed of one."""
    one = site.expected.one_thread
    return _expect(operations, point, sweep, one, tool, 1) if one else 0.0


def _expect(operations: Sequence[str], point: Point, sweep: Sweep, pace: Pace, tool: str, threads: int) -> float:
    """Return how long so many threads with a common pace measure, in s."""
    traits = sweep.find_tool(tool).TRAITS
    if operations[0] in METADATA_OPERATIONS:
        iterations = sweep.iterations if traits.repeats_itself else 1
        made = max(len(operations), traits.phases if tool in sweep.command else 0)
        return _items_of_thread(point) * threads * made * iterations / pace.items
    if traits.is_time_bound and any(operation.startswith("random") for operation in operations):
        return sweep.seconds
    if "file_size" not in point:
        return sweep.seconds
    size = int(point["file_size"]) * threads
    transfers = size / int(point.get("transfer_size", size))
    return sum(
        transfers / pace.iops if operation.startswith("random") else size / pace.throughput for operation in operations
    )


def _items_of_thread(point: Point) -> int:
    each = point.get("files") or int(point.get("directories_per_thread", 0)) * int(point.get("items_per_directory", 0))
    return int(each)


def find_scale(operations: Sequence[str], grid: list[Point], sweep: Sweep, site: Site, tool: str) -> float:
    """Return the factor, at most 1, by which a site's limits shrink the sizes of a sweep."""
    scale = 1.0
    for point in grid:
        threads = int(point["threads"])
        size = int(point.get("file_size", 0)) * threads
        seconds = _expect(operations, point, sweep, site.expected, tool, threads)
        if sweep.find_tool(tool).TRAITS.is_time_bound and size:
            # Its random transfers end in time, but their files are written first.
            seconds = size / site.expected.throughput
        if size > site.limits.bytes:
            scale = min(scale, site.limits.bytes / size)
        if seconds > site.limits.trial_seconds:
            scale = min(scale, site.limits.trial_seconds / seconds)
    return scale


def find_own_scale(operations: Sequence[str], point: Point, sweep: Sweep, site: Site, tool: str) -> float:
    """Return the factor, at most 1, with which no thread of a case works longer than a trial should last."""
    seconds = _expect_one(operations, point, sweep, site, tool)
    return min(1.0, site.limits.trial_seconds / seconds) if seconds else 1.0


def shrink(point: Point, scale: float, limits: Limits = _NO_LIMITS) -> Point:
    """Return a combination of levels with its sizes shrunk: whole transfers, whole directories, at least one each.

    What the limits have as least is left, unless a study has fewer of it at full scale.
    """
    small = dict(point)
    if "file_size" in point:
        transfer = int(point.get("transfer_size", 1))
        whole = int(point["file_size"]) // transfer
        least = min(whole, limits.least_transfers)
        small["file_size"] = max(1, least, math.floor(int(point["file_size"]) * scale / transfer)) * transfer
    if "files" in point:
        least = min(int(point["files"]), limits.least_items)
        small["files"] = max(least, math.floor(int(point["files"]) * scale))
    if "directories_per_thread" in point:
        each = int(point["directories_per_thread"]) * int(point["items_per_directory"]) * scale
        whole = int(point["directories_per_thread"])
        directories = max(1, min(whole, limits.least_directories), math.floor(whole * math.sqrt(scale)))
        small["directories_per_thread"] = directories
        least = -(-limits.least_items // directories)
        small["items_per_directory"] = min(
            int(point["items_per_directory"]), max(least, math.floor(each / directories))
        )
    return small


def find_duration(sweep: Sweep, site: Site, moves_once: bool) -> tuple[float, float]:
    """Return how long a time-bound tool runs on a site, and the window of its series, both in s.

    With `moves_once` the tool ends by itself once every byte is moved, and gets the time for that.
    """
    if not sweep.series:
        return min(sweep.seconds, site.limits.trial_seconds * (_PATIENCE if moves_once else 1)), 0.0
    if site.limits.series_seconds:
        return min(sweep.seconds, max(site.limits.series_seconds, sweep.series)), sweep.series
    windows = sweep.seconds / sweep.series
    seconds = min(sweep.seconds, max(site.limits.trial_seconds, windows * _SHORTEST_WINDOW))
    return seconds, seconds / windows


def describe_scale(scale: float, threads: int | None) -> str:
    """Return the scale of a sweep in a few words: ``scaled down: at most 4 threads, 1/2,000 of the size``."""
    parts = [f"at most {threads:,} threads"] if threads else []
    divided = float(f"{1 / scale:.3g}")
    if scale < 1:
        parts.append(f"1/{divided:{',.0f' if divided >= 100 else 'g'}} of the size")
    elif parts:
        parts.append("full size")
    return f"scaled down: {', '.join(parts)}" if parts else "full scale"
