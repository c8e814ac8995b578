"""What is too short names the size, duration or number of files with which it lasts long enough."""

import pytest
from observed import MIB, observe, record

from coldcache.core.outcome import LogPart
from coldcache.verdicts.remedy import name_longer, name_remedy


@pytest.mark.parametrize(
    ("moved", "seconds", "size"),
    [(1024, 0.5, "4GiB"), (1024, 0.9, "2GiB"), (1024, 0.75, "2GiB"), (1024, 0.74, "4GiB"), (1, 0.9, "2MiB")],
)
def test_the_size_is_the_next_power_of_two_that_lasts_half_as_long_again(moved, seconds, size):
    rows = [record(value=moved * MIB / seconds), record("elapsed", seconds)]
    assert name_remedy(observe(records=rows), "read", seconds, 1) == f"measure with SIZE={size}"


def test_random_transfers_end_by_time_for_as_long_as_they_must_last():
    rows = [record(operation="random-read"), record("elapsed", 0.2, "random-read")]
    trial = observe("random-read", rows)
    assert name_remedy(trial, "random-read", 0.2, 1) == "set seconds of the sweep to 2 s"
    assert name_remedy(trial, "random-read", 0.2, 10) == "set seconds of the sweep to 15 s"


def test_a_command_that_does_not_state_what_it_moved_needs_larger_files():
    rows = [record("rate", 1.0, "write"), record("elapsed", 0.8, "write")]
    trial = observe("write", rows, argv=["dd"], factors={"file_size": 125 * MIB})
    assert name_remedy(trial, "write", 0.8, 1) == "set file_size of the sweep to 256 MiB"
    trial = observe("write", rows, argv=["own", "--for", "1"], factors={})
    assert name_remedy(trial, "write", 0.8, 1) == "set seconds of the sweep to 2 s"


def test_names_need_more_files_and_a_study_that_was_scaled_down_another_limit():
    rows = [record("rate", 1.0, "file-create"), record("count", 37_000, "file-create")]
    found = name_remedy(observe("file-create", rows), "file-create", 0.5, 1)
    assert found == (
        "set 200,000 files in all in the study, and enough limits.layout_seconds in the site to create them"
    )
    found = name_remedy(observe("file-create", rows, scale="scaled down: 1/10 of the size"), "file-create", 0.5, 1)
    assert found == "make limits.trial_seconds of the site 3 times as long"


def test_an_imported_log_was_measured_elsewhere():
    trial = observe()
    trial = trial._replace(outcome=trial.outcome._replace(log=LogPart("a", {}, None)))
    assert name_remedy(trial, "read", 0.0, 1) is None


def test_a_rate_that_has_not_settled_is_measured_three_times_as_long():
    rows = [record(value=1024 * MIB / 0.5), record("elapsed", 0.5)]
    assert name_longer(observe(records=rows), "read") == "measure with SIZE=4GiB"
    assert name_longer(observe(records=rows, argv=["fio", "--time_based"]), "read") == "measure with SECONDS=2"
    rows = [record(operation="random-read"), record("elapsed", 2.1, "random-read")]
    assert name_longer(observe("random-read", rows), "random-read") == "measure with SECONDS=7"
    scaled = observe("random-read", rows, scale="scaled down: 1/10 of the size")
    assert name_longer(scaled, "random-read") == "make limits.trial_seconds of the site 3 times as long"
    assert name_longer(observe(records=[record()], seconds=None), "read") is None
    imported = observe("random-read", rows)
    imported = imported._replace(outcome=imported.outcome._replace(log=LogPart("a", {}, None)))
    assert name_longer(imported, "random-read") is None
