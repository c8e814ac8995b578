"""A plan holds each combination of levels once, in rounds; what cannot run is refused first."""

import itertools
from pathlib import Path

import pytest
from drafts import expand, make_site, make_study, sweep
from pydantic import ValidationError

from coldcache.core.errors import DesignError
from coldcache.design.blocks import arrange_blocks
from coldcache.design.cases import Environment, expand_cases
from coldcache.design.site import Site
from coldcache.workflow.commands.plan import describe_trial

PRESENT = {"tools": ["fio"], "operations": ["write"]}


def refusal(study, **more):
    with pytest.raises(DesignError) as refused:
        expand(study, **more)
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize(
    ("cores", "threads"), [(1, [1, 2]), (2, [1, 2, 4]), (3, [1, 2, 4, 6]), (16, [1, 2, 4, 8, 16, 32])]
)
def test_thread_counts_reach_twice_the_cores(cores, threads):
    cases = expand(make_study(a=sweep(threads={"first": 1, "last_per_core": 2})), cores=cores)
    assert [case.factors["threads"] for case in cases] == threads
    assert [case.name for case in cases] == [f"threads={count}" for count in threads]


def test_a_case_stands_for_each_combination_of_operation_and_levels():
    study = make_study(a=sweep(("write", "read"), threads=[1, 2], transfer_size=["64 KiB", "1 MiB"]))
    cases = expand(study)
    expected = set(itertools.product(("write", "read"), (1, 2), (65536, 1048576)))
    assert len(cases) == 8
    assert {(*case.operations, case.factors["threads"], case.factors["transfer_size"]) for case in cases} == expected
    assert cases[0].key == "s/a/operation=write,threads=1,transfer_size=65536"
    assert len({case.key for case in cases}) == 8


def test_a_sweep_of_one_case_is_named_only():
    assert [case.key for case in expand(make_study(a=sweep()))] == ["s/a/only"]


def test_a_total_is_shared_among_threads_in_whole_transfers():
    study = make_study(a=sweep(threads=[1, 3, 4], file_size={"aggregate": "1 GiB", "round": "down"}))
    cases = expand(study)
    assert [case.factors["file_size"] for case in cases] == [2**30, 341 * 2**20, 2**28]
    assert [case.bytes for case in cases] == [2**30, 3 * 341 * 2**20, 2**30]
    assert [case.name for case in cases] == ["threads=1", "threads=3", "threads=4"]
    rounded_up = make_study(a=sweep(threads=[3], file_size={"aggregate": "1 GiB", "round": "up"}))
    assert [case.factors["file_size"] for case in expand(rounded_up)] == [342 * 2**20]


