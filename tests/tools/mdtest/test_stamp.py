"""The clock of mdtest's logs, as captured from several versions."""

from datetime import datetime
from pathlib import Path

import pytest

from coldcache.tools.mdtest.stamp import read_stamp

SPECIMENS = Path(__file__).parents[2] / "specimens"


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("mdtest-193-pixstor.txt", datetime(2026, 11, 20, 10, 23, 1)),
        ("mdtest-330-fsx.txt", datetime(2026, 11, 20, 10, 23, 7)),
        ("mdtest-400-fsx.txt", datetime(2026, 11, 20, 10, 23, 13)),
    ],
)
def test_every_version_states_when_it_finished(name, end):
    stamp = read_stamp((SPECIMENS / name).read_bytes())
    assert stamp.end == end
    assert stamp.begin is not None and stamp.begin <= end
