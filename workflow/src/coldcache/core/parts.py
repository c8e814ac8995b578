"""Trials in a log: one log may state several, of other factors or in several repetitions."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from coldcache.core.records import Record
from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS

#: Keys of a record's factors that say which share of a trial, or which moment of it, the figure is of.
_SHARES = ("process", "rank", "client", "time")

#: Caveats of figures that one of several processes states of itself.
_ONE_RANK = {"rank-0-only", "one-rank-only"}


class Part(NamedTuple):
    """What a log states of one trial.

    Attributes
    ----------
    factors : dict
        Levels of `FACTORS` and `LEARNT_FACTORS` that the log tells, in stored units.
    repetition : int or None
        Which repetition of the log it is, from 0; None where the log tells none apart.
    operations : tuple of str
        In the order of the log.
    records : list of Record
        Statistics over all repetitions of a log stand with its first one.
    """

    factors: dict[str, Any]
    repetition: int | None
    operations: tuple[str, ...]
    records: list[Record]


def learn_factors(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the factors that a record tells, under the names of the study."""
    learnt = {name: told[name] for name in (*FACTORS, *LEARNT_FACTORS) if name in told}
    items, threads = told.get("items"), told.get("threads")
    if items and threads and items % threads == 0:
        learnt["files"] = items // threads
    return learnt


def name_share(record: Record) -> str:
    """Return which share of its trial a figure is of, such as ``rank=3``; empty for a figure of the whole trial."""
    for key in _SHARES:
        if key in record.factors:
            return f"{key}={record.factors[key]}"
    if record.definition.startswith(("one process", "one client")) or not _ONE_RANK.isdisjoint(record.caveats):
        return "one of several"
    return ""


def split_records(records: Iterable[Record]) -> list[Part]:
    """Return the trials that a log states, in its order.

    Parameters
    ----------
    records : iterable of Record
        All records of one log.

    Returns
    -------
    list of Part
        One for each combination of factors and, where the log has figures of single repetitions, for each of those.
    """
    groups: dict[tuple[tuple[str, Any], ...], list[Record]] = {}
    for record in records:
        groups.setdefault(tuple(learn_factors(record.factors).items()), []).append(record)
    return [part for factors, group in groups.items() for part in _split_repetitions(dict(factors), group)]


def _split_repetitions(factors: dict[str, Any], records: list[Record]) -> list[Part]:
    repeated = {record.operation for record in records if record.repetition is not None and not name_share(record)}
    parts: dict[int | None, list[Record]] = {}
    for record in records:
        repetition = (record.repetition or 0) if repeated else None
        parts.setdefault(repetition if record.operation in repeated or not repeated else 0, []).append(record)
    return [
        Part(factors, repetition, tuple(dict.fromkeys(record.operation for record in part)), part)
        for repetition, part in sorted(parts.items(), key=lambda item: item[0] or 0)
    ]
