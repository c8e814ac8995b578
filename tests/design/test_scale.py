"""What does not fit a site is scaled down by one factor for each sweep, in whole transfers and whole directories."""

import pytest

from coldcache.core.errors import DesignError
from coldcache.design.cases import expand_cases
from coldcache.design.grid import Environment
from coldcache.design.scale import describe_scale, shrink
from coldcache.design.site import Limits, Site
from coldcache.design.study import Study


def expand(sweep, full=False, cores=2, memory=0, limits=None, most=0, **site):
    study = {
        "study": "s", "title": "t", "question": "q", "scale": "site", "repetitions": 1, "notebooks": [],
        "sweeps": {"a": {"title": "t", **sweep}},
    }  # fmt: skip
    here = {"site": "x", "title": "t", "targets": {"a": {"path": "/t"}}, "limits": limits or {}, **site}
    environment = Environment(cores, True, {"s/a": sweep["tools"][0]}, 1, memory, most_threads=most)
    return expand_cases(Study.model_validate(study), Site.model_validate(here), environment, full)


def transfers(tool="iozone", **more):
    factors = {"threads": [1, 2, 64], "transfer_size": ["1 MiB"], "file_size": {"aggregate": "64 GiB"}}
    return {"tools": [tool], "operations": ["write"], "factors": {**factors, **more}}


def test_sizes_shrink_to_the_sites_bytes_and_threads_to_its_most():
    cases = expand(transfers(), limits={"bytes": "1 GiB", "trial_seconds": "1 h"})
    assert [(case.run.threads, case.run.file_size) for case in cases] == [(1, 2**30), (2, 2**29), (4, 2**28)]
    assert {case.scale for case in cases} == {"scaled down: at most 4 threads, 1/64 of the size"}


@pytest.mark.parametrize(
    ("most", "limits", "threads"),
    [(64, {}, [1, 2, 64]), (64, {"threads": 32}, [1, 2, 32]), (0, {}, [1, 2, 4]), (0, {"threads": 64}, [1, 2, 64])],
)
def test_the_site_bounds_threads_and_its_cores_only_in_campaigns_of_earlier_versions(most, limits, threads):
    cases = expand(transfers(), most=most, limits={"trial_seconds": "1 h", **limits})
    assert [case.run.threads for case in cases] == threads


