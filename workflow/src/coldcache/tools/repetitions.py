"""Number the repetitions of several runs of one tool in one log, such as a loop in a shell appends."""

from collections import Counter
from collections.abc import Sequence

from coldcache.core.records import Record, learn_factors

_PLACE = Record._fields.index("repetition")


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
    keys = _number_operations(runs)
    times = Counter(key for own in keys for key in set(own))
    done: Counter[int] = Counter()
    found: list[Record] = []
    for records, own in zip(runs, keys, strict=True):
        last = dict.fromkeys(own, 0)
        for record, key in zip(records, own, strict=True):
            repetition = record.repetition or 0
            last[key] = max(last[key], repetition)
            # A third of the time of _replace.
            found.append(
                Record._make((*record[:_PLACE], done[key] + repetition, *record[_PLACE + 1 :]))
                if times[key] > 1 else record
            )  # fmt: skip
        done.update({key: highest + 1 for key, highest in last.items()})
    return found


def _number_operations(runs: Sequence[Sequence[Record]]) -> list[list[int]]:
    """Return a number for each record of each run, which those of one operation with the same factors share."""
    factors = {id(record.factors): record.factors for records in runs for record in records}
    stated = {place: tuple(learn_factors(own).items()) for place, own in factors.items()}
    # Many records share one mapping of factors, and a number is compared in less time than the factors.
    numbers: dict[tuple[object, ...], int] = {}
    found = {
        (operation, place): numbers.setdefault((operation, *stated[place]), len(numbers))
        for operation, place in {(record.operation, id(record.factors)) for records in runs for record in records}
    }
    return [[found[record.operation, id(record.factors)] for record in records] for records in runs]
