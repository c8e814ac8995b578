"""A page says how the target was written before the first trial, and whether that became steady."""

import pandas as pd
import pytest

from coldcache.analysis.questions.preconditioning import Preconditioning, open_preconditioning

MIB = 2**20


def _parts(ended_by="steady", rates=(200e6, 110e6, 90e6, 100e6, 100e6, 100e6), spread=0.2, slope=-0.04):
    names = ["sequential-1", *(f"random-{number:02d}" for number in range(1, len(rates)))]
    return pd.DataFrame({
        "part": names, "operation": ["write", *["random-write"] * (len(rates) - 1)], "rate": rates, "seconds": 60.0,
        "log": [f"precondition/{name}/stdout.txt" for name in names], "offset": 100, "length": 9,
        "path": "/mnt/x", "fill_bytes": 64 * MIB, "written_bytes": 70 * MIB, "ended_by": ended_by,
        "is_steady": ended_by == "steady", "spread": spread, "slope": slope, "most_spread": 0.2, "most_slope": 0.1,
    })  # fmt: skip


def test_a_steady_target_is_said_to_be_with_the_figures():
    assert Preconditioning(_parts()).describe() == (
        "Before the first trial 64 MiB of /mnt/x were written once from beginning to end, then at random in 5 rounds, "
        "until they were steady: the last five differ by 20 % of their mean, 100 MB/s, and change by 4 % along a line; "
        "steady are at most 20 % and 10 %."
    )


@pytest.mark.parametrize("ended_by, reached", [("rounds", "5 rounds"), ("time", "time")])
def test_one_that_was_not_is_said_not_to_be(ended_by, reached):
    told = Preconditioning(_parts(ended_by, spread=0.5)).describe()
    assert f"They were not steady when the limit of {reached} was reached: the last five differ by 50 %" in told
    few = Preconditioning(_parts(ended_by, rates=(200e6, 100e6), spread=float("nan"))).describe()
    assert "was reached: only five rounds can show it." in few


@pytest.mark.parametrize("ended_by", ["steady", "rounds"])
def test_what_nothing_counted_is_said_to_be_unknown(ended_by):
    parts = _parts(ended_by)
    told = Preconditioning(parts.assign(written_bytes=float("nan"))).describe()
    assert told == (
        f"{Preconditioning(parts).describe()} How much of it the device or server took is not known, as neither "
        "counted it."
    )


def test_one_that_was_not_filled_is_said_to_be_as_found(invent):
    found = open_preconditioning(invent("dell-lustre", "sequential"))
    assert found.describe() == "The target was measured as it was found: nothing was written to fill it first."
    assert found.parts.empty


def test_each_rate_has_its_place_in_a_log():
    shown = Preconditioning(_parts()).in_words()
    assert len(shown) == 6
    assert shown.iloc[1].tolist() == [
        "random-01", "110 MB/s", "60 s", "precondition/random-01/stdout.txt", "100 to 109"
    ]  # fmt: skip
