"""Make records from the rows of mdtest: the statistic of each column and the meaning of each figure."""

from math import isfinite
from typing import Any, NamedTuple

from coldcache.core.errors import LogError
from coldcache.core.records import RANK_0_ONLY, UNIT_OF_METRIC, Record
from coldcache.tools.mdtest.rows import Row
from coldcache.tools.mdtest.semantics import (
    DEFINITIONS,
    IOR_3_2,
    ONE_RANK_DEFINITION,
    STONEWALLED_DEFINITION,
    TREE_DEFINITION,
    VERBOSE_DEFINITIONS,
    Form,
    Settings,
    factors,
    file_defects,
    has_leaf_count_defect,
)

_STATISTICS = ("max", "min", "mean", "stddev")
#: Statistics of the columns, and whether each describes the figures of single ranks.
_COLUMNS = {
    "plain": tuple((statistic, False) for statistic in _STATISTICS),
    "ranks": (("max", True), ("min", True), ("mean", True), *((statistic, False) for statistic in _STATISTICS)),
    "ranks with deviation": (
        *((statistic, True) for statistic in _STATISTICS), ("max", False), ("min", False), ("mean", False),
    ),
}  # fmt: skip
_VERBOSE_COLUMNS = (("elapsed", " sec"), ("rate", " ops/sec"))
_Column = tuple[int, str, str, tuple[str, ...]]
#: Seconds per tree above which its rate, with three decimals, is printed as 0.000.
SLOW_TREE = 2000.0
#: Operations that not every process does.
_OF_ONE_RANK = {"stonewall", "tree-create", "tree-remove"}


class MdtestTest(NamedTuple):
    """One test of a run: its bytes, its ranks, its items over all ranks, and the headings of its tables."""

    start: int
    end: int
    tasks: int | None
    items: int | None
    headings: list[Any]


class SummaryTable(NamedTuple):
    """One table SUMMARY: metric, iterations, rows, form, and columns (a key of `_COLUMNS`)."""

    metric: str
    iterations: int
    rows: list[Row]
    form: Form
    columns: str


class MdtestFacts:
    """Facts that all records of one test share.

    Parameters
    ----------
    log : bytes
        The whole log.
    settings : Settings
        Banner and command line of the run.
    test : MdtestTest
        The test.
    ran : set of str
        Operations whose phase ran; the rows of the others only hold zeros.
    slow : set of str
        Those of them that took longer than `SLOW_TREE` per item: three decimals cannot show their rate.
    """

    def __init__(self, log: bytes, settings: Settings, test: MdtestTest, ran: set[str], slow: set[str]) -> None:
        self.log, self.settings, self.test, self.ran, self.slow = log, settings, test, ran, slow
        self.tasks = settings.tasks if test.tasks is None else test.tasks
        self.factors = factors(settings, test.tasks, test.items)
        self.counted: tuple[str, ...] = ()
        if has_leaf_count_defect(settings, test.tasks, test.items):
            self.counted = ("mdtest-1.9.3-leaf-count",)
        self.create, self.read = file_defects(settings)

    def caveats(self, operation: str, metric: str) -> tuple[str, ...]:
        """Return the caveats of an operation that follow from command line and version."""
        if operation[:4] == "tree":
            return ()
        found = self.counted if metric == "rate" else ()
        if operation == "file-create":
            return found + self.create
        return found + self.read if operation == "file-read" else found

    def record(
        self,
        row: Row,
        place: int,
        metric: str,
        statistic: str,
        definition: str,
        caveats: tuple[str, ...],
        unit: str = "",
        repetition: int | None = None,
    ) -> Record:
        """Return the record of the number at `place` of a row."""
        offset, stop = row.spans[place]
        operation = row.operation
        if operation == "stonewall":
            operation = "file-create"
        value, text = row.values[place], self.log[offset:stop].decode()
        if metric == "elapsed" and value < 0.1 and statistic != "stddev" and "e" not in text:
            caveats = (*caveats, "rounded")
        return Record._make((
            "mdtest", self.settings.version, operation, metric, statistic, value, UNIT_OF_METRIC[metric],
            repetition, definition, offset, stop - offset, text + unit, caveats, self.factors[operation[0] != "f"],
        ))  # fmt: skip


