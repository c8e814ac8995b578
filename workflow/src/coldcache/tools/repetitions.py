"""Number the repetitions of several runs of one tool in one log, such as a loop in a shell appends."""

from collections import Counter
from collections.abc import Sequence

from coldcache.core.records import Record, learn_factors


def number_runs(runs: Sequence[Sequence[Record]]) -> list[Record]:
    """Return the records of all runs; an operation that several runs measured counts its repetitions through.

    Parameters
    ----------
    runs : sequence of sequences of Record
        What each run states, in the order of the log.

    Returns
    -------
    list of Record
        In the same order. Where several runs measured one operation with the same factors, each run begins behind the
        repetitions of the earlier ones, and its figures over all of its repetitions have the number of its first.
        Other records are as they were.
    """
    if len(runs) < 2:
        return [record for records in runs for record in records]
    keys = [_name_operations(records) for records in runs]
    times = Counter(key for own in keys for key in set(own))
    done: Counter[tuple[object, ...]] = Counter()
    found: list[Record] = []
    for records, own in zip(runs, keys, strict=True):
        last = dict.fromkeys(own, 0)
        for record, key in zip(records, own, strict=True):
            repetition = record.repetition or 0
            last[key] = max(last[key], repetition)
            found.append(record._replace(repetition=done[key] + repetition) if times[key] > 1 else record)
        done.update({key: highest + 1 for key, highest in last.items()})
    return found


def _name_operations(records: Sequence[Record]) -> list[tuple[object, ...]]:
    """Return the operation of each record with the factors that it states; many records share one mapping of them."""
    alike = {id(record.factors): record.factors for record in records}
    stated = {place: tuple(learn_factors(factors).items()) for place, factors in alike.items()}
    return [(record.operation, *stated[id(record.factors)]) for record in records]
