"""The output of IO500's harness is read in every form and compared with its own scores, or refused by name."""

import re
from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.tools import HARNESSES, read_file, read_log
from coldcache.tools.io500 import name_sources, recognise

SPECIMENS = Path(__file__).parents[1] / "specimens"
SUMMARY = "io500-02091cf/result_summary.txt"
INI = "io500-02091cf/result.txt"
SCRIPT = "io500-script-result_summary.txt"
SOUND = [
    SUMMARY, INI, SCRIPT, "io500-02091cf-stdout.txt", "io500-script-console.txt", "io500-02091cf-extended-result.txt",
    "io500-02091cf-extended-result_summary.txt",
]  # fmt: skip


def content(name):
    return (SPECIMENS / name).read_bytes()


def figures(records, metric):
    return [
        (record.factors["phase"], record.operation, record.value, record.printed)
        for record in records if record.metric == metric and "stonewalled" not in record.caveats
    ]  # fmt: skip


def test_the_summary_states_a_rate_and_a_time_per_phase():
    records = read_file(SPECIMENS / SUMMARY)
    assert figures(records, "throughput") == [
        ("ior-easy", "write", 0.210015 * 2**30, "0.210015 GiB/s"),
        ("ior-hard", "write", 0.088873 * 2**30, "0.088873 GiB/s"),
        ("ior-easy", "read", 0.885689 * 2**30, "0.885689 GiB/s"),
        ("ior-hard", "read", 1.517656 * 2**30, "1.517656 GiB/s"),
        ("ior-rnd4K-easy", "random-read", 0.678337 * 2**30, "0.678337 GiB/s"),
    ]
    assert figures(records, "rate") == [
        ("mdtest-easy", "file-create", 9671.913, "9.671913 kIOPS"),
        ("mdtest-hard", "file-create", 10554.31, "10.554310 kIOPS"),
        ("find", "find", 146586.061, "146.586061 kIOPS"),
        ("mdtest-easy", "file-stat", 179158.265, "179.158265 kIOPS"),
        ("mdtest-hard", "file-stat", 1043445.725, "1043.445725 kIOPS"),
        ("mdtest-easy", "file-remove", 121531.17, "121.531170 kIOPS"),
        ("mdtest-hard", "file-read", 63602.42, "63.602420 kIOPS"),
        ("mdtest-hard", "file-remove", 50580.097, "50.580097 kIOPS"),
    ]
    assert [value for _, _, value, _ in figures(records, "elapsed")] == [
        0.606, 1.645, 0.855, 1.573, 0.062, 0.186, 1.037, 0.047, 1.089, 1.103, 1.124, 1.084, 1.279,
    ]  # fmt: skip
    assert {record.tool_version for record in records} == {"io500-02091cf"}
    assert records[0].caveats == ("io500-invalid", "io500-invalid-run")
    assert records[-1].caveats == ("io500-invalid-run",)


def test_the_ini_states_factors_and_stonewalls_besides():
    summary, records = read_file(SPECIMENS / SUMMARY), read_file(SPECIMENS / INI)
    for metric in ("throughput", "rate"):
        assert [found[:3] for found in figures(records, metric)] == [found[:3] for found in figures(summary, metric)]
    stonewalled = {(record.factors["phase"], record.value) for record in records if "stonewalled" in record.caveats}
    assert stonewalled == {
        ("ior-easy", 0.21 * 2**30), ("ior-hard", 0.09 * 2**30), ("mdtest-easy", 62118.205), ("mdtest-hard", 12238.496),
    }  # fmt: skip
    assert [record.value for record in records if record.metric == "count"] == [48, 9003]
    easy = next(record for record in records if record.factors["phase"] == "ior-easy")
    hard = next(record for record in records if record.factors["phase"] == "ior-hard")
    assert easy.factors == {
        "phase": "ior-easy", "threads": 2, "transfer_size": 2**20, "file_layout": "file-per-thread", "direct_io": False,
    }  # fmt: skip
    assert (hard.factors["transfer_size"], hard.factors["file_layout"]) == (47008, "shared-file")
    sizes = {
        record.factors["phase"]: record.factors["file_body"] for record in records if "file_body" in record.factors
    }
    assert sizes == {"mdtest-easy": 0, "mdtest-hard": 3901}


