"""Numbers and definitions shared by the scripts of the rhel_iotest family."""

import re
from typing import Any, NamedTuple

from coldcache.core.errors import LogError
from coldcache.core.records import UNIT_OF_METRIC, Record
from coldcache.tools.lines import name_line

PER_CORE = "size of one file over the mean elapsed time of the processes, one process per physical core"
PER_PROCESS = "size of one file over the mean elapsed time of the processes"
MEAN_TIME = "mean elapsed time of the processes"
OWN_TIME = "one process of several: its own elapsed time"
LAST_FINISHER = "files of all processes over the time of the last to finish"

# Separators of digits in all locales: comma, point, apostrophes, blanks; en_IN groups by two.
_SEPARATOR = rb"(?:[,.' ]|\xe2\x80\x99|\xe2\x80\xaf|\xc2\xa0|\xa0)"
NUMBER = rb"(?:[0-9]{1,3}(?:" + _SEPARATOR + rb"[0-9]{2,3})+|[0-9]{0,15})[.,][0-9]{2}"
COUNT = rb"[0-9]{1,3}(?:" + _SEPARATOR + rb"[0-9]{2,3})+|[0-9]{1,15}"
_SEPARATORS = re.compile(_SEPARATOR)


class ScriptFigure(NamedTuple):
    """A number as a script prints it.

    Attributes
    ----------
    value : float
        In the unit that is printed.
    offset, text : int and bytes
        Its place and its text.
    is_truncated : bool
        Whether the decimals were lost: in a locale with a decimal comma, bash's printf stops at bc's point.
    """

    value: float
    offset: int
    text: bytes
    is_truncated: bool


def read_number(text: bytes, offset: int, log: bytes) -> ScriptFigure:
    """Return a number with two decimals, printed in any locale; `offset` is its place in `log`.

    Raises
    ------
    LogError
        If no locale groups digits in that way.
    """
    whole, mark, decimals = text[:-3], text[-3:-2], text[-2:]
    separators = set(_SEPARATORS.findall(whole))
    groups = _SEPARATORS.split(whole)
    if mark in separators or len(separators) > 1 or (separators and len(groups[-1]) != 3):
        raise LogError(f"{name_line(log, offset)}: {text.decode('utf-8', 'replace')!r} is a number of no locale")
    value = float(b"".join(groups) + b"." + decimals)
    return ScriptFigure(value, offset, text, mark == b"," and decimals == b"00")


def read_count(text: bytes) -> int:
    """Return a whole number, with the separators of any locale."""
    return int(b"".join(_SEPARATORS.split(text)))


class ScriptRun:
    """One run of a script on one host: its arguments, and facts that its records share."""

    def __init__(self, version: str | None, factors: dict[str, Any], is_cached: bool):
        self.version = version
        self.factors = {"file_layout": "file-per-thread", "direct_io": False, **factors}
        self.is_cached = is_cached
        self.repetition: int | None = None

    def record(
        self,
        operation: str,
        metric: str,
        figure: ScriptFigure,
        value: float,
        definition: str,
        unit: str,
        *caveats: str,
        statistic: str = "value",
        **more: Any,
    ) -> Record:
        """Return the record of a figure, with the caveats of its run."""
        if figure.is_truncated:
            caveats = (*caveats, "truncated")
        if operation == "read" and self.is_cached:
            caveats = (*caveats, "potential-caching")
        return Record(
            "rhel_iotest", self.version, operation, metric, statistic, value, UNIT_OF_METRIC[metric], self.repetition,
            definition, figure.offset, len(figure.text), f"{figure.text.decode('utf-8', 'replace')} {unit}".strip(),
            caveats, {**self.factors, **more},
        )  # fmt: skip