def table_records(context: MdtestFacts, table: SummaryTable) -> list[Record]:
    """Return the records of one table.

    Raises
    ------
    LogError
        If the statistics of a row contradict one another, or a phase that ran has a rate of zero.
    """
    records: list[Record] = []
    columns, columns_of_tree = _describe(context, table)
    for row in table.rows:
        if row.operation == "stonewall":
            records.append(_stonewall_record(context, table, row))
            continue
        if row.operation not in context.ran:
            continue
        values = row.values[-4:] if table.columns == "ranks" else row.values
        if not values[1] <= values[2] <= values[0]:
            raise LogError(f"the row {row.operation} of the SUMMARY has a mean outside of its extremes: it is broken")
        if table.metric == "rate" and row.operation in context.slow and not any(values[:3]):
            continue
        if table.metric == "rate" and 0.0 in (row.values[0], row.values[1], *values[:3]):
            raise LogError(
                f"the row {row.operation} of the SUMMARY has a rate of zero: a rank or iteration did nothing"
            )
        common = context.caveats(row.operation, table.metric)
        for place, statistic, definition, more in columns_of_tree if row.operation[0] == "t" else columns:
            records.append(context.record(row, place, table.metric, statistic, definition, common + more))
    return records


def _describe(context: MdtestFacts, table: SummaryTable) -> tuple[list[_Column], list[_Column]]:
    """Return the meaning of each column in the rows of files and directories, and in those of the tree.

    The first tables with columns ``per Rank`` divide all items by each rank's time. One rank creates the tree, so one
    half of the columns repeats the other.
    """
    by_deviation, slowest = table.columns == "ranks with deviation", table.form is Form.SLOWEST
    of_ranks = DEFINITIONS[Form.POOLED, table.metric] if by_deviation else ONE_RANK_DEFINITION
    of_iterations = DEFINITIONS[Form.SLOWEST if by_deviation else table.form, table.metric]
    mixed = context.settings.version == IOR_3_2 and table.iterations > 1 and table.form is Form.FASTEST
    shared = ("mdtest-3.2-iterations-mixed",) if mixed and (context.tasks or 2) > 1 else ()
    columns: list[_Column] = []
    columns_of_tree: list[_Column] = []
    for place, (statistic, ranks) in enumerate(_COLUMNS[table.columns]):
        deviation = ("sample-stddev",) if statistic == "stddev" and slowest and table.iterations > 1 else ()
        definition = of_ranks if ranks else of_iterations
        alone = ("one-rank-only",) if definition == ONE_RANK_DEFINITION else ()
        columns.append((place, statistic, definition, shared + deviation + alone))
        if ranks == by_deviation or table.columns == "plain":
            columns_of_tree.append((place, statistic, TREE_DEFINITION, deviation))
    return columns, columns_of_tree


def _stonewall_record(context: MdtestFacts, table: SummaryTable, row: Row) -> Record:
    caveats: tuple[str, ...] = ("stonewalled", *context.caveats("file-create", table.metric))
    if table.metric == "elapsed" and table.iterations > 1:
        caveats = (*caveats, "sum-over-iterations")
    return context.record(row, 0, table.metric, "mean", STONEWALLED_DEFINITION, caveats)


