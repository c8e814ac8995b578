"""A configuration names whole studies or some of their sweeps, which the sentinel goes with."""

import pytest

from coldcache.core.errors import DesignError
from coldcache.workflow.named_studies import read_studies


def test_a_named_sweep_comes_with_the_sentinel_that_watches_it(root, monkeypatch):
    monkeypatch.chdir(root)
    (whole,) = read_studies("quick")
    watched = next(name for name in whole.sweeps if name != "probe")
    (study,) = read_studies(f"quick.{watched}")
    assert set(study.sweeps) == {watched, "probe"}
    assert read_studies(f"quick.probe, quick.{watched}") == [study]


def test_a_sentinel_without_a_sweep_to_watch_is_refused(root, monkeypatch):
    monkeypatch.chdir(root)
    with pytest.raises(DesignError) as refused:
        read_studies("quick.probe")
    told = "studies: probe is the sentinel of quick, which only runs between trials of other sweeps; name a sweep that "
    assert str(refused.value).startswith(f"{told}it watches, such as quick.")
