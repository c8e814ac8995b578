"""Recognise an entry of fio's JSON that sums up several sections of a job file.

With ``group_reporting`` fio prints one entry for all jobs of a reporting group, with the name and the options of one of
them. Nothing in it says how many sections there were, but what they moved together may be more than one can move.
Source: fio's ``stat.c``, ``__show_run_stats``.
"""

from typing import Any

from coldcache.tools.fio.directions import SIDES, is_active
from coldcache.tools.fio.documents import Job, longest_run
from coldcache.tools.fio.options import (
    IDLE_ENGINES,
    PARTIAL,
    count_in_flight,
    expected_sides,
    list_sides,
    operation_on_names,
    take_number,
)

#: Options with which a job moves what its pattern does not name.
_STRAYING = ("verify", "trim_percentage", "read_iolog")

#: The kinds of latency, by preference, and their units in s.
_LATENCIES = {"lat_ns": 1e-9, "lat": 1e-6, "clat_ns": 1e-9, "clat": 1e-6}


def hide_sections(job: Job) -> Job:
    """Return the entry of a whole reporting group, without the options of one of its jobs if it sums up several."""
    if not sums_up_sections(job):
        return job
    # What cannot be read as a pattern or a number is taken for unknown.
    unknown = {"rw": "", "iodepth": "", PARTIAL: ""}
    # Of reads that one job compares with what it wrote, a part is compared.
    verified = {key: value for key, value in (job.options or {}).items() if key == "verify"}
    return job._replace(options=unknown | verified)


def runs_longer(job: Job) -> bool:
    """Return whether the sum of the processes' run times (since 3.8) is that of more than the options ask for."""
    count, ran = count_processes(job), take_number(job.values, "job_runtime")
    return bool(count and ran > (count + 0.5) * 1000 * longest_run(job))


def count_processes(job: Job) -> int | None:
    """Return the processes that the options of an entry ask for; None if they are not stated as a number."""
    words = (job.options or {}).get("numjobs", "1")
    return int(words) if words.isdecimal() and len(words) < 10 else None


def sums_up_sections(job: Job) -> bool:
    """Return whether an entry that stands for its whole reporting group sums up jobs with different options.

    One job with these options cannot have moved what its pattern does not name, nor have had more transfers in flight
    than all of its processes keep. The sum of run times alone proves nothing: it includes a ramp, and a verification.
    """
    options, values, count = job.options, job.values, count_processes(job)
    if options is None or PARTIAL in options or options.get("ioengine") in IDLE_ENGINES or not count:
        return False
    sides = {name: values[name] for name in SIDES if is_active(values.get(name))}
    own = list_sides(options)
    is_idle = "mixed" not in sides and not sides.keys() >= set(expected_sides(options))
    if operation_on_names(options) or not own or is_idle:
        return False
    if "job_runtime" in values and not runs_longer(job):
        return False
    if sides.keys() - {*own, "mixed"} and not any(name in options for name in _STRAYING):
        return True
    depth = count_in_flight(options)
    named = [sides[name] for name in (("mixed",) if "mixed" in sides else own) if name in sides]
    # Run times are cut to whole ms, and a transfer that a ramp began counts as long as it took.
    longest = max((take_number(side, "runtime") for side in named), default=0) / 1000 + 0.001
    longest += max((_latency(side, "max") for side in named), default=0) if "ramp_time" in options else 0
    busy = sum(_latency(side, "mean") * _count_calls(side) for side in named)
    return depth is not None and busy > 1.05 * count * depth * longest


def _latency(side: dict[str, Any], statistic: str) -> float:
    """Return a statistic of the latency of a side, in s; 0 if it was not measured."""
    for kind, unit in _LATENCIES.items():
        latency = side.get(kind)
        if isinstance(latency, dict) and take_number(latency, statistic):
            return take_number(latency, statistic) * unit
    return 0.0


def _count_calls(side: dict[str, Any]) -> float:
    """Return the transfers of a side; before they are printed, by its rate."""
    return take_number(side, "total_ios") or take_number(side, "iops") * take_number(side, "runtime") / 1000
