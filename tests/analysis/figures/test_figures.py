"""Figures show what estimates say: names, marks, ceilings, published values and laws, found in the SVG that is drawn.

Letters are drawn as paths, and stand in comments beside them.
"""

import re
from functools import partial

import pandas as pd
import pytest

from coldcache.analysis.figures import (
    draw_counts,
    draw_grid,
    draw_levels,
    draw_over_threads,
    draw_paired,
    draw_provisioning,
    draw_residuals,
)
from coldcache.analysis.questions.select import choose, choose_settings
from coldcache.analysis.report_links import without_links


@pytest.fixture
def sequential(invent):
    (found,) = choose(
        invent("dell-lustre"), "dell-lustre", "throughput", "write read", "file-per-thread", over="threads"
    )
    return found


def labels(picture):
    return [line.strip()[5:-4] for line in picture.svg.splitlines() if line.strip().startswith("<!-- ")]


def test_lines_are_named_at_their_ends_and_the_axes_say_quantity_unit_and_scale(sequential):
    picture = draw_over_threads(sequential, "Reads grow", "throughput")
    shown = labels(picture)
    assert {"read", "write", "throughput, GB/s", "threads (log2)", "Reads grow"} <= set(shown)
    assert "0" in shown


def test_a_ceiling_is_dashed_where_the_scale_allows_and_told_in_the_caption_in_any_case(sequential):
    near = sequential._replace(ceilings={"stated limit": 40e9})
    picture = draw_over_threads(near, "Reads grow", "throughput")
    assert "stated limit, 40.0 GB/s" in labels(picture)
    assert "Dashed where the scale allows: stated limit 40.0 GB/s." in picture.caption
    far = sequential._replace(ceilings={"stated limit": 400e9})
    assert "stated limit, 400 GB/s" not in labels(draw_over_threads(far, "Reads grow", "throughput"))


def test_published_values_have_a_mark_of_their_own_where_the_scale_allows(sequential):
    picture = draw_over_threads(sequential, "Reads grow", "throughput")
    assert labels(picture).count("published peak (text)") == 2
    assert "Stars and dotted levels: published values." in picture.caption
    (read,) = (value for value in sequential.published if (value.operation, value.unit) == ("read", "B/s"))
    beyond = draw_over_threads(sequential._replace(published=(read._replace(high=1e12),)), "Reads grow", "throughput")
    assert "published peak (text)" not in labels(beyond)
    assert beyond.caption.endswith("1 published value beyond this scale: see the table.")


def test_a_law_is_drawn_beyond_the_tested_threads_as_prediction(sequential):
    assert (
        "beyond 256 threads it is a prediction" in draw_over_threads(sequential, "Up", "throughput", law=True).caption
    )
    few = sequential._replace(
        cube=sequential.cube.isel(threads=slice(4)), cells=sequential.cells.isel(threads=slice(4))
    )
    assert "prediction" not in draw_over_threads(few, "Up", "throughput", law=True).caption


def test_rates_of_metadata_stand_on_a_log10_axis_that_says_so(invent):
    (files,) = choose(
        invent("pixstor-nvme"), "pixstor-nvme", "rate", "file-create file-stat file-read file-remove", over="threads"
    )
    shown = labels(draw_over_threads(files, "Look-ups lead", "files", log=True))
    assert "files, per second (log10)" in shown
    assert {"create", "stat", "read", "remove"} <= set(shown)


def test_a_setting_over_threads_has_a_panel_of_ratios(invent):
    choice = choose_settings(invent("dell-lustre"), "dell-lustre", "write_cache")
    sequential = next(iter(choice))
    shown = labels(draw_paired(sequential, "write_cache", "Twice"))
    assert {"writeback", "writethrough", "threads (log2)", "ratio to", "throughput, GB/s"} <= set(shown)


def test_a_setting_at_one_number_of_threads_has_a_row_per_case_and_its_ratio(invent):
    found, _ = choose_settings(invent("anf-nfs"), "anf-nfs", "write_mode")
    shown = labels(draw_paired(found, "write_mode", "Twice"))
    assert {"async", "sync", "write", "2×", "ratio (log10)"} <= set(shown)


