"""mdtest's logs: every stated value of every specimen, what each figure means, and physics."""

import re
from itertools import groupby
from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.tools.mdtest.parse import printed_version, read, recognise

SPECIMENS = Path(__file__).parents[2] / "specimens"

OPERATION = {
    "Directory creation": "directory-create",
    "Directory stat": "directory-stat",
    "Directory rename": "directory-rename",
    "Directory removal": "directory-remove",
    "File creation": "file-create",
    "File creation (stonewall)": "file-create",
    "File create (stonewall)": "file-create",
    "File stat": "file-stat",
    "File read": "file-read",
    "File removal": "file-remove",
    "Tree creation": "tree-create",
    "Tree removal": "tree-remove",
}
LABEL = "|".join(map(re.escape, OPERATION))
SUMMARY = re.compile(rf"^   ({LABEL}) *:? +([0-9. NA]+)$")
ITERATION = re.compile(rf"^V-1:.*?({LABEL}) *: *([\d.]+) sec, *([\d.]+) ops/sec$")
PROCESS = re.compile(rf"^Test ({LABEL}) *:? *(\S+)$")

#: Each specimen that is read: version, definition of the rates (or of the times where only those are printed), the
#: caveats of file creation (or of directory creation) in the SUMMARY, and the factors that the log tells.
READ = {
    "193-dellD": ("1.9.3", "fastest rank of each iteration", ("mdtest-1.9.3-leaf-count",),
                  {"threads": 4, "nodes": 1, "items": 600, "depth": 1, "branching_factor": 2,
                   "items_per_directory": 50, "iterations": 3}),
    "193-dellF": ("1.9.3", "fastest rank of each iteration", ("mdtest-1.9.3-leaf-count", "fsync-of-empty-files"),
                  {"threads": 4, "nodes": 1, "items": 600, "depth": 1, "branching_factor": 2,
                   "items_per_directory": 50, "iterations": 3, "file_body": 0, "fsync": True}),
    "193-pixstor": ("1.9.3", "fastest rank of each iteration", ("mdtest-1.9.3-leaf-count", "write-size-in-bytes"),
                    {"threads": 4, "nodes": 1, "items": 384, "depth": 1, "branching_factor": 2,
                     "items_per_directory": 32, "iterations": 1, "file_body": 4, "fsync": True}),
    "1.9.3-create-only": ("1.9.3", "fastest rank of each iteration", (),
                          {"threads": 2, "nodes": 1, "items": 40, "file_body": 0, "fsync": False}),
    "1.9.3-stride": ("1.9.3", "fastest rank of each iteration", (),
                     {"threads": 1, "nodes": 1, "items": 20, "file_body": 0, "fsync": False}),
    "1.9.3-no-barriers": ("1.9.3", "pooled over ranks and iterations", (),
                          {"threads": 2, "nodes": 1, "items": 40, "iterations": 2, "file_body": 0, "fsync": False}),
    "1.9.3-shared-file": ("1.9.3", "fastest rank of each iteration", (),
                          {"threads": 2, "nodes": 1, "iterations": 2, "file_body": 0, "fsync": False}),
    "1.9.3-unknown-option": ("1.9.3", "fastest rank of each iteration", (),
                             {"threads": 3, "nodes": 1, "items": 60, "iterations": 2, "file_body": 0, "fsync": False}),
    "1.9.4-rc1-both": ("1.9.4-rc1", "fastest rank of each iteration", (),
                       {"threads": 3, "nodes": 1, "items": 60, "iterations": 3, "file_body": 0, "fsync": False}),
    "3.2.0-tree": ("3.2.1", "fastest rank of each iteration", ("mdtest-3.2-iterations-mixed",),
                   {"threads": 2, "nodes": 1, "items": 130, "depth": 2, "branching_factor": 3,
                    "items_per_directory": 5, "iterations": 2, "file_body": 0, "fsync": False}),
    "3.2.1-both": ("3.2.1", "fastest rank of each iteration", ("mdtest-3.2-iterations-mixed",),
                   {"threads": 3, "nodes": 1, "items": 60, "iterations": 3, "file_body": 0, "fsync": False}),
    "3.2.1-time": ("3.2.1", "slowest rank of each iteration", ("mdtest-3.2-iterations-mixed", "rounded"),
                   {"threads": 2, "nodes": 1, "items": 40, "iterations": 2, "file_body": 0, "fsync": False}),
    "3.3alpha1-both": ("3.3alpha1", "pooled over ranks and iterations", (),
                       {"threads": 3, "nodes": 1, "items": 60, "iterations": 3, "file_body": 0, "fsync": False}),
    "330-fsx": ("3.3.0", "pooled over ranks and iterations", (),
                {"threads": 4, "nodes": 1, "items": 400, "iterations": 3, "file_body": 0, "fsync": False}),
    "330-pixstor": ("3.3.0", "pooled over ranks and iterations", (),
                    {"threads": 4, "nodes": 1, "items": 256, "depth": 1, "branching_factor": 2,
                     "items_per_directory": 32, "iterations": 1, "file_body": 4096, "fsync": True}),
    "3.3.0-rate-and-time": ("3.3.0", "pooled over ranks and iterations", (),
                            {"threads": 2, "nodes": 1, "items": 40, "iterations": 2, "file_body": 0, "fsync": False}),
    "3.3.0-stonewall": ("3.3.0", "pooled over ranks and iterations", (),
                        {"threads": 2, "nodes": 1, "file_body": 0, "fsync": False}),
    "3.4.0-dev-files": ("3.4.0+dev", "pooled over ranks and iterations", (),
                        {"threads": 2, "nodes": 1, "items": 40, "file_body": 0, "fsync": False}),
    "3.4.0-dev-rename": ("3.4.0+dev", "pooled over ranks and iterations", (),
                         {"threads": 1, "nodes": 1, "items": 20, "iterations": 3, "file_body": 0, "fsync": False}),
    "3.4.0-dev-processes": ("3.4.0+dev", "one rank alone, before the barrier", ("one-rank-only",),
                            {"threads": 3, "nodes": 1, "items": 60, "iterations": 2, "file_body": 0, "fsync": False,
                             "rank": 0}),
    "400-dellD": ("4.0.0", "slowest rank times ranks, of each iteration", (),
                  {"threads": 4, "nodes": 1, "items": 400, "depth": 1, "branching_factor": 2,
                   "items_per_directory": 50, "iterations": 3}),
    "400-dellF": ("4.0.0", "slowest rank times ranks, of each iteration", ("no-fsync-of-empty-files",),
                  {"threads": 4, "nodes": 1, "items": 400, "depth": 1, "branching_factor": 2,
                   "items_per_directory": 50, "iterations": 3, "file_body": 0, "fsync": False}),
    "400-fsx": ("4.0.0", "slowest rank times ranks, of each iteration", (),
                {"threads": 4, "nodes": 1, "items": 400, "iterations": 3, "file_body": 0, "fsync": False}),
    "400-pixstor": ("4.0.0", "slowest rank times ranks, of each iteration", (),
                    {"threads": 4, "nodes": 1, "items": 256, "depth": 1, "branching_factor": 2,
                     "items_per_directory": 32, "iterations": 1, "file_body": 4096, "fsync": True}),
    "4.0.0-bytes": ("4.0.0", "slowest rank times ranks, of each iteration", (),
                    {"threads": 2, "nodes": 1, "items": 40, "iterations": 2, "file_body": 4096, "fsync": True}),
    "4.0.0-rate-and-time": ("4.0.0", "slowest rank times ranks, of each iteration", (),
                            {"threads": 2, "nodes": 1, "items": 40, "iterations": 2, "file_body": 0, "fsync": False}),
    "4.0.0-time": ("4.0.0", "slowest rank of each iteration", (),
                   {"threads": 2, "nodes": 1, "items": 40, "file_body": 0, "fsync": False}),
    "4.0.0-stonewall": ("4.0.0", "slowest rank times ranks, of each iteration", (),
                        {"threads": 2, "nodes": 1, "file_body": 0, "fsync": False}),
    "4.0.0-ranges": ("4.0.0", "slowest rank times ranks, of each iteration", (),
                     {"threads": 1, "nodes": 1, "items": 20, "iterations": 2, "file_body": 0, "fsync": False}),
    "4.0.0-rank-statistics": ("4.0.0", "one rank alone, before the barrier", ("one-rank-only",),
                              {"threads": 2, "nodes": 1, "items": 40, "iterations": 2, "file_body": 0,
                               "fsync": False}),
    "4.0.0-processes": ("4.0.0", "one rank alone, before the barrier", ("one-rank-only",),
                        {"threads": 3, "nodes": 1, "items": 60, "iterations": 2, "file_body": 0, "fsync": False,
                         "rank": 0}),
    "4.0.0-one-rank": ("4.0.0", "slowest rank times ranks, of each iteration", (),
                       {"threads": 1, "nodes": 1, "items": 20, "iterations": 3, "file_body": 0, "fsync": False}),
    "4.0.0-no-items": ("4.0.0", None, None, None),
    "4.1.0-dev-time": ("4.1.0+dev", "slowest rank of each iteration", ("rounded",),
                       {"threads": 2, "nodes": 1, "items": 40, "file_body": 0, "fsync": False}),
    "4.1.0-dev-rename": ("4.1.0+dev", "slowest rank times ranks, of each iteration", (),
                         {"threads": 2, "nodes": 1, "items": 40}),
    "4.1.0-dev-rank-statistics": ("4.1.0+dev", "one rank alone, before the barrier", ("one-rank-only",),
                                  {"threads": 2, "nodes": 1, "items": 40, "file_body": 0, "fsync": False}),
}  # fmt: skip

