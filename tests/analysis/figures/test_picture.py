"""A picture is rendered once, with its title, and displayed and saved as SVG."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from canvas import find_outside

from coldcache.analysis.figures.axes import name_lines
from coldcache.analysis.figures.bands import draw_bands
from coldcache.analysis.figures.picture import Picture, picture_of, picture_of_map
from coldcache.analysis.figures.runs import draw_runs
from coldcache.analysis.figures.style import COLOURS, house_style
from coldcache.analysis.report_links import without_links


@pytest.fixture
def draw(sweep):
    def make(title="Reads grow"):
        with house_style():
            _, axes = plt.subplots()
            axes.plot([1, 2], [1, 2])
            draw_runs(axes, sweep, sweep.cells)
            return picture_of(sweep, axes.figure, title, "A note.", None, "A note.")

    return make


def test_a_picture_of_a_sweep_says_how_to_read_it_and_what_it_shows(draw, sweep):
    picture = draw()
    assert picture.caption == f"{sweep.caption()} A note."
    assert picture.sweeps == ("s/w",)
    assert picture.figure.get_suptitle() == "Reads grow"
    assert picture.figure.number not in plt.get_fignums() if hasattr(picture.figure, "number") else True


def test_no_line_of_a_title_begins_with_a_unit(draw):
    title = draw(
        "With 64 threads random reads: half are done within 1.27 ms, 99 % are within 9 ms"
    ).figure.get_suptitle()
    assert title.count("\n") == 1 and "1.27 ms" in title and "99 %" in title
    for length in range(1, 40):
        lines = draw(f"{'x' * length} writes reach up to 254 k/s and 99 % of them").figure.get_suptitle()
        assert "254 k/s" in lines and "99 %" in lines


def test_a_map_has_no_marks_to_explain(sweep):
    with house_style():
        picture = picture_of_map(sweep, plt.figure(), "A map")
    assert picture.caption.startswith("Each cell is the median of a case. Trials: 30 valid. Reads: ")
    assert "ots" not in picture.caption


def test_a_long_title_is_wrapped_within_the_figure_and_has_no_links(draw):
    picture = draw('Writes <a href="x">grow</a> 2 times, and reads show no growth at all from 1 to 1,024 threads.')
    assert picture.title == "Writes grow 2 times, and reads show no growth at all from 1 to 1,024 threads."
    assert picture.figure.get_suptitle().count("\n") == 1
    assert find_outside(picture.figure) == []


def test_a_picture_is_saved_as_svg_and_its_ids_differ_from_those_of_another(draw, tmp_path):
    picture = draw().save(tmp_path / "dataset.nc", "curve")
    saved = (tmp_path / "by-hand/figures/curve.svg").read_text()
    assert saved == without_links(picture.svg)
    assert "<a " not in saved
    html = picture._repr_mimebundle_()["text/html"]
    other = draw("Reads fall")._repr_mimebundle_()["text/html"]
    assert 'role="group" aria-label="Reads grow"' in html
    assert '<figure class="coldcache-figure" id="figure-curve" data-name="curve" data-sweeps="s/w">' in html
    ids = [{part.split('"')[0] for part in page.split(' id="')[1:]} for page in (html, other)]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_links_have_labels_and_only_those_of_cases_are_reached_by_the_tab_key(draw):
    html = draw()._repr_mimebundle_()["text/html"]
    assert html.count('aria-label="read, threads 1: 100 MB/s (93.8 %: 90.0 to 130 MB/s), 5 runs"') == 1
    assert 'tabindex="-1" aria-label="read, threads 1, r0: 90.0 MB/s"' in html


def test_text_is_text_and_series_can_be_found(sweep):
    with house_style():
        _, axes = plt.subplots()
        axes.plot([1, 2, 4], sweep.cells.estimate.sel(operation="read"), color=COLOURS["read"], marker="s")
        draw_bands(axes, sweep.cells)
        draw_runs(axes, sweep, sweep.cells)
        name_lines(axes, sweep.cells, by="operation")
        svg = picture_of(sweep, axes.figure, "Reads grow").svg
    assert ">Reads grow</text>" in svg
    assert svg.count('data-series-name="read"') == 1
    # The line, its band, fifteen runs and three links to cases.
    assert svg.count('data-series="read"') == 20
    assert 'id="series' not in svg and 'id="name' not in svg


def test_the_numbers_of_a_picture_are_saved_beside_it(draw, sweep, tmp_path):
    draw().save(tmp_path / "dataset.nc", "curve")
    saved = pd.read_csv(tmp_path / "by-hand/figures/curve.csv")
    assert saved["median"].tolist() == sweep.table()["median"].tolist()
    assert saved.trials[0] == "40000000.0 50000000.0 55000000.0 50000000.0 50000000.0"
    assert set(saved.unit) == {"B/s"}


def test_a_picture_without_links_is_an_image():
    with house_style():
        figure, axes = plt.subplots()
        axes.plot([1, 2], [1, 2])
        html = Picture(figure, "A & B", "How.")._repr_mimebundle_()["text/html"]
    assert 'role="img" aria-label="A &amp; B"' in html
    assert "<figcaption>How.</figcaption></figure>" in html


def test_the_same_figure_gives_the_same_bytes(draw):
    assert draw().svg == draw().svg
