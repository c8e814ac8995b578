"""Rules that compare what a log says of its own run with the trial that it is the log of."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from coldcache.verdicts.observation import Finding, Observation

#: Tools print whole seconds, and the clocks of two nodes differ by less than this.
_SLACK = timedelta(seconds=2)


def wrong_level(trial: Observation) -> Finding:
    """Void: the log states another level of a factor than was planned."""
    for factor, planned, stated in _stated_levels(trial):
        if stated != planned:
            return f"{factor} was planned as {planned}, the log states {stated}"
    return None


def stale_log(trial: Observation) -> Finding:
    """Void: the log was written at another time, or on another host, than the trial."""
    story, stamp = trial.story, trial.stamp
    if story["start"] is None or story["end"] is None:
        return None
    start, end = datetime.fromisoformat(story["start"]), datetime.fromisoformat(story["end"])
    for moment in (stamp.begin, stamp.end):
        seen = moment and _with_zone(moment, story)
        if seen and not start - _SLACK <= seen <= end + _SLACK:
            return f"the log was written at {seen:%Y-%m-%d %H:%M:%S}, the trial ran from {start:%Y-%m-%d %H:%M:%S}"
    hosts = {story["system"].get("host"), *story.get("hosts", ())} - {None}
    if stamp.host and hosts and stamp.host.partition(".")[0] not in {host.partition(".")[0] for host in hosts}:
        return f"the log was written on {stamp.host}, the trial ran on {', '.join(sorted(hosts))}"
    return None


def _stated_levels(trial: Observation) -> Iterator[tuple[str, Any, Any]]:
    """Yield each factor whose level both the plan and the log state, with both levels; each pair once."""
    seen = set()
    for record in trial.records:
        for factor, stated in record.factors.items():
            if factor in trial.story["factors"] and (factor, stated) not in seen:
                seen.add((factor, stated))
                yield factor, trial.story["factors"][factor], stated


def _with_zone(moment: datetime, story: Any) -> datetime | None:
    """Return a moment with its zone; None for local time of a trial whose offset from UTC is not known."""
    if moment.tzinfo is not None:
        return moment
    offset = story.get("utc_offset")
    if offset is None:
        return None
    return moment.replace(tzinfo=datetime.fromisoformat(story["start"]).tzinfo) - timedelta(seconds=offset)