REFUSED = {
    "193-EROFS": "mdtest failed: '11/20/2026 10:39:20: Process 0(): FAILED in main, Unable to make test directory path:"
    " Read-only file system': its figures cannot be trusted, run it again",
    "1.9.3-n-and-I": "mdtest failed: '11/21/2026 08:43:15: Process 0(): FAILED in valid_tests, only specify the number"
    " of items or the number of items per directory: No such file or directory': its figures cannot be trusted, run it"
    " again",
    "3.3.0-stat-missing": "mdtest failed: '11/21/2026 08:47:05: Process 0: FAILED in mdtest_stat, unable to stat file"
    " /mnt/target/d/test-dir.0-0/mdtest_tree.0/file.mdtest.0.0: No such file or directory': its figures cannot be"
    " trusted, run it again",
    "3.4.0-dev-torn": "a row of an iteration is broken at byte 4170: 'k   0 Line  1918 main   Tree removal      :"
    "          0.000 sec,       2867.482 o': take the log from the machine that wrote it",
    "3.4.0-dev-negative": "a row of the SUMMARY is broken at byte 920: 'Directory stat                  0.000"
    "    -111254.748    -110670.734': take the log from the machine that wrote it",
    "3.4.0-dev-shifted-rows": "file-create ran, and its row of iteration 0 has a rate of zero: it is broken",
    "400-ENOSPC": "mdtest failed: 'WARNING: write(17, 0x7f95831fd000, 2097152) failed No space left on device': its"
    " figures cannot be trusted, run it again",
    "4.0.0-stat-missing": "mdtest failed: 'WARNING: unable to stat file"
    " /mnt/target/d/test-dir.0-0/mdtest_tree.0/file.mdtest.1.0': its figures cannot be trusted, run it again",
    "4.1.0-dev-rename-missing": "mdtest failed: 'WARNING: [RANK 001]: rename() of file"
    ' "/mnt/target/d/test-dir.0-0/mdtest_tree.0/dir.mdtest.1.0" to '
    ' "/mnt/target/d/test-dir.0-0/mdtest_tree.0/dir.mdtest.1.0-XX" failed\': its figures cannot be trusted, run it'
    " again",
}