def test_a_stonewall_rate_of_2020_counts_the_ranks_twice():
    told = {}
    for version in (b"io500-isc20_v4", b"io500-sc20_v3-31", b"", b"io500-isc21", b"io500-sc25-3-gfcd41756b9fd"):
        records = read_log(content(INI).replace(b"version         = io500-02091cf", b"version         = " + version))
        rate = next(found for found in records if found.metric == "throughput" and "stonewalled" in found.caveats)
        told[version] = "io500-ranks-counted-twice" in rate.caveats
    assert told == {
        b"io500-isc20_v4": True, b"io500-sc20_v3-31": True, b"": True, b"io500-isc21": False,
        b"io500-sc25-3-gfcd41756b9fd": False,
    }  # fmt: skip


@pytest.mark.parametrize("name", [SCRIPT, "io500-script-console.txt"])
def test_the_script_of_2018_is_read_and_repeats_nothing(name):
    records = read_file(SPECIMENS / name)
    assert figures(records, "throughput") == [
        ("ior-easy", "write", 0.846 * 2**30, "0.846 GiB/s"), ("ior-hard", "write", 0.503 * 2**30, "0.503 GiB/s"),
        ("ior-easy", "read", 0.903 * 2**30, "0.903 GiB/s"), ("ior-hard", "read", 0.445 * 2**30, "0.445 GiB/s"),
    ]  # fmt: skip
    assert len(figures(records, "rate")) == 8
    # The time of mdtest_hard_stat is printed as 0.00.
    assert len(figures(records, "elapsed")) == 11
    assert {record.tool_version for record in records} == {None}
    assert records[0].caveats == ("io500-invalid", "io500-invalid-run")


def test_gigabytes_of_the_script_are_gibibytes():
    records = read_log(content(SCRIPT).replace(b" GiB/s", b" GB/s"))
    assert figures(records, "throughput")[0] == ("ior-easy", "write", 0.846 * 2**30, "0.846 GB/s")


def test_an_extended_run_states_its_further_phases():
    records = read_file(SPECIMENS / "io500-02091cf-extended-result_summary.txt")
    assert [
        (operation, value) for phase, operation, value, _ in figures(records, "rate") if phase in
        ("mdworkbench", "find-easy", "find-hard")
    ] == [
        ("file-create", 17938.158), ("find", 40597.196), ("find", 67955.217), ("mixed", 49115.63),
        ("file-remove", 51898.668),
    ]  # fmt: skip


@pytest.mark.parametrize("name", SOUND)
def test_every_record_points_to_its_number(name):
    log = content(name)
    for record in read_log(log):
        assert record.printed.startswith(log[record.offset : record.offset + record.length].decode())


@pytest.mark.parametrize("name", SOUND)
def test_a_log_cut_at_any_line_gives_all_or_nothing(name):
    log = content(name)
    whole = [record[:8] for record in read_log(log)]
    refused = 0
    for end in re.finditer(rb"\n", log):
        try:
            assert [record[:8] for record in read_log(log[: end.end()])] == whole
        except LogError:
            refused += 1
    assert refused >= 12


@pytest.mark.parametrize("name", [SUMMARY, SCRIPT])
def test_a_summary_that_stands_twice_counts_once(name):
    assert read_log(content(name) * 2) == read_log(content(name))


def test_two_runs_are_repetitions():
    records = read_log(content(SUMMARY) + content("io500-02091cf-extended-result_summary.txt"))
    assert {record.repetition for record in records} == {0, 1}
    assert [value for _, operation, value, _ in figures(records, "throughput") if operation == "write"] == [
        0.210015 * 2**30, 0.088873 * 2**30, 0.765866 * 2**30, 0.317531 * 2**30,
    ]  # fmt: skip