def verbose_records(context: MdtestFacts, table: SummaryTable, found: list[tuple[Row, int, bool]]) -> list[Record]:
    """Return the records of the rows that ``-v`` prints after each iteration.

    Parameters
    ----------
    context : MdtestFacts
        The test.
    table : SummaryTable
        Its first table.
    found : list of (Row, int, bool)
        Of `read_verbose`.

    Raises
    ------
    LogError
        If iterations are missing, a rate is zero, or the rows are not those of the table.
    """
    if not found and not (context.settings.verbose and context.tasks is not None):
        return []
    counts: dict[str, list[int]] = {}
    records: list[Record] = []
    own = (RANK_0_ONLY,) if table.form is Form.SLOWEST else ()
    definition = VERBOSE_DEFINITIONS[table.form]
    for row, iteration, stonewalled in found:
        if row.operation not in context.ran:
            continue
        if stonewalled:
            # The second number is a count of items, printed as if it were a double: only the seconds are valid.
            sure = context.record(
                row, 0, "elapsed", "value", STONEWALLED_DEFINITION, ("stonewalled",), " sec", iteration
            )
            records.append(sure)
            continue
        counts.setdefault(row.operation, []).append(iteration)
        if row.values[1] == 0.0:
            raise LogError(
                f"{row.operation} ran, and its row of iteration {iteration} has a rate of zero: it is broken"
            )
        tree = row.operation[0] == "t"
        meaning = TREE_DEFINITION if tree else definition
        for place, (metric, unit) in enumerate(_VERBOSE_COLUMNS):
            caveats = () if tree else context.caveats(row.operation, metric) + own
            records.append(context.record(row, place, metric, "value", meaning, caveats, unit, iteration))
    wanted = list(range(table.iterations))
    for operation in sorted(context.ran - {"stonewall"}):
        if counts.get(operation) != wanted:
            raise LogError(f"{operation} has rows for the iterations {counts.get(operation, [])}, not for {wanted}")
    _compare(context, table, records)
    return records


def _compare(context: MdtestFacts, table: SummaryTable, records: list[Record]) -> None:
    """Refuse rows of ``-v`` that contradict the table, such as the shifted ones of a development version of 3.4.

    The table's extremes come from the same numbers: from rank 0 for the tree, else from all ranks.
    """
    if table.metric != "rate":
        return
    for row in table.rows:
        rates = [record.value for record in records if record.operation == row.operation and record.metric == "rate"]
        if not rates or row.operation == "stonewall":
            continue
        tree = row.operation[:4] == "tree"
        high, low = row.values[0], row.values[1]
        if tree and table.columns != "ranks with deviation":
            high, low = row.values[-4], row.values[-3]
        if tree:
            sound = (max(rates), min(rates)) == (high, low)
        elif table.form is Form.SLOWEST:
            tasks = context.tasks or 1
            sound = (min(rates) + 0.001) * tasks + 0.001 >= row.values[-3]
        else:
            sound = max(rates) <= high and (table.form is Form.FASTEST or min(rates) >= low)
        if not sound:
            raise LogError(f"{row.operation} has other rates in the rows of -v than the SUMMARY allows: it is mixed up")


def process_records(context: MdtestFacts, table: SummaryTable, found: list[tuple[Row, int]]) -> list[Record]:
    """Return the records of ``Per process result``, one number for each rank.

    Parameters
    ----------
    context : MdtestFacts
        The test.
    table : SummaryTable
        The table below them.
    found : list of (Row, int)
        Of `read_processes`.

    Raises
    ------
    LogError
        If ranks or iterations are missing, or a figure is infinite.
    """
    if not found and (context.settings.old or "--print-all-procs" not in context.settings.options):
        return []
    records: list[Record] = []
    counts: dict[str, int] = {}
    for row, iteration in found:
        if len(row.values) != context.tasks or iteration != counts.get(row.operation, 0):
            raise LogError(f"{row.operation} has not one result for each process and iteration: the log is cut short")
        counts[row.operation] = iteration + 1
        if row.operation not in context.ran:
            continue
        if not all(map(isfinite, row.values)):
            raise LogError(f"a process did {row.operation} in less time than its clock resolves: measure more items")
        caveats = (*context.caveats(row.operation, table.metric), "one-rank-only")
        for rank in range(len(row.values)):
            record = context.record(row, rank, table.metric, "value", ONE_RANK_DEFINITION, caveats)
            records.append(record._replace(repetition=iteration, factors={**record.factors, "rank": rank}))
    if any(counts.get(operation) != table.iterations for operation in context.ran - _OF_ONE_RANK):
        raise LogError("the result of each process lacks an operation or an iteration: the log is cut short")
    return records