def load(name):
    return SPECIMENS.joinpath(f"mdtest-{name}.txt").read_bytes()


def statistics(count, is_old_development):
    """Return what the columns of a table are; where there are seven, one block is of each rank's own figures."""
    if count == 4:
        return ("max", "min", "mean", "stddev")
    first, second = ("max", "min", "mean"), ("max", "min", "mean")
    return (*first, "stddev", *second) if is_old_development else (*first, *second, "stddev")


def stated(log):
    """Return every figure of a whole log by splitting its lines at blanks: (offset, operation, metric, ..., value).

    A row of zeros is a phase that did not run. Seven columns state the tree, one rank's work, twice: the first block
    counts in the development versions that print it with its deviation, the last one elsewhere.
    """
    found, offset, metric, iteration = [], 0, "rate", -1
    for line in log.decode().split("\n"):
        if "Per process result (" in line:
            metric, iteration = ("elapsed" if "(time)" in line else "rate"), -1
        if line.startswith("SUMMARY"):
            metric, iteration = ("elapsed" if "SUMMARY time" in line else "rate"), -1
        elif "per Rank:" in line:
            is_old_development = line.index("Std Dev") < line.index("per Iteration:")
        elif "main: * iteration " in line or line.startswith("iteration: "):
            iteration += 1
        elif " tasks, " in line:
            iteration = -1
        if row := SUMMARY.match(line):
            figures = [(match[0], offset + row.start(2) + match.start()) for match in re.finditer(r"\S+", row[2])]
            count = len(figures)
            names = statistics(count, count == 7 and is_old_development)
            if row[1].startswith("Tree") and count == 7:
                keep = range(4) if is_old_development else range(3, 7)
                figures, names = [figures[place] for place in keep], [names[place] for place in keep]
            for (text, place), name in zip(figures, names, strict=True):
                if text != "NA":
                    found.append((place, OPERATION[row[1]], metric, name, None, float(text), row[1]))
        elif row := ITERATION.match(line):
            for group, name in ((2, "elapsed"), (3, "rate")):
                if not (name == "rate" and "stonewall" in row[1]):
                    place = offset + row.start(group)
                    found.append((place, OPERATION[row[1]], name, "value", iteration, float(row[group]), row[1]))
        elif (row := PROCESS.match(line)) and not row[1].startswith("Tree"):
            for match in re.finditer("[^,]+", row[2]):
                place = offset + row.start(2) + match.start()
                found.append((place, OPERATION[row[1]], metric, "value", iteration, float(match[0]), row[1]))
        offset += len(line) + 1
    return [figure[:-1] for figure in leave_out_idle(found)]


