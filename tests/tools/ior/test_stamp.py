"""The clock and host of IOR's logs, as captured from several versions."""

from datetime import datetime
from pathlib import Path

import pytest

from coldcache.core.stamp import Stamp
from coldcache.tools.ior.stamp import read_stamp

SPECIMENS = Path(__file__).parents[2] / "specimens"


@pytest.mark.parametrize(
    ("name", "begin", "end"),
    [
        ("ior-3.3.0-rep3.txt", datetime(2026, 11, 20, 10, 25, 31), datetime(2026, 11, 20, 10, 25, 32)),
        ("ior-4.0.0-rep3.txt", datetime(2026, 11, 20, 10, 25, 40), datetime(2026, 11, 20, 10, 25, 40)),
        ("ior-3.3.0.json", datetime(2026, 11, 20, 10, 26, 33), datetime(2026, 11, 20, 10, 26, 33)),
        ("ior-4.0.0.json", datetime(2026, 11, 20, 10, 26, 40), datetime(2026, 11, 20, 10, 26, 40)),
    ],
)
def test_text_and_json_state_begin_end_and_machine(name, begin, end):
    assert read_stamp((SPECIMENS / name).read_bytes()) == Stamp(begin, end, "vm")


def test_csv_states_neither():
    assert read_stamp((SPECIMENS / "ior-4.0.0.csv").read_bytes()) == Stamp()
