"""A configuration names whole studies or some of their sweeps, which the sentinel goes with."""

import pytest

from coldcache.core.errors import DesignError
from coldcache.design.site import Site
from coldcache.workflow.named_studies import read_studies, refuse_unknown_launchers


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


def test_a_launcher_of_no_tool_and_no_sweep_is_refused(root, monkeypatch):
    monkeypatch.chdir(root)
    stated = {"site": "x", "title": "t", "targets": {"a": {"path": "/t"}}}
    known = {"launchers": {"ior": "mpirun -n {threads}", "probe": "srun", "sequential": "srun"}}
    refuse_unknown_launchers(Site.model_validate({**stated, "clients": known}), read_studies("dell-lustre"))
    unknown = Site.model_validate({**stated, "clients": {"launchers": {"iorr": "mpirun -n {threads}"}}})
    with pytest.raises(DesignError) as refused:
        refuse_unknown_launchers(unknown, [])
    assert str(refused.value) == (
        'config/sites/x.yaml, clients.launchers: unknown tool or sweep "iorr"; did you mean "ior"?'
    )
