"""Another total size, duration or number of repetitions reaches each sweep that it concerns, and no sentinel."""

import pytest

from coldcache.core.errors import DesignError
from coldcache.core.units import parse_bytes
from coldcache.design.overrides import lengthen, repeat, resize
from coldcache.design.site import read_site
from coldcache.design.study import RepeatUntil, read_study


@pytest.fixture
def quick(root):
    return read_study(root / "config/studies", "quick"), read_site(root / "config/sites", "local")


def test_each_total_of_file_sizes_is_replaced_and_nothing_else(quick):
    study, site = quick
    (resized,), roomy = resize([study], site, "8GiB")
    assert resized.sweeps["sequential"].factors["file_size"].aggregate == "8 GiB"
    assert resized.sweeps["random"].factors["file_size"].aggregate == "8 GiB"
    assert resized.sweeps["metadata"] == study.sweeps["metadata"]
    assert resized.sweeps["probe"] == study.sweeps["probe"]
    assert roomy.limits.bytes == 16 * 2**30
    assert roomy.limits.seconds == site.limits.seconds


@pytest.mark.parametrize("size", ["1500 MiB", "1280 MiB", "10 GB", "1000001 B"])
def test_a_total_is_exactly_what_was_asked_for(quick, size):
    study, site = quick
    (resized,), _ = resize([study], site, size)
    assert parse_bytes(resized.sweeps["sequential"].factors["file_size"].aggregate) == parse_bytes(size)


def test_the_total_that_a_study_has_already_is_taken(quick):
    study, site = quick
    own = study.sweeps["sequential"].factors["file_size"].aggregate
    alone = study.model_copy(update={"sweeps": {"sequential": study.sweeps["sequential"]}})
    assert resize([alone], site, own)[0] == (alone,)


def test_a_small_size_leaves_the_limit(quick):
    study, site = quick
    assert resize([study], site, "64 MiB")[1].limits == site.limits


def test_no_size_changes_nothing(quick):
    study, site = quick
    assert resize([study], site, "") == ((study,), site)


@pytest.mark.parametrize(
    ("size", "line"),
    [
        ("8 GBi", 'size: "8 GBi" has an unknown unit "GBi"'),
        ("-1", "size: "),
        ("large", 'size: "large" is not a number'),
    ],
)
def test_what_is_no_size_is_refused(quick, size, line):
    study, site = quick
    with pytest.raises(DesignError, match=line):
        resize([study], site, size)


def test_a_study_without_a_total_is_refused(root, quick):
    study = quick[0].model_copy(update={"sweeps": {"probe": quick[0].sweeps["probe"]}})
    with pytest.raises(DesignError, match=r"^size: no sweep of quick divides a total size among its threads; "):
        resize([study], quick[1], "8 GiB")


def test_each_timed_part_and_each_total_gets_another_time(quick):
    study, _ = quick
    (longer,) = lengthen([study], "3")
    assert {name for name, sweep in longer.sweeps.items() if sweep.seconds != 3.0} == {"probe"}
    assert longer.sweeps["sequential"].factors["file_size"].lasts == 3.0
    assert longer.sweeps["metadata"].factors["files"].lasts == 3.0
    assert longer.sweeps["probe"] == study.sweeps["probe"]
    assert lengthen([study], "2 min")[0].sweeps["random"].seconds == 120
    assert lengthen([study], "") == (study,)


@pytest.mark.parametrize(("seconds", "line"), [("0", 'seconds: "0" is not above 0'), ("long", 'seconds: "long" is')])
def test_what_is_no_time_is_refused(quick, seconds, line):
    with pytest.raises(DesignError, match=line):
        lengthen([quick[0]], seconds)


def test_each_case_runs_as_often_as_asked_whatever_the_study_says(root):
    study = read_study(root / "config/studies", "quick")
    until = RepeatUntil(relative_width=0.1, most=30)
    sweeps = {name: sweep.model_copy(update={"repeat_until": until}) for name, sweep in study.sweeps.items()}
    (repeated,) = repeat([study.model_copy(update={"sweeps": sweeps, "repeat_until": until})], "20")
    assert (repeated.repetitions, repeated.repeat_until) == (20, None)
    assert {(one.repetitions, one.repeat_until) for name, one in repeated.sweeps.items() if name != "probe"} == {
        (20, None)
    }
    assert repeated.sweeps["probe"] == sweeps["probe"]
    assert repeat([study], "") == (study,)


@pytest.mark.parametrize("repetitions", ["0", "-1", "2.5", "many", "1e3", "٣", "9" * 30])
def test_what_is_no_number_of_repetitions_is_refused(quick, repetitions):
    with pytest.raises(DesignError, match=f'^repetitions: "{repetitions}" is not a whole number from 1 to '):
        repeat([quick[0]], repetitions)
