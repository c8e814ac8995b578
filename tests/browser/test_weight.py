"""What a reader's browser fetches to show a page: little, and style sheets without a rule that a page needs."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pydata_sphinx_theme
import pytest

SCREEN = {"width": 1440, "height": 900}

THEME = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static/styles/pydata-sphinx-theme.css"

#: The report of the reference campaign as `make reference` renders it, with every figure.
RENDERED = Path(__file__).parents[2] / "results/reference/report"

LIMIT = 400_000

#: Selectors of rules of one sheet that the other lacks and of which an element is on the page.
LOST = """([whole, kept]) => {
    const listRules = (text) => {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(text);
        const inner = (rules) => [...rules].flatMap(rule => rule.selectorText
            ? rule.selectorText.split(/,(?![^(]*\\))/).map(one => one.trim()) : inner(rule.cssRules || []));
        return inner(sheet.cssRules);
    };
    const there = new Set(listRules(kept));
    const state = /::?(before|after|hover|focus[a-z-]*|active|visited|[a-z-]*placeholder)\\b/g;
    return listRules(whole).filter(one => !there.has(one)).filter(one => {
        try { return document.querySelector(one.replace(state, "")); } catch { return false; }
    });
}"""


@pytest.mark.skipif(not RENDERED.is_dir(), reason="needs results/reference: make reference")
@pytest.mark.parametrize("name", ["index.html", "quick/index.html", "dell-lustre/random-iops.html", "claims.html"])
def test_a_page_of_the_reference_weighs_at_most_400_kb(chromium, name):
    context = chromium.new_context(viewport=SCREEN)
    page = context.new_page()
    fetched = set()
    page.on("request", lambda asked: fetched.add(Path(unquote(urlsplit(asked.url).path))))
    page.goto(f"{RENDERED.as_uri()}/{name}")
    page.wait_for_load_state("networkidle")
    context.close()
    assert len(fetched) > 10
    assert sum(path.stat().st_size for path in fetched) <= LIMIT, sorted(fetched)


def test_the_index_of_the_search_is_fetched_by_its_page_alone(open_page):
    for name, wanted in (("quick/index.html", False), ("search.html?q=mincore", True)):
        names = open_page(name).evaluate("[...document.scripts].map(one => one.src)")
        assert any(address.endswith("searchindex.js") for address in names) == wanted, name


def test_no_rule_of_the_theme_that_a_page_needs_is_removed(walk, names, reference_report):
    whole = re.sub(r"@charset[^;]*;", "", THEME.read_text())
    kept = (reference_report / "_static/styles/pydata-sphinx-theme.css").read_text()
    for name, page in walk(names):
        assert page.evaluate(LOST, [whole, kept]) == [], name


def test_icons_are_drawn_without_a_font(open_page):
    page = open_page("index.html")
    icons = page.locator(".fa-solid").all()
    assert len(icons) > 10
    for icon in icons:
        assert "svg" in icon.evaluate("icon => getComputedStyle(icon, '::before').maskImage"), icon.get_attribute(
            "class"
        )
