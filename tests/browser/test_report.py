"""The report in Debian's Chromium, opened from the disk as a reader does."""

from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

CHROMIUM = Path("/usr/bin/chromium")
INTERRUPTED = "net::ERR_ABORTED"
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        path = CHROMIUM if CHROMIUM.exists() else None
        # Without --no-sandbox Chromium refuses to run as root, as it does in a container.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def complaints():
    """What a browser has to complain of, and every request that is not for a file."""
    return []


@pytest.fixture
def open_page(chromium, reference_report, complaints):
    """Return a function that opens a page of the report."""
    contexts = []

    def open_(name, viewport=DESK, **more):
        context = chromium.new_context(viewport=viewport, **more)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        # A load that the next page interrupts has not failed.
        page.on("requestfailed", lambda asked: None if asked.failure == INTERRUPTED else complaints.append(asked.url))
        page.on("request", lambda asked: None if asked.url.startswith("file://") else complaints.append(asked.url))
        page.goto(f"{reference_report.as_uri()}/{name}")
        return page

    yield open_
    for context in contexts:
        context.close()


@pytest.fixture
def walk(open_page, reference_report):
    """Return a function that yields each of some pages by its name, open in one tab."""

    def walk_(names, viewport=DESK):
        page = open_page(names[0], viewport)
        for name in names:
            page.goto(f"{reference_report.as_uri()}/{name}")
            yield name, page

    return walk_


@pytest.fixture(scope="module")
def names(reference_report):
    return sorted(str(path.relative_to(reference_report)) for path in reference_report.rglob("*.html"))


@pytest.fixture(scope="module")
def chapters(reference_report):
    found = sorted(path.name for path in (reference_report / "quick").glob("*.html") if path.name != "index.html")
    assert len(found) == 4
    return [f"quick/{name}" for name in found]


def colour(page, selector, kind):
    """Return red, green and blue of what a page shows."""
    text = page.eval_on_selector(selector, f"element => getComputedStyle(element).{kind}")
    return [float(part) for part in text.partition("(")[2].rstrip(")").split(",")][:3]


def test_no_page_asks_a_network_or_complains(walk, names, complaints):
    for name, _ in walk(names):
        assert complaints == [], name


def test_no_page_is_wider_than_a_phone(walk, names):
    for name, page in walk(names, PHONE):
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, name


def test_wide_tables_move_inside_their_box(open_page):
    page = open_page("quick/write-cache.html", PHONE)
    box = page.eval_on_selector(
        ".text_html:has(table)", "box => [box.clientWidth, box.scrollWidth, getComputedStyle(box).overflowX]"
    )
    assert box[0] <= 390 < box[1]
    assert box[2] == "auto"


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_figures_fit_and_say_what_they_show(walk, chapters, viewport):
    for name, page in walk(chapters, viewport):
        figures = page.query_selector_all("figure.coldcache-figure > svg[role=img]")
        assert figures, name
        assert len(figures) == len(page.query_selector_all("figure.coldcache-figure svg"))
        for figure in figures:
            assert len(figure.get_attribute("aria-label")) > 20
            box = figure.bounding_box()
            assert 0 <= box["x"] < box["x"] + box["width"] <= viewport["width"]
            assert box["width"] > 300
            assert 0.4 < box["height"] / box["width"] < 1.2


def test_code_is_left_to_the_notebook_that_the_page_leads_to(walk, chapters):
    for name, page in walk(chapters):
        assert page.query_selector_all(".cell_input") == []
        link = page.get_attribute(".coldcache-source a", "href")
        assert link == f"../../notebooks/{name.removesuffix('.html')}.ipynb"


def test_findings_stand_on_the_first_screen(open_page):
    page = open_page("index.html")
    answers = page.locator("dl > dd").all()
    assert len(answers) >= 4
    assert answers[0].bounding_box()["y"] < DESK["height"] / 2


def test_the_page_follows_the_wish_for_dark_and_figures_stay_on_white(open_page):
    light, dark = (open_page("quick/write-cache.html", color_scheme=scheme) for scheme in ("light", "dark"))
    assert min(colour(light, "body", "backgroundColor")) > 240
    assert max(colour(dark, "body", "backgroundColor")) < 40
    assert min(colour(dark, "figcaption", "color")) > 120
    assert min(colour(dark, "table.coldcache-table td", "color")) > 120
    assert colour(dark, "figure svg", "backgroundColor") == [255, 255, 255]


def test_the_switch_turns_the_page_dark_and_the_next_page_stays_so(open_page):
    page = open_page("index.html", color_scheme="light")
    page.click(".theme-switch-button")
    page.click(".theme-change-button[data-mode=dark]")
    page.click("text=Validity")
    page.wait_for_url("**/validity.html")
    assert max(colour(page, "body", "backgroundColor")) < 40


def test_paper_is_white_whatever_the_screen_is(open_page):
    page = open_page("quick/write-cache.html", color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert min(colour(page, "body", "backgroundColor")) > 240
    assert max(colour(page, "article p", "color")) < 100
    assert not page.is_visible(".bd-sidebar-primary")


def test_a_search_from_the_disk_finds_the_page_and_leads_to_it(open_page, complaints):
    page = open_page("quick/write-cache.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("mincore")
    page.keyboard.press("Enter")
    page.wait_for_selector("#search-results li a")
    assert [link.inner_text() for link in page.locator("#search-results li a").all()] == ["Methods"]
    page.click("#search-results li a")
    page.wait_for_url("**/methods.html*")
    assert complaints == []


def test_a_phone_has_the_contents_in_a_drawer(open_page):
    page = open_page("index.html", PHONE)
    assert not page.is_visible("text=Methods >> nth=0")
    page.click(".primary-toggle")
    page.click(".bd-sidenav >> text=Methods")
    page.wait_for_url("**/methods.html")