def test_a_total_is_multiplied_by_the_level_of_another_factor():
    layout = {"stripe_count": {"kind": "model", "of": "stripe_count"}}
    size = {"aggregate": "8 MiB", "times": "stripe_count", "at_most": "16 MiB"}
    given = {**sweep(threads=[1, 2], stripe_count=[1, 4], file_size=size), "settings": layout}
    found = {(case.factors["threads"], case.factors["stripe_count"]): case for case in expand(make_study(a=given))}
    sizes = {place: case.factors["file_size"] // 2**20 for place, case in found.items()}
    assert sizes == {(1, 1): 8, (1, 4): 16, (2, 1): 4, (2, 4): 16}
    given["factors"]["file_size"] = {"aggregate": "8 MiB", "times": "stripes"}
    with pytest.raises(ValidationError, match="times: stripes is no factor of the sweep whose levels are listed"):
        make_study(a=given)


@pytest.mark.parametrize("possible", [True, False])
def test_direct_io_where_possible_is_what_the_target_takes(possible):
    cases = expand(make_study(a=sweep(direct_io=["where-possible"])), direct_io=possible)
    assert [(case.factors["direct_io"], case.run.direct_io) for case in cases] == [(possible, possible)]


def test_a_level_that_turns_out_to_stand_twice_is_run_once():
    cases = expand(make_study(a=sweep(direct_io=[True, "where-possible"])), direct_io=True)
    assert [case.key for case in cases] == ["s/a/only"]


@pytest.mark.parametrize(
    ("given_sweep", "message"),
    [
        (
            sweep(threads=[3], file_size={"aggregate": "1 GiB"}),
            "factors.file_size: 1 GiB does not divide by 3 threads; set round to down or up",
        ),
        (
            sweep(threads=[2], transfer_size=["3 MiB"], file_size={"aggregate": "16 MiB"}),
            "factors.file_size: 8 MiB per thread is no whole number of transfers of 3 MiB; set round to down or up",
        ),
        (
            sweep(threads=[2], file_size={"aggregate": "1 MiB", "round": "down"}),
            "factors.file_size: 1 MiB over 2 threads leaves nothing each",
        ),
        (
            sweep(transfer_size=["3 MiB"]),
            "factors.file_size: 64 MiB is no whole number of transfers of 3 MiB",
        ),
        (
            sweep(threads=[64]),
            "a trial keeps 4 GiB on the target, the site x allows 2 GiB: lower factors.file_size or raise limits.bytes",
        ),
        (
            sweep(["file-create"], files=[1000], file_body=["4 MiB"]),
            "a trial keeps 3.9 GiB on the target, the site x allows 2 GiB: lower factors.file_body or "
            "factors.files or raise limits.bytes",
        ),
        (
            sweep(more={"seconds": "1 min"}),
            "a trial measures for 1 min 00 s, the site x ends it after 1 min 00 s: lower seconds or raise "
            "limits.seconds",
        ),
        (
            sweep(more={"seconds": "50 s", "ramp": "10 s"}, direct_io=[True]),
            "a trial measures for 50 s after a ramp of 10 s, the site x ends it after 1 min 00 s: lower "
            "seconds or ramp, or raise limits.seconds",
        ),
        (
            sweep(tools=["iozone", "fio"], file_layout=["shared-file"]),
            "tools: iozone knows no shared-file; name another tool, or change the sweep",
        ),
        (
            sweep(tools=["fio", "iozone"], queue_depth=[1, 8]),
            "tools: iozone keeps one transfer in flight per thread, as queue_depth=8 needs; name another tool, "
            "or change the sweep",
        ),
        (
            sweep(tools=["iozone"], transfer_size=["512 B"]),
            "tools: iozone counts sizes in KiB; name another tool, or change the sweep",
        ),
        (
            sweep(["file-create"], tools=["iozone"]),
            "tools: iozone does not measure file-create; name another tool, or change the sweep",
        ),
        (
            sweep(["random-read"], tools=["ior"], queue_depth=[1, 2]),
            "tools: ior does not measure random-read; name another tool, or change the sweep",
        ),
        (
            sweep(["random-read"], tools=["mdtest"]),
            "tools: mdtest does not measure random-read; name another tool, or change the sweep",
        ),
        (
            sweep(
                tools=["iozone"], more={"settings": {"write_cache": "qemu-nbd"}}, write_cache=["writeback", "unsafe"]
            ),
            "tools: iozone drives no block device, as write_cache=writeback needs; name another tool, or change the "
            "sweep",
        ),
        (
            sweep(nodes=[1, 2]),
            "factors.nodes: config/sites/x.yaml reaches one node, not 2: state clients.nodes and clients.launcher "
            "there, or set it to [1]",
        ),
    ],
)
def test_what_cannot_run_as_designed_is_refused_by_name(given_sweep, message):
    assert refusal(make_study(a=given_sweep)) == f"config/studies/s.yaml, sweeps.a: {message}"


def test_seconds_that_end_no_run_do_not_count_against_the_sites_limit():
    assert expand(make_study(a=sweep(tools=["iozone"], more={"seconds": "2 min"})), tool="iozone")
    assert expand(make_study(a=sweep(["file-create"], more={"seconds": "2 min"})))


def test_what_ends_with_its_work_lasts_as_long_as_the_site_expects():
    stated = {"site": "x", "title": "t", "targets": {"a": {"path": "/t"}}}
    told = Site.model_validate({**stated, "expected": {"throughput": "1 MiB/s"}})
    for tool, seconds in (("iozone", 64.0), ("fio", None)):
        study = make_study(a=sweep(tools=[tool]))
        assert [case.expected for case in expand(study, told, tool=tool)] == [seconds]
        assert [case.expected for case in expand(study, tool=tool)] == [None]


def test_a_path_too_long_for_a_socket_is_refused():
    cached = sweep(more={"settings": {"write_cache": "qemu-nbd"}}, write_cache=["writeback"])
    path = "/t" + "x" * 81
    assert len(f"{path}/coldcache/s/a/nbd.socket") == 108
    assert "is too long a path for a socket" in refusal(make_study(a=cached), site=make_site(path))
    assert expand(make_study(a=cached), make_site(path[:-1]))
    assert expand(make_study(a=sweep()), make_site(path))


def test_a_trial_is_described_with_these_keys():
    study = make_study(
        a=sweep(threads=[2], more={"item": "figure 3", "seconds": 2}),
        b=sweep(["file-create"], threads=[3]),
    )
    first, second = (describe_trial(block.trials[0]) for block in arrange_blocks(expand(study), 1))
    assert list(first) == [
        "study", "sweep", "case", "repetition", "factors", "argv", "bytes", "items", "seconds", "item", "runs_here",
    ]  # fmt: skip
    assert {key: value for key, value in first.items() if key != "argv"} == {
        "study": "s", "sweep": "a", "case": "only", "repetition": 0,
        "factors": {"operation": "write", "threads": 2, "transfer_size": 1048576, "file_size": 67108864},
        "bytes": 134217728, "items": 0, "seconds": 2.4, "item": "figure 3", "runs_here": True,
    }  # fmt: skip
    assert (second["bytes"], second["items"], second["item"]) == (0, 30, "")


def test_the_shipped_study_is_planned_as_the_design_asks(root, monkeypatch):
    from coldcache.design.site import read_site
    from coldcache.design.study import read_study

    monkeypatch.chdir(root)
    study, site = read_study(Path("config/studies"), "quick"), read_site(Path("config/sites"), "local")
    assert study.repetitions >= 5
    for cores in (1, 2, 4, 16, 128):
        tools = {f"quick/{name}": given.tools[-1] for name, given in study.sweeps.items()}
        cases = expand_cases(study, site, Environment(cores, True, tools, 1))
        threads = {
            name: sorted({case.factors["threads"] for case in cases if case.sweep == name})
            for name in ("sequential", "random")
        }
        assert threads == {"sequential": [1, 8, 64], "random": [1, 8, 64]}
        assert max(case.bytes for case in cases) < 2 * 2**30
    operations = {operation for case in cases for operation in case.operations}
    # Removals would take a minute of the eight that `make study` may take (docs/decisions/0038).
    assert operations == {"write", "read", "random-write", "random-read", "file-create", "file-stat"}
    cached = [case for case in cases if case.settings]
    assert {case.factors["write_cache"] for case in cached} == {"writeback", "writethrough", "unsafe"}
    assert {(case.operations, case.factors["threads"]) for case in cached} == {
        ((operation,), threads) for operation in ("write", "random-write") for threads in (1, 16)
    }


def test_a_site_must_state_the_settings_that_are_left_to_it():
    grid = sweep(write_cache=["on", "off"], more={"settings": {"write_cache": "site"}})
    assert refusal(make_study(a=grid)) == (
        "config/studies/s.yaml, sweeps.a: settings.write_cache: config/sites/x.yaml does not say how; "
        "state it there under settings"
    )
    how = {"kind": "file", "path": "/sys/x", "values": {True: "write back", False: "write through"}}
    site = make_site().model_copy(update={"settings": Site.model_validate({
        "site": "x", "title": "t", "targets": {"a": {"path": "/t"}}, "settings": {"write_cache": how}
    }).settings})  # fmt: skip
    cases = expand(make_study(a=grid), site=site)
    assert [case.name for case in cases] == ["write_cache=on", "write_cache=off"]
    assert [case.settings["write_cache"].reading(case.factors["write_cache"]) for case in cases] == [
        "write back",
        "write through",
    ]
    other = sweep(write_cache=["on", "of"], more={"settings": {"write_cache": "site"}})
    assert refusal(make_study(a=other), site=site) == (
        'config/studies/s.yaml, sweeps.a: factors.write_cache: unknown level "of"; did you mean "off"?'
    )


def make_cluster():
    clients = {"nodes": 4, "cores": 2, "launcher": "srun"}
    return Site.model_validate(
        {"site": "x", "title": "t", "targets": {"a": {"path": "/t"}}, "clients": clients, "limits": {"seconds": 60}}
    )


def test_a_device_that_one_node_serves_is_measured_by_that_node_alone():
    served = {"settings": {"write_cache": "qemu-nbd"}}
    more = {"threads": [4], "write_cache": ["writeback"]}
    (case,) = expand(make_study(a=sweep(more=served, **more)), make_cluster())
    assert case.run.nodes == 1
    (case,) = expand(make_study(a=sweep(threads=[4])), make_cluster())
    assert case.run.nodes == 4
    assert refusal(make_study(a=sweep(more=served, nodes=[2], **more)), site=make_cluster()) == (
        "config/studies/s.yaml, sweeps.a: factors.nodes: 2 are more than one, which alone has the device or the guest "
        "of the settings; set it to 1"
    )
    assert refusal(make_study(a=sweep(nodes=[8], threads=[8])), site=make_cluster()) == (
        "config/studies/s.yaml, sweeps.a: factors.nodes: 8 are more than the 4 of config/sites/x.yaml, clients.nodes"
    )


def test_commands_of_a_cluster_say_which_nodes_run_them():
    kind = {"kind": "commands", "apply": ["tuned-adm", "profile", "{level}"], "verify": ["tuned-adm", "active"]}
    more = {"threads": [4], "tuned_profile": ["balanced"]}

    def study(**stated):
        return make_study(a=sweep(more={"settings": {"tuned_profile": {**kind, **stated}}}, **more))

    assert refusal(study(), site=make_cluster()) == (
        "config/studies/s.yaml, sweeps.a: settings.tuned_profile: commands on a cluster need every_node: true where "
        "each node has it for itself, false where one node runs them for all"
    )
    assert expand(study(every_node=True), make_cluster())[0].settings["tuned_profile"].is_of_node is True
    assert expand(study())[0].settings["tuned_profile"].is_of_node is None
    layout = study(verify=["lfs", "getstripe", "{folder}"])
    assert expand(layout, make_cluster())[0].settings["tuned_profile"].is_of_node is False


def make_model(**limits):
    target = {"pfs": {"path": "/var/tmp/m/c1/data", "direct_io": True}}
    return Site.model_validate({"site": "x", "title": "t", "targets": target, "limits": {"seconds": 60, **limits},
                                "model": {"clients": 4}})  # fmt: skip


def test_on_a_model_a_documents_words_start_processes_on_its_clients():
    words = "{launcher} {program} -i {iterations} -e -o {directory}/f {test} -t {transfer_size:m} -b {file_size:m}"
    shared = sweep(threads=[8], file_layout=["shared-file"], file_size=["1 MiB"], transfer_size=["1 MiB"],
                   more={"tools": ["ior"], "command": {"ior": words}})  # fmt: skip
    (case,) = expand_cases(make_study(a=shared), make_model(), Environment(4, True, {"s/a": "ior"}, 1))
    started = ("mpirun", "--oversubscribe", "-n", "8", "./rank", "ior")
    stated = ("-i", "1", "-e", "-o", "/var/tmp/m/c1/data/coldcache/s/a/f", "-w", "-t", "1m", "-b", "1m")
    assert case.run.command == (*started, *stated)
    assert (case.run.nodes, case.run.starter, case.run.hosts) == (4, "model", ("c1", "c2", "c3", "c4"))


def test_what_is_not_installed_is_told_with_how_to_get_it_on_a_model():
    grid = sweep(threads=[2], file_size=["1 MiB"], transfer_size=["1 MiB"], more={"tools": ["ior"]})
    study = make_study(a=grid)
    for site, told in (
        (make_model(), "ior: not installed; load the module that has it, or build IOR and mdtest: spack install ior"),
        (make_site(), "ior: not installed"),
    ):
        environment = Environment(4, True, {"s/a": "ior"}, 1, lacking=["s/a"])
        assert {case.why_not_here for case in expand_cases(study, site, environment)} == {told}


@pytest.mark.parametrize(
    ("levels", "most", "threads"),
    [
        ({"first": 1, "last": 64}, None, [1, 2, 4, 8, 16, 32, 64]),
        ({"first": 1, "last": 64, "factor": 4}, None, [1, 4, 16, 64]),
        ({"first": 1, "last": 64, "factor": 8}, 32, [1, 8, 32]),
        ({"first": 1, "last": 64}, 16, [1, 2, 4, 8, 16]),
        ([1, 64], 16, [1, 64]),
    ],
)
def test_a_range_of_threads_ends_with_the_sites_limit_and_not_with_its_cores(levels, most, threads):
    site = make_site() if most is None else make_site(threads=most)
    cases = expand(make_study(a=sweep(threads=levels, file_size=["1 MiB"])), site, cores=2)
    assert [case.factors["threads"] for case in cases] == threads


def test_transfers_have_no_bodies_and_other_words_for_a_sync_are_refused():
    with pytest.raises(ValidationError, match="file_body: write has no such factor"):
        make_study(a=sweep(file_body=["4 KiB"]))
    with pytest.raises(ValidationError, match='file_sync: unknown level "all"; known are none, each, phase'):
        make_study(a=sweep(["file-create"], file_sync=["all"]))
