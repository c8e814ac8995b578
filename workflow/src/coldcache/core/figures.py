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


def choose_figure(operation: str, records: Iterable[Record]) -> float | None:
    """Return the figure of a trial's operation, in B/s or 1/s; None where its log does not state it.

    Parameters
    ----------
    operation : str
        Its first metric is meant: throughput of data, else a rate.
    records : iterable of Record
        Those of the trial. Figures of a share of it, such as of one process, are left out.
    """
    metric = METRIC_OF_OPERATION.get(operation)
    ranked = [
        (rank, record.value)
        for record in records
        if (record.operation, record.metric) == (operation, metric) and not name_share(record)
        if (rank := rank_figure(record.metric, record.statistic, record.caveats)) is not None
    ]
    return min(ranked, key=lambda one: one[0])[1] if ranked else None
