"""Which sweeps answer a question, which published values are shown beside them, and the text where there is no data."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from invented import write_invented

from coldcache.analysis.display import Display, Sentences
from coldcache.analysis.estimates import median_interval
from coldcache.analysis.question import Question
from coldcache.analysis.questions import select
from coldcache.analysis.questions.select import (
    _find_ceilings,
    _split,
    choose,
    choose_all,
    choose_settings,
    published_values,
)
from coldcache.analysis.questions.sizing import tabulate_peaks
from coldcache.analysis.sentences import describe_extremes
from coldcache.analysis.sentences.subjects import list_measured
from coldcache.analysis.tables import Table
from coldcache.dataset.reader import open_sweep, open_table

FILES = ["file-create", "file-stat", "file-read", "file-remove"]


def names(choice):
    return [found.question.sweep for found in choice], [question.sweep for question in choice.absent]


def test_a_sweep_answers_by_its_operations_layout_and_what_it_varies(invent):
    path = invent("dell-lustre")
    assert names(choose(path, "dell-lustre", "throughput", ["write", "read"], "file-per-thread", over="threads")) == (
        ["sequential"],
        [],
    )
    assert names(choose(path, "dell-lustre", "throughput", ["write", "read"], "shared-file", over="threads"))[0] == [
        "shared-file"
    ]
    assert names(choose(path, "dell-lustre", "rate", FILES, over="threads"))[0] == ["files"]
    assert names(choose(path, "dell-lustre", "rate", FILES, item="files per directory"))[0] == [
        "few-directories", "many-directories",
    ]  # fmt: skip


def test_settings_are_chosen_with_the_factor_and_the_metric_that_judges_their_operations(invent):
    choice = choose_settings(invent("dell-lustre"), "dell-lustre", ["sas_driver", "max_sgl_entries", "mdts"])
    assert [(found.question.sweep, found.question.factor, found.metric) for found in choice] == [
        ("sas-driver", "sas_driver", "throughput"),
        ("scatter-gather", "max_sgl_entries", "throughput"),
        ("mdts", "mdts", "rate"),
    ]


def test_a_sweep_without_data_is_told_in_one_line_with_the_reason_and_its_published_values_stand_alone(invent):
    path = invent("dell-lustre", "sequential")
    choice = choose(
        path, "dell-lustre", "rate", ["directory-create", "directory-stat", "directory-remove"], over="threads"
    )
    assert names(choice) == ([], ["directories"])
    shown = choice.show(f"{found}" for found in choice)._repr_mimebundle_()["text/plain"]
    assert shown == (
        "Creating, reading the status of, and removing directories (fig 17; table 3): no data (the site "
        "dell-testbed is described for plans only)."
    )
    published = choice.published(path)._repr_mimebundle_()["text/plain"]
    assert "above 300,000 op/s" in published
    assert published.count("fig 17") == 6


def test_a_study_that_does_not_ask_shows_nothing(invent):
    choice = choose(invent("fsx-metadata"), "fsx-metadata", "throughput", ["write", "read"])
    assert choice.show([])._repr_mimebundle_()["text/plain"] == ""
    assert choice.caveat("By {tool}.")._repr_mimebundle_()["text/plain"] == ""


def test_published_values_are_those_of_the_items_and_of_the_layout(invent):
    (found,) = choose(
        invent("pixstor-nvme"), "pixstor-nvme", "throughput", ["write", "read"], "shared-file", over="threads"
    )
    assert [(value.item, value.operation, value.statistic, value.high) for value in found.published] == [
        ("sec 3", "read", "peak", 51.6e9), ("sec 3", "write", "peak", 34.5e9),
        ("table 4", "write", "peak", 34.5e9), ("table 4", "read", "peak", 51.6e9),
        ("table 4", "write", "sustained", 31.5e9), ("table 4", "read", "sustained", 50e9),
    ]  # fmt: skip


def test_published_values_come_back_from_the_dataset_as_they_are_in_the_file(invent):
    values = published_values(invent("sas-grid"), "sas-grid")
    assert len(values) == 23
    assert values[0].printed == "850.20 MB/s"
    assert values[0].threads is None


def test_counts_are_of_the_calls_and_not_of_the_operations(invent):
    choice = choose_settings(invent("anf-nfs"), "anf-nfs", ["write_mode"], "count")
    found, _ = choice
    assert found.cells.operation.values.tolist() == ["rpc-write"]
    rates, _ = choose_settings(invent("anf-nfs"), "anf-nfs", ["write_mode"])
    assert rates.cells.operation.values.tolist() == ["write"]


def test_calls_that_writes_and_reads_share_are_told_apart_and_rates_and_times_have_no_further_dim(
    invent, shared_calls, monkeypatch
):
    monkeypatch.setattr(select, "open_sweep", lambda *_: shared_calls)
    path = invent("anf-nfs", "rsize-wsize")
    (calls,) = choose_settings(path, "anf-nfs", ["io_size"], "count")
    assert calls.cells.estimate.dims == ("operation", "io_size", "operations")
    assert calls.cells.estimate.sel(operation="rpc-access", io_size=65536).values.tolist() == [7.0, 5.0]
    for metric in ("throughput", "elapsed"):
        (found,) = choose_settings(path, "anf-nfs", ["io_size"], metric)
        assert found.cells.estimate.dims == ("operation", "io_size")
        assert found.cube.elapsed.dims == found.cube.case.dims == ("operation", "io_size", "repetition")
        assert sorted(found.operations()) == ["read", "write"]
        assert len(found.table()) == len(found.pages()) == 6
        assert found.page({"operation": "read", "io_size": 65536}).endswith(
            f"operation=read,io_size=65536/index.html#read-{metric}"
        )


def test_what_is_shown_is_text_and_html_in_order():
    bundle = Display(["first <b>", None, "", "second"])._repr_mimebundle_()
    assert bundle["text/plain"] == "first <b>\nsecond"
    assert bundle["text/html"].splitlines()[0] == '<p class="coldcache-absent">first &lt;b&gt;</p>'
    assert Sentences(["One.", None, "Two."])._repr_mimebundle_()["text/markdown"] == "One.\n\nTwo."


@pytest.mark.parametrize("study", ["dell-lustre", "pixstor-nvme", "fsx-metadata", "sas-grid", "anf-nfs"])
def test_the_scale_of_a_sweep_stands_in_its_caption(invent, study):
    factors = ["sas_driver", "node_pairs", "metadata_iops", "instance_type", "io_size"]
    choice = choose_settings(invent(study), study, factors)
    assert choice.found
    for found in choice:
        assert found.caption().endswith(
            f"Scale: {found.question.why.removeprefix('scaled down: ')}."
            if found.question.why
            else f"Tool: {found.tool}."
        )


@pytest.mark.parametrize(
    ("limits", "operations", "found"),
    [
        ({"read_rate": 2e9, "write_rate": 1e9}, {"read", "write"},
         {"stated limit of reads": 2e9, "stated limit of writes": 1e9}),
        ({"read_rate": 2e9, "write_rate": 2e9}, {"read", "write"}, {"stated limit": 2e9}),
        ({"read_rate": 2e9, "write_rate": 2e9}, {"random-read"}, {"stated limit of reads": 2e9}),
        ({"read_rate": 2e9}, {"read", "write"}, {"stated limit of reads": 2e9}),
        ({"read_rate": 2e9}, {"file-stat"}, {}),
        ({"measured_read_rate": 2e9, "write_rate": 1e9}, {"read", "write"},
         {"measured limit of reads": 2e9, "stated limit of writes": 1e9}),
        ({"doubtful_write_rate": 2e9}, {"write"}, {"measured, doubtful limit of writes": 2e9}),
    ],
)  # fmt: skip
def test_limits_that_are_alike_have_one_name(limits, operations, found):
    assert _find_ceilings(limits, operations, "throughput") == found
    assert _find_ceilings(limits, operations, "rate") == {}


def test_a_sweep_of_several_factors_has_a_part_for_each_combination_that_was_planned():
    dims, levels = ("operation", "threads", "io_size", "file_layout", "repetition"), ["file-per-thread", "a b"]
    verdict = np.full((1, 2, 2, 2, 1), "valid", dtype=object)
    verdict[:, :, 1, 1] = ""
    cube = xr.Dataset(
        {"verdict": (dims, verdict)}, {"threads": [1, 2], "io_size": [4096, 65536], "file_layout": levels}, {"a": 1}
    )
    parts = _split(cube, Question("s", "w", "Writes"), "threads")
    assert [(question.part, question.title) for _, question in parts] == [
        ("io-size-4096-file-layout-file-per-thread", "Writes, rsize and wsize 4 KiB, file layout file-per-thread"),
        ("io-size-4096-file-layout-a-b", "Writes, rsize and wsize 4 KiB, file layout a b"),
        ("io-size-65536-file-layout-file-per-thread", "Writes, rsize and wsize 64 KiB, file layout file-per-thread"),
    ]
    assert parts[0][0].attrs == {"a": 1, "io_size": 4096, "file_layout": "file-per-thread"}
    assert {part.verdict.dims for part, _ in parts} == {("operation", "threads", "repetition")}
    ((_, question),) = _split(cube.isel(io_size=0, file_layout=0, drop=True), Question("s", "w", "Writes"), "threads")
    assert (question.part, question.title) == ("", "Writes")


def test_an_operation_whose_runs_are_all_void_is_named_with_the_reason_wherever_the_sweep_is_shown(root, tmp_path):
    write_invented(root, tmp_path / "dataset.nc", "dell-lustre", "sequential", void="read")
    choice = choose_all(tmp_path / "dataset.nc", "dell-lustre")
    (found,) = choice
    runs = int((found.cube.verdict.sel(operation="read") == "void").sum())
    reason = f"none of {runs} runs counts: the rule too-short objects"
    assert runs >= 25 and found.silent == {"read": reason}
    assert list_measured(found) == ["write"]
    said = describe_extremes(found)
    assert said.count("writes range from") == 1 and said.endswith(f". No figure of read: {reason}.")
    assert f" No figure of read: {reason}. " in found.caption()
    rows = Table.of(found, "Every case").numbers
    assert (rows.operation == "read").sum() == (rows.operation == "write").sum() > 1
    assert rows[rows.operation == "read"]["n"].eq(0).all()


def test_only_sweeps_with_one_of_the_operations_are_chosen_of_all(root, tmp_path):
    write_invented(root, tmp_path / "dataset.nc", "dell-lustre", "sequential")
    found, _ = names(choose_all(tmp_path / "dataset.nc", "dell-lustre", ["read", "file-create"]))
    assert found == ["sequential"]
    found, absent = names(choose_all(tmp_path / "dataset.nc", "dell-lustre", ["random-read"]))
    assert found == [] and "random" in absent and "sequential" not in absent


def test_a_sweep_of_which_no_trial_counts_is_absent_with_the_reason(root, tmp_path):
    write_invented(root, tmp_path / "dataset.nc", "dell-lustre", "mdts", void="file-create")
    choice = choose_all(tmp_path / "dataset.nc", "dell-lustre")
    (line,) = [part for part in choice.show([]).parts if "two metadata targets" in part]
    assert re.fullmatch(r"File creation .*: no data \(none of [0-9]+ runs counts: the rule too-short objects\)\.", line)


def test_combinations_of_levels_of_which_no_trial_counts_are_absent_together_with_the_reason(invent, monkeypatch):
    path = invent("dell-lustre", "sequential")
    cube, verdicts = open_sweep(path, "dell-lustre", "sequential"), open_table(path, "verdicts", "dell-lustre")
    lost = cube.assign(throughput=cube.throughput.where(False), case=cube.case.where(False, "lost"))
    rows = [{"sweep": "sequential", "case": "lost", "verdict": "void", "reasons": "it failed; so"}] * 7
    sizes = pd.Index([2**20, 2**30, 2**31], name="file_size")
    wide = xr.concat([cube.drop_attrs(deep=False), lost, lost], sizes, coords="minimal").assign_attrs(cube.attrs)
    monkeypatch.setattr(select, "open_sweep", lambda *_: wide)
    shown = {"verdicts": pd.concat([verdicts, pd.DataFrame(rows)])}
    monkeypatch.setattr(select, "open_table", lambda path, name, study: shown.get(name, open_table(path, name, study)))
    choice = choose(path, "dell-lustre", "throughput", ["write", "read"], over="threads")
    (found,) = (one for one in choice if one.question.sweep == "sequential")
    assert found.question.part == "file-size-1048576"
    (line,) = [part for part in choice.show([]).parts if "combinations" in part]
    assert line.endswith(", 2 of 3 combinations of levels (fig 11): no data (none of 7 runs counts: it failed).")


def test_rates_of_names_by_a_substitute_are_never_compared_with_what_the_document_states(invent, monkeypatch):
    path = invent("pixstor-nvme")
    chosen = (path, "pixstor-nvme", "rate", FILES)
    # What goes on with files of other clients repeats nothing of the document.
    own, others = choose(*chosen, over="threads")
    assert others.question.sweep == "metadata-others" and others.published == ()
    sweeps = open_table(path, "sweeps", "pixstor-nvme").assign(in_place_of="mdtest", tool="fio")
    monkeypatch.setattr(
        select, "open_table", lambda path, name, study: sweeps if name == "sweeps" else open_table(path, name, study)
    )
    choice = choose(*chosen, over="threads")
    found, _ = choice
    stated = {"metadata": own.published, "metadata-others": ()}
    assert (len(own.published), found.published, choice.stated) == (13, (), stated)
    # A part of the sweep that has no data repeats nothing.
    choice.absent.append(found.question)
    (table,) = choice.published(path).parts
    assert (len(table.shown), set(table.shown["measured here"])) == (13, {"–"})
    # The invented trials are mdtest's.
    why = "rates of names by mdtest 1 do not compare with those of another tool"
    assert table.caption == f"{found.question.title}: published only, since {why}"
    # Transfers are defined alike by all tools.
    transfers = choose(path, "pixstor-nvme", "throughput", ["write", "read"], over="threads")
    assert any(one.published for one in transfers)
    peaks = tabulate_peaks(path, "pixstor-nvme", [*transfers, found]).numbers
    is_of_names = peaks.workload.str.startswith("file metadata")
    assert peaks[is_of_names].measured.isna().all() and peaks[~is_of_names].measured.notna().any()
    assert tabulate_peaks(path, "pixstor-nvme", [own]).numbers.measured.notna().any()


def test_curves_are_of_sweeps_that_vary_nothing_beside_the_threads_and_their_setting(sweep):
    def vary(**factors):
        cube = sweep.cube.expand_dims(factors)
        asked = replace(sweep.question, factor="write_cache")
        return replace(sweep, cube=cube, cells=median_interval(cube.throughput), question=asked)

    plain = vary(write_cache=["off", "on"])
    wide = vary(write_cache=["off", "on"], transfer_size=[4096, 8192])
    at_one = replace(plain, cells=plain.cells.isel(threads=0, drop=True))
    selection = select.SweepSelection("s", [wide, plain, at_one], [])
    (found,) = selection.over("threads")
    assert found is plain
    first, second = selection.over("threads", "write_cache", "transfer_size")
    assert first is wide and second is plain
    (found,) = selection.without("threads")
    assert found is at_one
