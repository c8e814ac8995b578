"""The clock of fio's logs, as captured from several versions."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from coldcache.core.stamp import Stamp
from coldcache.tools.fio.stamp import read_stamp

SPECIMENS = Path(__file__).parents[2] / "specimens"


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("fio-2.16-jobs.json", datetime(2026, 11, 21, 8, 42, 40, tzinfo=UTC)),
        ("fio-2.16-client.json", datetime(2026, 11, 21, 8, 42, 43, tzinfo=UTC)),
        ("fio-3.19-jobs.json", datetime(2026, 11, 21, 8, 43, 15, tzinfo=UTC)),
    ],
)
def test_a_log_is_stamped_with_the_second_in_which_it_was_written(name, end):
    assert read_stamp((SPECIMENS / name).read_bytes()) == Stamp(end=end)


def test_a_log_of_an_interval_is_stamped_with_its_last_document():
    log = (SPECIMENS / "fio-2.16-status.json").read_bytes()
    assert log.count(b'"timestamp" : ') > 1
    assert read_stamp(log) == Stamp(end=datetime(2026, 11, 21, 8, 45, 21, tzinfo=UTC))


def test_a_log_of_fio_2_1_states_no_time():
    assert read_stamp((SPECIMENS / "fio-2.1-jobs.json").read_bytes()) == Stamp()