def test_foreign_lines_and_marks_of_mail_do_not_matter():
    log = content(SUMMARY)
    assert len(read_log(log.replace(b"\n", b"\nslurmstepd: error: x\n"))) == len(read_log(log))
    assert len(read_log(b"> " + log.replace(b"\n", b"\n> "))) == len(read_log(log))


def test_the_total_of_2017_is_a_product():
    log = content(SCRIPT).replace(b"TOTAL 7.52711", b"TOTAL 56.6574")
    assert len(read_log(log)) == 23


def test_a_phase_that_did_not_run_gives_no_record():
    off = rb"\[RESULT\] +find .*\n"
    log = re.sub(off, b"[RESULT]                 find        0.000000 kIOPS : time 0.000 seconds\n", content(SUMMARY))
    log = log.replace(b"IOPS 75.833365", b"IOPS 69.024210").replace(b"TOTAL 5.493696", b"TOTAL 5.241271")
    assert "find" not in {record.operation for record in read_log(log)}


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (
            SUMMARY,
            b"0.885689",
            b"0.985689",
            "the phases of ior have the geometric mean 0.408774, the score says 0.397987",
        ),
        (
            SUMMARY,
            b"TOTAL 5.493696",
            b"TOTAL 5.593696",
            "the score 5.5937 is not that of its parts 0.397987 and 75.8334",
        ),
        (
            SUMMARY,
            b"0.885689 GiB/s",
            b"0.885689 GiB",
            "line 8: a line of results is broken: '[RESULT]        ior-easy-r",
        ),
        (SUMMARY, b"[SCORE ]", b"[SCORE]X", "line 16: a line of results is broken: '[SCORE]X Bandwidth"),
        (
            SUMMARY,
            b"mdtest-hard-read",
            b"mdtest-odd-reads",
            "line 13: no phase of IO500 is known as 'mdtest-odd-reads'",
        ),
        (
            SUMMARY,
            b"      ior-easy-read",
            b"     ior-easy-write",
            "line 8: phase ior-easy-write has two results: a score",
        ),
        (SUMMARY, b"146.586061", b"0.000000", "phase find ran and has no rate: it failed"),
        (SCRIPT, b"0.903", b"0.913", "the phases of ior have the geometric mean 0.64"),
        (
            INI,
            b"score           = 0.885689",
            b"score           = 0.88568x",
            "score of ior-easy-read is '0.88568x', which",
        ),
        (
            INI,
            b"score           = 0.885689",
            b"score           = 0.985689",
            "the phases of ior have the geometric mean",
        ),
        (
            INI,
            b"hash            =",
            b"hush            =",
            "the section SCORE is missing or not whole: the run was cut short",
        ),
        (INI, b"[mdtest-hard-read]", b"[mdtest-odd-reads]", "no phase of IO500 is known as 'mdtest-odd-reads'"),
        (INI, b"MD              = 75", b"MD              = x5", "the section SCORE holds what is no number"),
    ],
)
def test_damage_is_refused_by_name(name, old, new, message):
    log = content(name)
    assert old in log
    with pytest.raises(LogError, match=re.escape(message)):
        read_log(log.replace(old, new))


@pytest.mark.parametrize("name", ["config.ini", "config-orig.ini", "find.csv", "ior-easy-write.txt"])
def test_other_files_of_the_folder_are_not_the_harnesss(name):
    assert not recognise(content(f"io500-02091cf/{name}"))


def test_a_scored_figure_names_the_logs_of_its_tool_and_no_other_figure_does():
    named = {record.definition: name_sources(record) for record in read_log((SPECIMENS / INI).read_bytes())}
    assert named["phase ior-easy-write, as the harness scores it"] == ("ior-easy-write.txt", "ior_easy_write.txt")
    assert named["phase ior-easy-write, up to the stonewall"] == ()


def test_the_registry_knows_the_reader_as_a_harness():
    assert set(HARNESSES) == {"io500"}
    assert HARNESSES["io500"].QUOTED_TOOLS == ("ior", "mdtest")