def test_sizes_shrink_to_the_seconds_that_a_trial_should_last():
    cases = expand(transfers(), limits={"trial_seconds": 2}, expected={"throughput": "64 MB/s"})
    assert [case.bytes // 2**20 for case in cases] == [122, 122, 120]
    assert all(1.9 < case.expected <= 2 for case in cases)


def test_at_full_scale_nothing_shrinks_and_what_exceeds_the_limits_says_so():
    cases = expand(transfers(), full=True)
    assert [(case.run.threads, case.bytes) for case in cases] == [(1, 2**36), (2, 2**36), (64, 2**36)]
    assert cases[0].why_not_here == "keeps 64 GiB on the target, the site x allows 2 GiB"


def test_directories_and_their_files_shrink_alike():
    point = {"threads": 1, "directories_per_thread": 320, "items_per_directory": 3125}
    assert shrink(point, 0.01) == {**point, "directories_per_thread": 32, "items_per_directory": 312}
    assert shrink(point, 1e-7) == {**point, "directories_per_thread": 1, "items_per_directory": 1}


def test_few_and_many_directories_stay_apart():
    few = {"threads": 4, "directories_per_thread": 5, "items_per_directory": 3125}
    many = {"threads": 4, "directories_per_thread": 25, "items_per_directory": 625}
    assert shrink(few, 0.00667) == {**few, "directories_per_thread": 1, "items_per_directory": 104}
    assert shrink(many, 0.00667) == {**many, "directories_per_thread": 2, "items_per_directory": 52}


def test_files_of_one_directory_shrink_by_the_whole_factor():
    assert shrink({"threads": 4, "files": 4000}, 0.5) == {"threads": 4, "files": 2000}


def test_a_size_is_at_least_one_transfer():
    point = {"threads": 1, "transfer_size": 2**20, "file_size": 2**30}
    assert shrink(point, 1e-9)["file_size"] == 2**20


def test_the_scale_is_told_in_words():
    assert describe_scale(1.0, None) == "full scale"
    assert describe_scale(1.0, 8) == "scaled down: at most 8 threads, full size"
    assert describe_scale(0.625, 8) == "scaled down: at most 8 threads, 1/1.6 of the size"
    assert describe_scale(4.1e-05, None) == "scaled down: 1/24,400 of the size"


def test_a_rule_of_memory_gives_each_thread_a_client_until_there_are_as_many():
    sweep = transfers(threads=[1, 16, 64], file_size={"memory": 2})
    cases = expand(sweep, full=True, memory=128 * 2**30, clients={"nodes": 16, "launcher": "srun"})
    assert [case.run.file_size // 2**30 for case in cases] == [256, 256, 64]


@pytest.mark.parametrize(
    ("sweep", "site", "message"),
    [
        (
            transfers(file_size={"memory": 2}), {},
            "factors.file_size.memory: config/sites/x.yaml does not state the memory of a client: set clients.memory "
            "there",
        ),
        (
            transfers(), {"clients": {"streams": 32}},
            "factors.threads: 64 are more than the 32 streams that can be started: lower them, or raise "
            "clients.streams in config/sites/x.yaml",
        ),
        (
            transfers(threads=[3]), {},
            "factors.file_size: 64 GiB does not divide by 3 threads; set round to down or up",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_planned_is_refused_in_one_line(sweep, site, message):
    with pytest.raises(DesignError) as refused:
        expand(sweep, full=True, **site)
    assert str(refused.value) == f"config/studies/s.yaml, sweeps.a: {message}"


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"needs": ["two MDTs"]}, "needs two MDTs, which the site x does not offer"),
        ({"settings": {"mdts": "site"}}, "the site x has no setting for metadata targets"),
        ({}, "iozone does not measure file-create"),
    ],
)
def test_what_cannot_run_is_planned_with_its_reason(more, reason):
    factors = {"threads": [1], "files": [10], **({"mdts": [1]} if "settings" in more else {})}
    tool = "iozone" if not more else "fio"
    (case,) = expand({"tools": [tool], "operations": ["file-create"], "factors": factors, **more})
    assert case.why_not_here == reason


def test_no_size_shrinks_below_the_least_of_the_site_or_grows():
    least = Limits(least_transfers=4, least_items=6)
    small = {"threads": 1, "file_size": 100, "transfer_size": 10}
    assert shrink(small, 0.01, least)["file_size"] == 40
    assert shrink({**small, "file_size": 20}, 0.01, least)["file_size"] == 20
    assert shrink({"threads": 1, "files": 4000}, 0.001, least)["files"] == 6
    assert shrink({"threads": 1, "files": 5}, 0.001, least)["files"] == 5
    spread = {"threads": 1, "directories_per_thread": 16, "items_per_directory": 100}
    assert shrink(spread, 0.0625, least) == {**spread, "directories_per_thread": 4, "items_per_directory": 25}
    assert shrink(spread, 0.001, least) == {**spread, "directories_per_thread": 1, "items_per_directory": 6}


def test_a_site_keeps_the_directories_of_a_thread_and_has_fewer_files_in_each():
    least = Limits(least_directories=25)
    few = {"threads": 64, "directories_per_thread": 5, "items_per_directory": 3125}
    assert shrink(few, 1 / 286, least) == {**few, "items_per_directory": 10}
    many = {"threads": 64, "directories_per_thread": 25, "items_per_directory": 624}
    assert shrink(many, 1 / 286, least) == {**many, "items_per_directory": 2}
    most = {"threads": 1, "directories_per_thread": 320, "items_per_directory": 3125}
    assert shrink(most, 1 / 1600, least) == {**most, "directories_per_thread": 25, "items_per_directory": 25}


def test_few_threads_move_no_more_each_than_one_can_in_a_trial():
    pace = {"throughput": "64 MiB/s", "one_thread": {"throughput": "16 MiB/s"}}
    cases = expand(transfers(), limits={"trial_seconds": 2, "threads": 64, "bytes": "1 GiB"}, expected=pace)
    assert [(case.run.threads, case.run.file_size >> 20, case.expected) for case in cases] == [
        (1, 32, 2.0), (2, 32, 2.0), (64, 2, 2.0),
    ]  # fmt: skip


def test_one_thread_makes_no_more_files_than_it_can_in_a_trial():
    factors = {"threads": [1, 16], "files": {"aggregate": 64000}}
    sweep = {"tools": ["fio"], "operations": ["file-create"], "factors": factors}
    pace = {"items": 800, "one_thread": {"items": 100}}
    cases = expand(sweep, limits={"trial_seconds": 10, "threads": 16}, expected=pace)
    assert [(case.run.threads, case.run.files) for case in cases] == [(1, 1000), (16, 500)]


def test_a_documents_command_line_of_mdtest_takes_the_time_of_all_its_phases():
    sweep = {"tools": ["mdtest"], "operations": ["file-create"], "factors": {"threads": [4], "files": [4000]}}
    line = {"mdtest": "{launcher} {program} -F -n {files} -u -d {directory}"}
    found = [
        expand(one, limits={"trial_seconds": 4}, expected={"items": 800}) for one in (sweep, sweep | {"command": line})
    ]
    assert [case.run.files for (case,) in found] == [800, 200]


def test_a_site_keeps_some_of_the_numbers_of_threads_that_a_study_or_a_sweep_lists():
    for kept in ({"s": [2, 64]}, {"s": [1], "s.a": [2, 64, 128]}):
        cases = expand(transfers(), limits={"threads": 64, "thread_counts": kept})
        assert [case.run.threads for case in cases] == [2, 64]
    assert len(expand(transfers(), limits={"threads": 64, "thread_counts": {"other": [2]}})) == 3
    with pytest.raises(DesignError) as refused:
        expand(transfers(), limits={"threads": 64, "thread_counts": {"s": [3]}})
    assert str(refused.value) == (
        "config/studies/s.yaml, sweeps.a: factors.threads: none is in config/sites/x.yaml, limits.thread_counts.s: add "
        "one of its numbers there, or state s.a apart"
    )


def test_a_sites_largest_transfer_replaces_larger_ones():
    limits = {"transfer_sizes": {"s": "256 KiB"}, "threads": 64, "bytes": "1 GiB", "trial_seconds": "1 h"}
    cases = expand(transfers(), limits=limits)
    assert [(case.run.transfer_size >> 10, case.run.file_size >> 20) for case in cases] == [
        (256, 1024), (256, 512), (256, 16),
    ]  # fmt: skip
    assert {case.run.transfer_size for case in expand(transfers(), limits=limits, full=True)} == {2**20}


def test_a_site_says_how_long_a_trial_of_the_study_or_sweep_that_it_names_lasts():
    sweep = {"tools": ["fio"], "operations": ["file-create"], "factors": {"threads": [8], "files": [1000]}}
    limits = {"trial_seconds": 4, "threads": 8}
    pace = {"items": 1000}
    for lasts, files in (({}, 500), ({"s": 2}, 250), ({"s": 2, "s.a": 1}, 125), ({"s.b": 2}, 500)):
        (case,) = expand(sweep, limits={**limits, "trials_last": lasts}, expected=pace)
        assert (case.run.files, case.expected) == (files, files * 8 / 1000)
    (timed,) = expand({**transfers("fio", threads=[1]), "series": "1 min"}, limits={**limits, "trials_last": {"s": 3}})
    assert timed.run.seconds == 3
    (whole,) = expand(sweep, limits={**limits, "trials_last": {"s": 2}}, full=True)
    assert whole.run.files == 1000


def test_iterations_of_one_execution_become_trials_where_a_site_says_so():
    sweep = {
        "tools": ["mdtest"], "operations": ["file-create"], "iterations": 8, "repetitions": 1,
        "command": {"mdtest": "{launcher} {program} -n {files} -i {iterations} -d {directory}"},
        "factors": {"threads": [64], "files": [10]},
    }  # fmt: skip
    for limits, words, trials in (({}, "8", 1), ({"iterations": 1}, "1", 1)):
        (case,) = expand(sweep, limits={"threads": 64, **limits})
        argv = case.run.command
        assert (argv[argv.index("-i") + 1], case.repetitions) == (words, trials)
    (case,) = expand({**sweep, "repetitions": 30}, limits={"iterations": 1, "threads": 64, "ranks": 16})
    assert (case.run.threads, case.repetitions) == (16, 30)


def test_a_series_keeps_the_length_of_its_windows_where_a_site_says_how_long_it_lasts():
    sweep = {**transfers("fio", threads=[1]), "series": "1 min", "seconds": "3 h"}
    for limits, found in (({"trial_seconds": 9}, (18.0, 0.1)), ({"series_seconds": "4 min"}, (240.0, 60.0))):
        (case,) = expand(sweep, limits=limits)
        assert (case.run.seconds, case.run.series) == found
