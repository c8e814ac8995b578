"""The clock of IOzone's logs."""

from datetime import datetime
from pathlib import Path

from coldcache.core.stamp import Stamp
from coldcache.tools.iozone.stamp import read_stamp

SPECIMENS = Path(__file__).parents[2] / "specimens"


def test_a_log_states_when_its_run_began():
    log = (SPECIMENS / "iozone-3.489-dell-i0-t4.log").read_bytes()
    assert read_stamp(log) == Stamp(begin=datetime(2026, 11, 20, 10, 21, 26))


def test_a_log_without_its_banner_states_no_time():
    log = (SPECIMENS / "iozone-3.489-dell-i0-t4.log").read_bytes()
    assert read_stamp(log[log.index(b"Children see") :]) == Stamp()