def leave_out_idle(found):
    """Leave out what has no rate and, where only times are printed, no time."""
    metric = "rate" if any(figure[2] == "rate" for figure in found) else "elapsed"
    ran = {figure[1] for figure in found if figure[2] == metric and figure[5]}
    return [figure for figure in found if figure[1] in ran]


@pytest.mark.parametrize("name", READ)
def test_every_stated_value_is_a_record(name):
    log = load(name)
    found = [(r.offset, r.operation, r.metric, r.statistic, r.repetition, r.value) for r in read(log)]
    assert found == stated(log)
    assert all(float(log[r.offset : r.offset + r.length]) == r.value for r in read(log))


@pytest.mark.parametrize("name", READ)
def test_version_definition_caveats_and_factors(name):
    version, definition, caveats, factors = READ[name]
    records = read(load(name))
    assert {record.tool for record in records} == {"mdtest"}
    assert {record.tool_version for record in records} == {version}
    kinds = ("file-create", "directory-create", "directory-rename")
    first = next((r for kind in kinds for r in records if r.operation == kind and r.definition == definition), None)
    if definition is None:
        assert {record.operation for record in records} == {"tree-create", "tree-remove"}
    else:
        assert first.caveats == caveats
        assert first.factors == factors


@pytest.mark.parametrize("name", REFUSED)
def test_a_run_that_failed_is_refused_with_its_own_words(name):
    with pytest.raises(LogError) as refusal:
        read(load(name))
    assert str(refusal.value) == REFUSED[name]


def test_every_specimen_is_named_here():
    names = {path.stem.removeprefix("mdtest-") for path in SPECIMENS.glob("mdtest-*")}
    assert names == READ.keys() | REFUSED.keys()


@pytest.mark.parametrize("name", [*READ, *REFUSED])
def test_recognised_by_content(name):
    assert recognise(load(name))


def summary(name, metric="rate"):
    """Return the columns of a SUMMARY by operation, as the records have them."""
    records = [r for r in read(load(name)) if r.statistic != "value" and r.metric == metric]
    return {key: tuple(r.value for r in rows) for key, rows in groupby(records, key=lambda record: record.operation)}


def test_values_of_1_9_3():
    assert summary("193-dellD") == {
        "directory-create": (268516.326, 114515.596, 169039.163, 70449.394),
        "directory-stat": (5131582.323, 978173.685, 2920063.412, 1706307.075),
        "directory-remove": (38045.839, 4233.362, 17345.691, 14809.955),
        "tree-create": (29819.888, 14379.248, 19583.811, 7238.344),
        "tree-remove": (1907.347, 912.670, 1332.428, 420.636),
    }


def test_values_of_4_0_0():
    assert summary("400-fsx")["file-create"] == (140406.862, 86542.949, 104774.014, 30861.737)
    assert summary("400-pixstor")["file-remove"] == (8247.942, 8247.942, 8247.942, 0.0)


def test_times_are_seconds_whatever_their_heading_says():
    assert b"SUMMARY time (in ms/op): (of 1 iterations)" in load("4.1.0-dev-time")
    records = read(load("4.1.0-dev-time"))
    assert {(record.metric, record.unit) for record in records} == {("elapsed", "s")}


