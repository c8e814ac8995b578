"""The table of a precondition has each part's rate with its place in the log, and whether the end was steady."""

import json

import numpy as np
import pytest

from coldcache.campaign.preconditioned import PreconditionLog, PreconditionStep, write_preconditioned
from coldcache.dataset.precondition import PRECONDITION_COLUMNS, tabulate_precondition
from coldcache.verdicts.thresholds import Thresholds


@pytest.fixture
def campaign(tmp_path, root):
    """Return a function that writes a precondition of some random rounds, whose logs are those of real trials."""
    trials = root / "raw/reference/quick/random/operation=random-write,threads=1"

    def write(count, counters=(("written_bytes", 300),)):
        parts, rates = [], []
        for number in range(count):
            name = f"random-{number:02d}"
            text = (trials / f"r{number}/stdout.txt").read_text()
            (tmp_path / "precondition" / name).mkdir(parents=True)
            (tmp_path / "precondition" / name / "stdout.txt").write_text(text)
            parts.append(PreconditionStep(name, "random-write", ("fio",), "2026-01-01", "2026-01-01", 1.5))
            rates.append(json.loads(text)["jobs"][0]["write"]["bw_bytes"])
        found = PreconditionLog(
            {}, "/mnt/x", 100, 104, "steady", "here", "3.33", dict(counters), tuple(parts)
        )  # fmt: skip
        write_preconditioned(tmp_path / "precondition", found)
        return tmp_path, rates

    return write


def test_a_target_measured_as_found_has_no_rows(tmp_path):
    table = tabulate_precondition(tmp_path, Thresholds())
    assert (len(table), list(table)) == (0, PRECONDITION_COLUMNS)


def test_each_part_has_its_rate_and_all_the_course_of_the_last_five(campaign):
    folder, rates = campaign(6)
    table = tabulate_precondition(folder, Thresholds(steady_slope=0.05))
    assert table.rate.tolist() == rates
    assert table.part.tolist()[-1] == "random-05"
    last = rates[1:]
    (spread,), (slope,) = table.spread.unique(), table.slope.unique()
    assert spread == pytest.approx((max(last) - min(last)) / np.mean(last))
    assert slope == pytest.approx(4 * np.polyfit(range(5), last, 1)[0] / np.mean(last))
    assert table.iloc[0][["fill_bytes", "filled_bytes", "written_bytes", "is_steady"]].tolist() == [100, 104, 300, True]
    assert (table.most_spread[0], table.most_slope[0]) == (0.2, 0.05)
    for row in table.itertuples():
        assert (folder / row.log).read_text()[row.offset : row.offset + row.length] == str(int(row.rate))


@pytest.mark.parametrize("counters", [{}, {"reads": 0, "written_bytes": 0, "flushes": 4}])
def test_what_no_counter_saw_is_unknown(campaign, counters):
    table = tabulate_precondition(campaign(1, counters)[0], Thresholds())
    assert np.isnan(table.written_bytes.tolist()).tolist() == [True]


def test_fewer_than_five_rounds_have_no_course(campaign):
    table = tabulate_precondition(campaign(2)[0], Thresholds())
    assert table.spread.isna().all()
