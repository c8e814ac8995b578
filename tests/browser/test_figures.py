"""Figures of the report in a browser: they fit, can be read, say their values, and lead to trials."""

import itertools
import re

import pytest
from browsing import DESK, PHONE

from coldcache.analysis.figures.style import find_contrast

#: Texts of a drawing: where they are on the page, what they say, and in which colour.
TEXTS = """figure => [...figure.querySelectorAll("svg text")].map(text => {
    const box = text.getBoundingClientRect(), style = getComputedStyle(text);
    return {text: text.textContent, left: box.left, right: box.right, top: box.top, bottom: box.bottom,
            fill: style.fill, size: box.height};
}).filter(text => text.text.trim() && text.right > text.left)"""


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_figures_fit_and_say_what_they_show(walk, chapters, viewport):
    for name, page in walk(chapters, viewport):
        figures = page.query_selector_all("figure.coldcache-figure > svg[role=group]")
        assert figures, name
        assert len(figures) == len(page.query_selector_all("figure.coldcache-figure svg"))
        for figure in figures:
            assert len(figure.get_attribute("aria-label")) > 20
            # A drawing wider than a phone scrolls in the box of its figure.
            box = figure.bounding_box()
            frame = figure.evaluate_handle("svg => svg.closest('figure')").as_element().bounding_box()
            assert 0 <= frame["x"] < frame["x"] + frame["width"] <= viewport["width"]
            assert box["width"] > 300
            # A forest is as high as its rows: two ratios make a flat one.
            is_forest = figure.evaluate("svg => svg.closest('figure').dataset.name.endsWith('-ratios')")
            assert (0.3 if is_forest else 0.4) < box["height"] / box["width"] < 1.2


def test_points_and_dots_of_a_figure_can_be_clicked(open_page):
    page = open_page("quick/random-iops.html")
    page.click("figure svg a[href$='threads=4/index.html#random-read-rate']", position={"x": 2, "y": 8})
    page.wait_for_url("**/operation=random-read,threads=4/index.html#random-read-rate")
    page.go_back()
    page.locator("figure svg a[href$='threads=1/r3.html#random-write-rate']").first.dispatch_event("click")
    page.wait_for_url("**/operation=random-write,threads=1/r3.html#random-write-rate")


def test_a_mark_says_its_value_interval_and_runs_and_leads_to_the_trial(open_page):
    page = open_page("quick/random-iops.html")
    tip = page.locator(".coldcache-tip")
    assert not tip.is_visible()
    mark = page.locator("figure svg a[href$='threads=4/index.html#random-read-rate']").first
    mark.dispatch_event("pointerover")
    # The median over ten runs with its interval, as the table below the figure has it.
    row = page.locator("table tbody tr", has_text="random-read").nth(2).locator("td").all_inner_texts()
    row = [cell.replace("\N{NO-BREAK SPACE}", " ") for cell in row]
    low, high = row[3].removesuffix(" k/s"), row[4]
    assert tip.inner_text() == f"{row[2]} (95 %: {low} to {high}), 10 runs\nrandom read, threads 4"
    page.keyboard.press("Escape")
    assert not tip.is_visible()
    mark.focus()
    assert tip.is_visible()
    box = tip.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= DESK["width"]


def test_the_name_of_a_series_switches_it_off_and_on_also_by_key(open_page):
    page = open_page("quick/random-iops.html")
    figure = page.locator("figure.coldcache-figure").first
    name = figure.locator("[data-series-name]", has_text="random read")
    parts = figure.locator(f"[data-series='{name.get_attribute('data-series-name')}']")
    others = figure.locator("[data-series]").count() - parts.count()
    assert parts.count() > 30 < others
    name.click()
    assert name.get_attribute("aria-pressed") == "false"
    assert not any(part.is_visible() for part in parts.all())
    assert figure.locator("[data-series]").evaluate_all("all => all.filter(one => !one.style.display).length") == others
    name.focus()
    page.keyboard.press("Enter")
    assert name.get_attribute("aria-pressed") == "true"
    assert parts.first.is_visible()


def test_scripts_of_the_report_are_small_and_figures_are_whole_without_them(open_page, reference_report):
    own = [reference_report / "_static" / name for name in ("figures.js", "tables.js", "theme.js")]
    assert sum(path.stat().st_size for path in own) < 20_000
    all_scripts = [path for path in (reference_report / "_static").rglob("*.js") if "searchindex" not in path.name]
    assert sum(path.stat().st_size for path in all_scripts) <= 300_000
    page = open_page("quick/random-iops.html", java_script_enabled=False)
    assert page.locator("figure svg a[aria-label]").count() > 60
    page.click("figure svg a[href$='threads=4/index.html#random-read-rate']", position={"x": 2, "y": 8})
    page.wait_for_url("**/operation=random-read,threads=4/index.html#random-read-rate")


def test_figures_tables_and_numbers_have_links_of_their_own(walk, chapters):
    for name, page in walk(chapters):
        for figure in page.locator("figure.coldcache-figure").all():
            assert figure.locator(f"a[href='#{figure.get_attribute('id')}']").count() == 1, name
            assert figure.locator("a[href$='.csv']").count() == 1, name
            assert figure.locator("a[href*='trials/']").count() >= 1, name
        for table in page.locator("table.coldcache-table").all():
            assert table.locator(f"caption a[href='#{table.get_attribute('id')}']").count() == 1, name
            assert table.locator("caption a[href$='.csv']").count() == 1, name
        ids = page.eval_on_selector_all("[id]", "all => all.map(one => one.id)")
        assert len(ids) == len(set(ids)), name


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_texts_of_drawings_do_not_collide_and_can_be_read(walk, chapters, viewport):
    slack = 2
    for name, page in walk([*chapters, "quick/index.html"], viewport):
        for figure in page.locator("figure.coldcache-figure").all():
            texts = figure.evaluate(TEXTS)
            frame = figure.locator("svg").bounding_box()
            assert len(texts) > 5, name
            for text in texts:
                assert find_contrast([int(part) / 255 for part in re.findall(r"\d+", text["fill"])[:3]]) >= 4.5, text
                assert text["left"] > frame["x"] - slack, (name, text)
                assert text["right"] < frame["x"] + frame["width"] + slack, (name, text)
            for one, other in itertools.combinations(texts, 2):
                across = min(one["right"], other["right"]) - max(one["left"], other["left"])
                down = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
                assert across <= slack or down <= slack + 0.15 * min(one["size"], other["size"]), (name, one, other)
