"""Rules that compare what a log says of its own run with the trial that it belongs to."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from coldcache.core.outcome import Outcome
from coldcache.core.records import name_share
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
    outcome, stamp = trial.outcome, trial.stamp
    if outcome.start is None or outcome.end is None:
        return None
    # A clock that is set back while the tool runs swaps the two.
    first, last = sorted((datetime.fromisoformat(outcome.start), datetime.fromisoformat(outcome.end)))
    for moment in (stamp.begin, stamp.end):
        written = moment and _in_utc(moment, outcome)
        if written and not first - _SLACK <= written <= last + _SLACK:
            return (
                f"the log was written at {written:%Y-%m-%d %H:%M:%S} UTC, the trial began at {first:%Y-%m-%d %H:%M:%S}"
            )
    hosts = _hosts(outcome)
    if stamp.host and hosts and _short(stamp.host) not in hosts:
        return f"the log was written on {stamp.host}, the trial ran on {', '.join(sorted(hosts))}"
    return None


def _stated_levels(trial: Observation) -> Iterator[tuple[str, Any, Any]]:
    """Yield each factor whose level both the plan and the log state, with both levels; each pair once."""
    seen = set()
    for record in trial.records:
        # One client or process of several has its own share of the threads.
        if name_share(record) or "clients" in record.factors:
            continue
        for factor, stated in record.factors.items():
            if factor in trial.outcome.factors and (factor, stated) not in seen:
                seen.add((factor, stated))
                yield factor, trial.outcome.factors[factor], stated


def _in_utc(moment: datetime, outcome: Outcome) -> datetime | None:
    """Return a moment in UTC; None for local time of a trial whose offset from UTC is not known."""
    if moment.tzinfo is not None:
        return moment
    if outcome.utc_offset is None or outcome.start is None:
        return None
    return moment.replace(tzinfo=datetime.fromisoformat(outcome.start).tzinfo) - timedelta(seconds=outcome.utc_offset)


def _hosts(outcome: Outcome) -> set[str]:
    """Return the short names of the hosts on which a trial ran, as far as they are known."""
    named = [(outcome.system or {}).get("host"), *(outcome.launch or {}).get("nodes", {})]
    return {_short(host) for host in named if host}


def _short(host: str) -> str:
    return host.partition(".")[0]
