"""The report in Debian's Chromium, opened from the disk as a reader does."""

import functools
import http.server
import threading
from pathlib import Path

import axe_playwright_python
import pytest
from browsing import BEHIND, DESK, PHONE, colour

AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A static server that says nothing."""

    def log_message(self, *_):
        pass


#: A page answers a change of its width some time after it: then each table that scrolls can be reached by keys.
REACHED_BY_KEYS = """() => [...document.querySelectorAll(".pst-scrollable-table-container")].every(
    box => box.tabIndex >= 0 || box.scrollWidth <= box.clientWidth)"""


#: All rules; of those that a page keeps, one place is enough.
RULES = {"resultTypes": ["violations"]}

#: In the dark nothing but colours is another.
CONTRAST = {**RULES, "runOnly": ["color-contrast"]}


def test_no_page_asks_a_network_or_complains(walk, names, complaints):
    for name, _ in walk(names):
        assert complaints == [], name


def test_no_page_is_wider_than_a_phone(walk, names):
    for name, page in walk(names, PHONE):
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, name


def test_code_is_left_to_the_notebook_that_the_page_leads_to(walk, chapters):
    for name, page in walk(chapters):
        assert page.query_selector_all(".cell_input") == []
        link = page.get_attribute(".coldcache-source a", "href")
        assert link == f"../data/notebooks/{name.removesuffix('.html')}.ipynb"


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
    page.click("text=Quality and evidence")
    page.wait_for_url("**/validity.html")
    assert max(colour(page, "body", "backgroundColor")) < 40


def test_the_menu_of_light_and_dark_opens_and_closes_by_mouse_and_keys(open_page):
    page = open_page("index.html")
    menu, switch = (
        page.locator(".theme-switch-container .dropdown-menu").first,
        page.locator(".theme-switch-button").first,
    )
    assert not menu.is_visible()
    for close in (
        lambda: page.mouse.click(700, 700),
        lambda: page.keyboard.press("Escape"),
        lambda: page.click(".theme-change-button[data-mode=light]"),
    ):
        switch.focus()
        page.keyboard.press("Enter")
        assert menu.is_visible()
        close()
        assert not menu.is_visible()
    box = switch.bounding_box()
    switch.click()
    # It hangs below its button, within the page.
    found = menu.bounding_box()
    assert found["y"] >= box["y"] + box["height"] - 4 and found["x"] + found["width"] <= 1280


def test_a_search_from_the_disk_finds_the_page_and_leads_to_it(open_page, complaints):
    page = open_page("quick/write-cache.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("mincore")
    page.keyboard.press("Enter")
    page.wait_for_selector("#search-results li a")
    assert [link.inner_text() for link in page.locator("#search-results li a").all()] == [
        "How each trial runs, and what its numbers mean"
    ]
    page.click("#search-results li a")
    page.wait_for_url("**/methods.html*")
    assert complaints == []


def test_a_phone_has_the_contents_in_a_drawer(open_page):
    page = open_page("index.html", PHONE)
    assert not page.is_visible("text=Methods >> nth=0")
    page.click(".primary-toggle")
    page.click("dialog .theme-switch-button")
    assert page.locator("dialog .dropdown-menu").bounding_box()["x"] >= 0
    page.keyboard.press("Escape")
    page.click(".bd-sidenav li:has(> a:text('Quality and evidence')) > details > summary > .toctree-toggle")
    page.click(".bd-sidenav >> text=Methods")
    page.wait_for_url("**/methods.html")


@pytest.mark.timeout(900)
def test_axe_finds_nothing_that_shuts_a_reader_out(walk, names):
    """On every page of a kind of its own, in the light and in the dark, on a desk and on a phone."""
    script = AXE.read_text()
    alike = {BEHIND[1], BEHIND[3]}
    kinds = {Path(name).name if name.count("/") == 1 else name: name for name in names if name not in alike}
    for name, page in walk(list(kinds.values())):
        page.evaluate(script)
        for viewport, scheme, options in ((DESK, "light", RULES), (DESK, "dark", CONTRAST), (PHONE, "light", RULES)):
            page.set_viewport_size(viewport)
            page.wait_for_function(REACHED_BY_KEYS)
            page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
            found = page.evaluate("options => axe.run(options)", options)
            assert found["passes"], name
            wrong = [(rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"]]
            assert wrong == [], (name, viewport, scheme)


def test_terms_are_explained_where_they_are_used_first(open_page):
    page = open_page("quick/random-iops.html")
    terms = page.locator("article abbr[title]")
    words = [word.lower().removesuffix("s") for word in terms.all_inner_texts()]
    assert words and len(words) == len(set(words))


def test_every_page_has_a_title_of_its_own_that_says_what_was_found(walk, names):
    titles = {}
    for name, page in walk([name for name in names if not name.startswith("trials/")]):
        titles.setdefault(page.title(), []).append(name)
    # In this report all studies show the same notebooks; their titles differ by the name of the study.
    assert [pages for pages in titles.values() if len(pages) > 1] == []
    assert any(title.startswith("Random reads grow") for title in titles)


def test_any_static_server_can_hand_out_the_folder(reference_report, chromium, complaints):
    """Nothing outside the folder is asked for, and a log that was copied is text."""
    handler = functools.partial(Quiet, directory=reference_report)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        context = chromium.new_context()
        page = context.new_page()
        page.on("response", lambda got: complaints.append(got.url) if got.status >= 400 else None)
        for name in ("index.html", "quick/random-iops.html", *BEHIND):
            page.goto(f"http://127.0.0.1:{server.server_port}/{name}")
        page.click("text=The file itself")
        assert page.evaluate("document.contentType") == "text/plain"
        context.close()
        server.shutdown()
    assert complaints == []
