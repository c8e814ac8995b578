"""What a new design states to no effect is refused: names that nothing uses, and groups that leave nothing out."""

import pytest
from drafts import make_site, make_study, sweep

from coldcache.core.errors import DesignError
from coldcache.design.cases import Environment
from coldcache.design.site import Site
from coldcache.workflow.named_studies import read_studies
from coldcache.workflow.no_effect import refuse_no_effect, refuse_unknown_names

_TWO_CORES = Environment(2, True, {"s/a": "fio"}, 7)


def make_clients(**clients):
    return Site.model_validate({"site": "x", "title": "t", "targets": {"a": {"path": "/t"}}, "clients": clients})


def refusal(check, *arguments):
    with pytest.raises(DesignError) as refused:
        check(*arguments)
    return str(refused.value)


def test_a_launcher_of_no_tool_and_no_sweep_is_refused(root, monkeypatch):
    monkeypatch.chdir(root)
    known = {"ior": "mpirun -n {threads}", "probe": "srun", "sequential": "srun"}
    refuse_unknown_names(make_clients(launchers=known), read_studies("dell-lustre"))
    assert refusal(refuse_unknown_names, make_clients(launchers={"iorr": "mpirun -n {threads}"}), []) == (
        'config/sites/x.yaml, clients.launchers: unknown tool or sweep "iorr"; did you mean "ior"?'
    )


def test_a_program_of_no_tool_is_refused():
    refuse_unknown_names(make_clients(programs={"mdtest": "/opt/mdtest"}), [])
    assert refusal(refuse_unknown_names, make_clients(programs={"mdtst": "/opt/mdtest"}), []) == (
        'config/sites/x.yaml, clients.programs: unknown tool "mdtst"; did you mean "mdtest"?'
    )


def leave_out(group, threads):
    return make_study(a=sweep(("file-create", "file-remove"), more={"leave_out": [group]}, threads=threads))


def test_a_group_that_matches_no_case_is_refused():
    study = leave_out({"threads": 3, "operation": "file-remove"}, {"first": 1, "last": 4})
    assert refusal(refuse_no_effect, make_site(), (study,), _TWO_CORES) == (
        "config/studies/s.yaml, sweeps.a: leave_out[0]: no case has threads: 3, operation: file-remove, so nothing is "
        "left out; correct or remove it"
    )


@pytest.mark.parametrize("threads", [{"first": 1, "last": 4}, {"first": 1, "last_per_core": 1}])
def test_a_group_stays_for_a_larger_site(threads):
    study = leave_out({"threads": 4}, threads)
    refuse_no_effect(make_site(threads=2), (study,), _TWO_CORES)