@pytest.mark.parametrize("along", ["threads", "rows"])
def test_void_trials_are_crosses_suspect_ones_hollow_and_reads_not_proved_cold_diamonds(invent, along):
    if along == "threads":
        (found,) = choose(
            invent("dell-lustre"), "dell-lustre", "throughput", "write read", "file-per-thread", over="threads"
        )
        draw = partial(draw_over_threads, finding="A", ylabel="throughput")
    else:
        found, _ = choose_settings(invent("anf-nfs"), "anf-nfs", "write_mode")
        draw = partial(draw_paired, factor="write_mode", finding="A")
    plain = draw(found).svg
    cube = found.cube.copy(deep=True)
    cube["verdict"], cube["cold"] = cube.verdict.astype(object), cube.cold.astype(object)
    first = dict.fromkeys(cube.verdict.dims, 0)
    cube.verdict[first], cube.verdict[{**first, "repetition": 1}] = "suspect", "void"
    cube[found.metric][{**first, "repetition": 1}] = float("nan")
    cube.cold[first] = "unproved"
    changed = draw(found._replace(cube=cube))
    # Each kind of mark is a path of its own: the diamond and the cross are new, and only they.
    shapes = [set(re.findall(r'<path id="m[0-9a-f]+" d="([^"]+)"', svg)) for svg in (plain, changed.svg)]
    assert len(shapes[1] - shapes[0]) == 2
    assert "Hollow dots: suspect." in changed.caption
    assert "Diamonds: reads that are not proved cold." in changed.caption


def test_layouts_have_a_panel_per_operation_and_a_line_per_combination(invent):
    (found,) = choose(
        invent("dell-lustre"), "dell-lustre", "rate", "file-create file-stat file-remove",
        by="stripe_count stripe_size", over="threads",
    )  # fmt: skip
    shown = labels(draw_grid(found, ("stripe_count", "stripe_size"), "Alike"))
    assert {"file create", "file stat", "file remove"} <= set(shown)
    assert shown.count("24 × 4 MiB") == 3


def test_levels_stand_by_size_with_thresholds_and_published_values(invent):
    choice = choose(invent("dell-lustre"), "dell-lustre", "throughput", "write read", by="stripe_count")
    picture = draw_levels(next(iter(choice)), "stripe_count", "Alike", "throughput", {"enough": 1.5e9})
    shown = labels(picture)
    rows = [label for label in shown if label in ("2", "4", "6", "8", "24")]
    assert rows[-5:] == ["2", "4", "6", "8", "24"]
    assert "enough" in shown
    assert picture.caption.endswith("Stars: published values.")


def test_counts_have_a_bar_per_case_and_tell_what_is_missing():
    picture = draw_counts(["64 KiB", "1 MiB"], [16384, float("nan")], "Fewer", "calls", "Bars.", [16384, 1024])
    assert {"16,384", "no data", "64 KiB", "calls"} <= set(labels(picture))


def test_the_star_of_a_published_value_covers_no_count():
    def find_place(published):
        drawn = draw_counts(["64 KiB", "1 MiB"], [16384, 1024], "Fewer.", "calls", "Bars.", (), published)
        assert "Fewer" in labels(drawn)
        return float(re.search(r"<!-- 16,384 -->\s*<g [^>]*translate\(([\d.]+)", drawn.svg)[1])

    assert find_place([16384, 1024]) - find_place([float("nan"), 1024]) == pytest.approx(8, abs=0.01)


def test_trials_are_drawn_over_the_time_at_which_they_ran():
    trials = pd.DataFrame({"minutes": [0.0, 1.0], "ratio": [0.9, 1.1], "sweep": ["a", "b"]})
    picture = draw_residuals(trials, "No drift")
    assert picture.caption == "Dots: 2 trials of 2 sweeps, each over the median of its case."
    assert "value over median of case (log10)" in labels(picture)


def test_the_provisioning_model_is_drawn_with_the_most_that_a_user_may_ask_for():
    picture = draw_provisioning([1200, 12000], [1500, 12000], 192_000, {1200: 1500.0}, "Steps")
    assert "the most that a user may ask for, 192,000" in labels(picture)


def test_a_picture_is_saved_as_svg_and_its_ids_differ_from_those_of_another(sequential, tmp_path):
    picture = draw_over_threads(sequential, "Reads grow", "throughput").save(tmp_path / "dataset.nc", "curve")
    saved = (tmp_path / "by-hand/figures/curve.svg").read_text()
    assert saved == without_links(picture.svg)
    assert "<a " not in saved
    html = picture._repr_mimebundle_()["text/html"]
    other = draw_over_threads(sequential, "Reads fall", "throughput")._repr_mimebundle_()["text/html"]
    assert 'role="group" aria-label="Reads grow"' in html
    ids = [{part.split('"')[0] for part in page.split(' id="')[1:]} for page in (html, other)]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_the_same_estimates_give_the_same_bytes(sequential):
    assert draw_over_threads(sequential, "A", "throughput").svg == draw_over_threads(sequential, "A", "throughput").svg
