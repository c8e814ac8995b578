"""Every figure of `make bench`: its meaning, its unit, its goal, and the floor it is compared with."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SpeedFigure:
    """One row of the table.

    Attributes
    ----------
    name : str
        Under which it is stored.
    what : str
        What is measured.
    unit : str
        Of the figure and of its goal; empty for a ratio.
    least, most : float or None
        The goal.
    floor : str
        What does the same with nothing around it; empty where nothing does.
    why_missed : str
        The known reason for a miss, shown while the goal is missed; may quote ``{value}`` and ``{floor}``.
    """

    name: str
    what: str
    unit: str
    least: float | None
    most: float | None
    floor: str = ""
    why_missed: str = ""

    def is_met(self, value: float) -> bool:
        """Return whether a value keeps the goal."""
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def format_goal(self) -> str:
        """Return the goal as a table shows it."""
        if self.least is not None and self.most is not None:
            return f"{self.least:g} to {self.most:g}"
        return f"≥ {self.least:,.10g}" if self.most is None else f"≤ {self.most:,.10g}"

    def share(self, value: float) -> float:
        """Return how much of the goal a value takes: 1 is the goal itself, more misses it."""
        if self.least is not None and self.most is not None:
            return abs(2 * value - self.least - self.most) / (self.most - self.least)
        if self.most is None:
            return (self.least or 0.0) / value if value else math.inf
        return value / self.most if self.most else math.inf if value else 0.0

    def describe_miss(self, value: float, floor: float | None) -> str | None:
        """Return that a value misses the goal, with the reason where one is known; None where it keeps the goal."""
        if self.is_met(value):
            return None
        why = self.why_missed.format(value=format_speed(value, self.unit), floor=format_speed(floor or 0.0, self.unit))
        return f"missed: {why}" if why else "missed"


def format_speed(value: float, unit: str) -> str:
    """Return a value as a table shows it: three digits, whole where it has more."""
    shown = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{shown} {unit}".rstrip()


_LOOP = "a loop that starts the tool"
_PRODUCT = "a loop over the levels that prints a line per trial"
_SNAKEMAKE = "Snakemake on an empty rule"
_FIND = "find, for the same files"
_PICKLE = "pandas' own pickle of the table"

FIGURES = {
    figure.name: figure
    for figure in (
        SpeedFigure(
            "trial-cpu",
            "processor time per trial, of 2,000 with a tool that ends at once",
            "ms",
            None,
            3,
            "Snakemake on an empty rule, and a loop that reads counters, starts the tool and flushes its outcome",
            "the floor of {floor} is the same evidence, by the fewest lines of Python; beside it the runner starts "
            "once, checks the target, its lease and its space before and after each trial, finds the device below it, "
            "and notes what it found",
        ),
        SpeedFigure("trial-files", "files kept per trial", "", None, 4, "its output and its errors"),
        SpeedFigure("plan-seconds", "plan of 100,000 trials", "s", None, 5, _PRODUCT),
        SpeedFigure("plan-memory", "plan of 100,000 trials: peak memory", "MB", None, 500, _PRODUCT),
        SpeedFigure("plan-growth", "plan of 1,000,000 trials against 100,000 (1 = linear)", "", None, 1.1, _PRODUCT),
        SpeedFigure("dry-run-seconds", "dry run of 100,000 trials", "s", None, 5, _SNAKEMAKE),
        SpeedFigure("dry-run-memory", "dry run of 100,000 trials: peak memory", "MB", None, 500, _SNAKEMAKE),
        SpeedFigure("dry-run-growth", "dry run of 1,000,000 trials against 100,000 (1 = linear)", "", None, 1.1),
        SpeedFigure("resume-seconds", "start that finds 100,000 trials measured", "s", None, 5, _FIND),
        SpeedFigure("resume-memory", "start that finds 100,000 trials measured: peak memory", "MB", None, 500, _FIND),
        SpeedFigure(
            "resume-growth", "restart with 1,000,000 trials against 100,000 (1 = linear)", "", None, 1.1, _FIND
        ),
        SpeedFigure(
            "logs-rate",
            "logs of all tools read, mixed, on two cores",
            "1/s",
            10_000,
            None,
            "a search for numbers",
            "a search for all numbers in them, which makes nothing of any, reads {floor} on both cores; the goal is "
            "0.37 of what such a search read on the machine it was set on, 27,000 1/s",
        ),
        SpeedFigure(
            "logs-share",
            "the same, over the rate of a search for all numbers in them",
            "",
            0.5,
            None,
            why_missed="of the time for a log of fio, a tenth each is the scanner of Python's own json, which is "
            "written in C, printing, and asking which tools wrote it; the rest locates, converts, compares and names "
            "its 67 records",
        ),
        SpeedFigure(
            "series-seconds",
            "10 MB of a series read",
            "s",
            None,
            1,
            why_missed="half prints a line of JSON for each point, a tenth is regular expressions in C that know "
            "points from other lines, a tenth takes the lines apart, and NumPy converts the numbers",
        ),
        SpeedFigure("series-memory", "peak memory of 1,000,000 points of a series", "MB", None, 500),
        SpeedFigure(
            "dataset-build", "dataset of 1,000,000 records: build", "s", None, 10, "pandas' table of their tuples"
        ),
        SpeedFigure(
            "dataset-save",
            "dataset of 1,000,000 records: save",
            "s",
            None,
            2,
            _PICKLE,
            "half of it finds equal texts among the rows of the long table, beside zlib, which compresses their "
            "480 MB, and a fork, which builds the cube; the pickle that takes {floor} is not compressed and for Python "
            "alone",
        ),
        SpeedFigure("dataset-open", "dataset of 1,000,000 records: open", "s", None, 3, _PICKLE),
        SpeedFigure(
            "dataset-memory",
            "dataset of 1,000,000 records: peak memory of all three",
            "MB",
            None,
            800,
            why_missed="nine tenths of it are there once the table is built, beside the trials that it is made of",
        ),
        SpeedFigure("slurm-block", "100 trivial trials over Slurm: time beside them", "s", None, 25, "an empty job"),
        SpeedFigure(
            "slurm-thousand",
            "first of 1,000 Slurm jobs with 100,000 trials",
            "s",
            None,
            5,
            _SNAKEMAKE,
            "of the time beyond {floor} for Snakemake on an empty rule, half is the plan of 100,000 trials; 1,000 "
            "jobs take the rest: a third of it Snakemake evaluates their resources, a quarter it searches for the rule "
            "of each file",
        ),
        SpeedFigure("slurm-thousand-memory", "the same: peak memory", "MB", None, 500, _SNAKEMAKE),
        SpeedFigure(
            "report-all",
            "raw logs of the reference campaign to report",
            "s",
            None,
            60,
            "the notebooks' cells",
            "three quarters of the processor time are the notebooks, of which their cells take half; all cells in one "
            "process take {floor}",
        ),
        SpeedFigure(
            "notebook-cpu",
            "processor time per notebook of these",
            "s",
            None,
            1.5,
            "the notebooks' cells",
            "half of it is the cells, {floor}; the rest forks a kernel, sends it the cells, stores what they show, "
            "and is Snakemake's",
        ),
        SpeedFigure("first-page", "first page of 60 trials, after the last of them", "s", None, 5),
        SpeedFigure("report-nothing", "raw logs to report with nothing to do", "s", None, 5, _SNAKEMAKE),
        SpeedFigure("report-nothing-more", "the same, beyond Snakemake on an empty rule", "s", None, 2),
        SpeedFigure(
            "report-one-log",
            "raw logs to report with one log changed",
            "s",
            None,
            10,
            "its processor time, spread over all cores",
            "with every core busy all the time it would take {floor}, whatever the order of its steps; Snakemake's "
            "start and graph take a seventh, collecting a quarter, the claims and three notebooks a third, rendering a "
            "quarter, most of it in Sphinx, which is one process, and each waits for the one before",
        ),
        SpeedFigure("help-seconds", "--help", "s", None, 0.3, "Python alone"),
        SpeedFigure("parse-seconds", "parse of one log", "s", None, 0.3, "Python alone"),
        SpeedFigure(
            "fidelity",
            "rate through the pipeline over that by hand, 60 pairs",
            "",
            0.98,
            1.02,
            why_missed="while its interval includes 1, the pairs show no difference; they vary by more than the goal",
        ),
        SpeedFigure("disturbance-cpu", "the runner's share of one core while a tool runs", "%", None, 0.5, _LOOP),
        SpeedFigure("disturbance-io", "bytes that the runner reads or writes on disks meanwhile", "B", None, 0, _LOOP),
        SpeedFigure(
            "large-seconds",
            "raw logs of 100,000 trials to report",
            "s",
            None,
            300,
            why_missed="two fifths collect the trials; three fifths of that are two processes that read their logs",
        ),
        SpeedFigure("large-memory", "the same: peak memory of a process", "MB", None, 2000),
        SpeedFigure("large-files", "files of that report", "", None, 20_000),
        SpeedFigure("large-paint", "its first paint in Chromium", "s", None, 1),
        SpeedFigure("test-fast", "make test FAST=1 after a change of one module", "s", None, 90),
        SpeedFigure(
            "test-all",
            "make test with every tool",
            "s",
            None,
            540,
            "the processor time of all cores, spread over them",
            "with every core busy all the time the tests would take {floor}; Python takes most of it, in 2,800 "
            "processes, 105 of them Snakemake's, and fio, Chromium and the daemons of Ceph, Slurm and GlusterFS the "
            "rest",
        ),
    )
}
