"""A table says what crossed the device beside what was moved, case by case."""

from dataclasses import replace

import pandas as pd
import pytest

from coldcache.analysis.question import Question
from coldcache.analysis.questions import crossings
from coldcache.analysis.questions.crossings import tabulate_crossings

CASES = ["operation=write,threads=1", "operation=write,threads=2", "operation=write,threads=4"]


@pytest.fixture
def tables(monkeypatch):
    """Let a dataset have three trials of each case: the second half crosses, the last case is not counted at all."""
    keys = [("w", case, number) for case in CASES for number in range(3)]
    evidence = pd.DataFrame(keys, columns=["sweep", "case", "repetition"]).assign(
        operation="write", moved_bytes=100e6, crossed_bytes=[0, 0, 0, 50e6, 60e6, 1e9, None, None, None],
        requests=10.0, flushes=[1, 1, 1, 2, 2, 2, None, None, None], reached=["memory"] * 3 + ["storage"] * 3
        + ["unknown"] * 3,
    )  # fmt: skip
    verdicts = evidence[["sweep", "case", "repetition"]].assign(verdict=["valid"] * 5 + ["void"] + ["suspect"] * 3)
    known = {"evidence": evidence, "verdicts": verdicts}
    monkeypatch.setattr(crossings, "open_table", lambda path, name, study: known[name])
    return known


def test_each_case_has_the_medians_of_its_trials_that_count(sweep, tables):
    found = tabulate_crossings("x.nc", sweep, "What crossed")
    assert found.caption == "What crossed"
    assert found.numbers.columns.tolist() == [
        "operation", "threads", "moved (B)", "crossed (B)", "requests (1)", "flushes (1)", "reached",
    ]  # fmt: skip
    assert found.numbers["crossed (B)"].tolist()[:2] == [0, 55e6]
    shown = found.shown.values.tolist()
    assert shown[0] == ["write", "1", "95.4 MiB", "0 B", "0 %", "1", "memory"]
    assert shown[1] == ["write", "2", "95.4 MiB", "52.5 MiB", "55 %", "2", "storage"]
    assert shown[2][2:] == ["95.4 MiB", "–", "–", "–", "unknown"]


def test_where_nothing_is_counted_there_is_no_table(sweep, tables):
    tables["evidence"]["crossed_bytes"] = float("nan")
    assert tabulate_crossings("x.nc", sweep, "What crossed") is None
    assert tabulate_crossings("x.nc", replace(sweep, question=Question("s", "other", "t")), "c") is None
