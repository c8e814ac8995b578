"""What a study states of its own command: units, the log, and the files of its threads."""

import pytest

from coldcache.tools.command.form import OUTPUT, CommandForm, FigurePattern


def pattern(metric, unit="printed"):
    return FigurePattern(name="p", operations=("write",), metric=metric, unit=unit, regex="x")


def form(**stated):
    return CommandForm(words=("dd", "of={file}"), patterns=(pattern("elapsed"),), **stated)


@pytest.mark.parametrize(
    ("metric", "unit", "value"),
    [
        ("throughput", "MiB/s", 2**20),
        ("throughput", "Mbit/s", 125_000),
        ("elapsed", "ms", 1e-3),
        ("rate", "kIOPS", 1e3),
    ],
)
def test_units_are_those_of_the_metric(metric, unit, value):
    assert pattern(metric).units[unit] == pytest.approx(value)


def test_a_unit_of_another_metric_is_unknown():
    assert "MiB/s" not in pattern("elapsed").units


def test_the_log_has_the_name_under_which_the_trial_keeps_it():
    assert form().program == "dd"
    assert [form(log=log).log_name for log in (OUTPUT, "stdout", "stderr", "out.json")] == [
        "stdout.txt", "stdout.txt", "stderr.txt", "out.json",
    ]  # fmt: skip


def test_each_thread_has_a_file_unless_the_name_is_the_same_for_all():
    assert form().name_inputs(3) == ("t0", "t1", "t2")
    assert form(inputs="shared").name_inputs(3) == ("shared",)
