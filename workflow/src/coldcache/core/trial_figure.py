"""Which of the figures that a log states is the figure of its trial."""

from collections.abc import Collection, Iterable

from coldcache.core.records import Record, name_share
from coldcache.core.vocabulary import METRIC_OF_OPERATION

#: Metrics of which the longest counts: it contains the others.
LONGEST_COUNTS = ("elapsed", "latency")

_STATISTICS = ("value", "mean")


def rank_figure(metric: str, statistic: str, caveats: Collection[str]) -> int | None:
    """Return the rank of a figure among those of one trial, operation and metric: the lowest is the trial's.

    The figure that the log states for the whole trial comes first, then the mean over what it repeated; of latencies
    the mean comes first. Figures up to a stonewall come last.

    Parameters
    ----------
    metric, statistic : str
        Of the record.
    caveats : collection of str
        Of the record, as words or as one text.

    Returns
    -------
    int or None
        None for a statistic that is never the figure of a trial, such as a maximum.
    """
    if statistic not in _STATISTICS:
        return None
    order = _STATISTICS.index(statistic)
    if metric == "latency":
        order = 1 - order
    return 2 * order + ("stonewalled" in caveats)


def is_headline(metric: str, definition: str) -> bool:
    """Return whether a figure counts all bytes, or calls, from the first start to the last end (IOzone: the parent's).

    It comes before the sum of the processes' own rates over unequal intervals.
    """
    return metric == "throughput_parent" or definition.startswith("parent")


def choose_record(operation: str, records: Iterable[Record], metric: str | None = None) -> Record | None:
    """Return the record that states the figure of a trial's operation; None where its log does not state it.

    Parameters
    ----------
    operation : str
        The operation.
    records : iterable of Record
        Those of the trial. Figures of a share of it, such as of one process, are left out.
    metric : str, optional
        ``throughput`` or ``rate``; by default the one by which the operation is judged.
    """
    wanted = metric or METRIC_OF_OPERATION.get(operation)
    named = (wanted, "throughput_parent") if wanted == "throughput" else (wanted,)
    ranked = [
        (rank, not is_headline(record.metric, record.definition), record)
        for record in records
        if record.operation == operation and record.metric in named and not name_share(record)
        if (rank := rank_figure(record.metric, record.statistic, record.caveats)) is not None
    ]
    return min(ranked, key=lambda one: one[:2])[2] if ranked else None


def choose_figure(operation: str, records: Iterable[Record]) -> float | None:
    """Return the figure of a trial's operation, in B/s or 1/s; None where its log does not state it.

    Parameters
    ----------
    operation : str
        Its first metric is meant: throughput of data, else a rate.
    records : iterable of Record
        Those of the trial.
    """
    found = choose_record(operation, records)
    return found.value if found else None