def test_a_time_that_was_rounded_to_zero_is_there_where_a_rate_tells_that_the_phase_ran():
    log = load("4.0.0-rate-and-time")
    zeros = [r for r in read(log) if r.metric == "elapsed" and r.value == 0.0 and r.statistic == "min"]
    assert zeros and all("rounded" in record.caveats for record in zeros)


def test_times_that_a_phase_without_items_prints_are_left_out():
    """1.9.3 prints the time of a read that was not asked for: 0.020 sec, 0.000 ops/sec."""
    assert b"File read         :          0.020 sec,          0.000 ops/sec" in load("1.9.3-create-only")
    assert {r.operation for r in read(load("1.9.3-create-only"))} == {"file-create", "tree-create"}


def test_ranges_of_ranks_are_tests_of_their_own():
    threads = [key for key, _ in groupby(read(load("4.0.0-ranges")), key=lambda record: record.factors["threads"])]
    assert threads == [1, 2, 3, 4]
    threads = [key for key, _ in groupby(read(load("1.9.3-stride")), key=lambda record: record.factors["threads"])]
    assert threads == [1, 2, 4]


def test_the_stonewalled_rate_has_its_own_definition():
    records = read(load("3.3.0-stonewall"))
    found = {(r.metric, r.statistic): r.value for r in records if r.caveats == ("stonewalled",)}
    assert found == {("elapsed", "value"): 1.007, ("rate", "mean"): 859.858}


def test_results_of_each_process_name_its_rank():
    records = [record for record in read(load("4.0.0-processes")) if "rank" in record.factors]
    assert [record.factors["rank"] for record in records[:4]] == [0, 1, 2, 0]
    assert {record.repetition for record in records} == {0, 1}
    first = records[0]
    assert (first.operation, first.metric, first.value, first.caveats) == (
        "directory-create", "rate", 6578.784, ("one-rank-only",),
    )  # fmt: skip


ITEMS = [name for name, told in READ.items() if told[3] and "items" in told[3] and b"V-1: " in load(name)]


@pytest.mark.parametrize("name", ITEMS)
def test_rate_times_elapsed_is_the_number_of_items(name):
    """Up to 3.3 a row of -v holds the items of all ranks, from 4.0 on those of rank 0."""
    records = [r for r in read(load(name)) if r.statistic == "value" and r.operation[:4] != "tree"]
    checked = 0
    for elapsed, rate in zip(records[::2], records[1::2], strict=True):
        assert (elapsed.metric, rate.metric, elapsed.operation) == ("elapsed", "rate", rate.operation)
        items = rate.factors["items"] / (rate.factors["threads"] if "rank-0-only" in rate.caveats else 1)
        assert abs(rate.value * elapsed.value - items) <= 0.0005001 * (rate.value + elapsed.value)
        checked += 1
    assert checked


@pytest.mark.parametrize("name", ["3.3.0-rate-and-time", "4.0.0-rate-and-time", "4.1.0-dev-rank-statistics"])
def test_the_highest_rate_times_the_least_time_is_the_number_of_items(name):
    records = [r for r in read(load(name)) if r.operation[:4] != "tree" and "one-rank-only" not in r.caveats]
    figures = {(r.operation, r.metric, r.statistic): r.value for r in records}
    items = records[0].factors["items"]
    for operation in {record.operation for record in records}:
        for high, low in (("max", "min"), ("min", "max")):
            rate, elapsed = figures[operation, "rate", high], figures[operation, "elapsed", low]
            assert abs(rate * elapsed - items) <= 0.0005001 * (rate + elapsed)


def test_the_tree_is_the_same_in_the_rows_and_in_the_summary():
    records = [
        record for record in read(load("400-fsx")) if record.operation == "tree-remove" and record.metric == "rate"
    ]
    rows = [record.value for record in records if record.statistic == "value"]
    assert [rows, len(rows)] == [[328.836, 162.841, 171.792], 3]
    assert summary("400-fsx")["tree-remove"][:2] == (max(rows), min(rows))


@pytest.mark.parametrize("name", READ)
def test_its_first_line_tells_the_version_before_anything_is_read(name):
    assert printed_version(load(name)) == READ[name][0]


def test_without_its_first_line_no_version_is_told():
    assert printed_version(b"-- started at 11/22/2026 05:33:25 --\n") is None
