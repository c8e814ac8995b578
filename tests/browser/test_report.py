"""The report in Debian's Chromium, opened from the disk as a reader does."""

import functools
import http.server
import json
import threading
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import sync_playwright

CHROMIUM = Path("/usr/bin/chromium")
INTERRUPTED = "net::ERR_ABORTED"
AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


TABLES = Path(__file__).parents[2] / "workflow/report/static/tables.js"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A static server that says nothing."""

    def log_message(self, *_):
        pass


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


#: Behind the numbers: a sweep, a case, a trial with a setting, one that is suspect, and a number in a log.
BEHIND = (
    "trials/quick/random/index.html",
    "trials/quick/metadata/operation=file-remove,threads=1/index.html",
    "trials/quick/metadata/operation=file-remove,threads=1/r0.html",
    "trials/quick/write-cache-random/write_cache=unsafe/r0.html",
    "trials/quick/sequential/operation=read,threads=4/r2.html#read-throughput",
)


@pytest.fixture(scope="module")
def names(reference_report):
    """Every page that Sphinx makes, and one of each kind of the others."""
    found = sorted(str(path.relative_to(reference_report)) for path in reference_report.rglob("*.html"))
    return [*(name for name in found if not name.startswith("trials/")), *BEHIND]


@pytest.fixture(scope="module")
def chapters(root):
    """The pages of the notebooks of the first study whose figures have points that lead to trials."""
    study = json.loads((root / "raw/reference/campaign.json").read_text())["studies"][0]
    assert len(study["notebooks"]) == 6
    return [f"quick/{name}.html" for name in study["notebooks"] if name != "campaign-validity"]


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
        figures = page.query_selector_all("figure.coldcache-figure > svg[role=group]")
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
        assert link == f"../data/notebooks/{name.removesuffix('.html')}.ipynb"


def test_four_figures_and_the_doubts_are_on_the_first_screen(open_page, reference_report):
    page = open_page("index.html")
    first = page.locator(".coldcache-row").first
    boxes = [figure.bounding_box() for figure in first.locator("figure").all()]
    assert len(boxes) == 4 == len({box["x"] for box in boxes}) and len({box["y"] for box in boxes}) == 1
    assert max(box["y"] + box["height"] for box in boxes) < DESK["height"]
    assert "flagged" in page.locator(".coldcache-glance").inner_text()
    drawn = [image.get_attribute("src") for image in first.locator("img").all()]
    assert len(drawn) == 4 and all((reference_report / name).is_file() for name in drawn)


def test_a_phone_shows_the_same_figures_below_each_other_and_readable(open_page):
    page = open_page("index.html", PHONE)
    boxes = [figure.bounding_box() for figure in page.locator(".coldcache-row").first.locator("figure").all()]
    assert len({box["x"] for box in boxes}) == 1 and min(box["width"] for box in boxes) > 278


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
    assert colour(page, "#main-content table td a", "color") == colour(page, "#main-content figcaption a", "color")
    assert max(colour(page, "#main-content table td a", "color")) < 160
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


#: A page answers a change of its width some time after it: then each table that scrolls can be reached by keys.
REACHED_BY_KEYS = """() => [...document.querySelectorAll(".pst-scrollable-table-container")].every(
    box => box.tabIndex >= 0 || box.scrollWidth <= box.clientWidth)"""


#: In the dark nothing but colours is another.
CONTRAST = {"runOnly": ["color-contrast"]}


@pytest.mark.timeout(900)
def test_axe_finds_nothing_that_shuts_a_reader_out(walk, names):
    """On every page of a kind of its own, in the light and in the dark, on a desk and on a phone."""
    script = AXE.read_text()
    alike = {BEHIND[1], BEHIND[3]}
    kinds = {Path(name).name if name.count("/") == 1 else name: name for name in names if name not in alike}
    for name, page in walk(list(kinds.values())):
        page.evaluate(script)
        for viewport, scheme, options in ((DESK, "light", {}), (DESK, "dark", CONTRAST), (PHONE, "light", {})):
            page.set_viewport_size(viewport)
            page.wait_for_function(REACHED_BY_KEYS)
            page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
            found = page.evaluate("options => axe.run(options)", options)
            assert found["passes"], name
            wrong = [(rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"]]
            assert wrong == [], (name, viewport, scheme)


def test_three_clicks_lead_from_a_finding_to_the_bytes_of_its_log(open_page, root):
    page = open_page("quick/index.html")
    found = page.locator("td a[href$='operation=random-read,threads=4/index.html#random-read-rate']").first
    stated = found.inner_text()
    found.click()
    page.wait_for_url("**/operation=random-read,threads=4/index.html#random-read-rate")
    assert stated in page.locator("tfoot tr", has_text="median").inner_text()
    number = page.locator("tbody tr", has_text="r2").locator("a[href$='random-read-rate']")
    shown = number.inner_text()
    number.click()
    page.wait_for_url("**/r2.html#random-read-rate")
    mark = page.locator("mark:target")
    place = mark.bounding_box()
    assert 0 < place["y"] < DESK["height"] - place["height"]
    assert f"{float(mark.inner_text()) / 1000:.1f} k/s" == shown
    page.click("text=The file itself")
    page.wait_for_url("**/r2/stdout.txt")
    log = root / "raw/reference/quick/random/operation=random-read,threads=4/r2/stdout.txt"
    assert page.inner_text("body").split() == log.read_text().split()


def test_points_and_dots_of_a_figure_can_be_clicked(open_page):
    page = open_page("quick/random-iops.html")
    page.click("figure svg a[href$='threads=4/index.html#random-read-rate']", position={"x": 2, "y": 8})
    page.wait_for_url("**/operation=random-read,threads=4/index.html#random-read-rate")
    page.go_back()
    page.locator("figure svg a[href$='threads=1/r3.html#random-write-rate']").first.dispatch_event("click")
    page.wait_for_url("**/operation=random-write,threads=1/r3.html#random-write-rate")


def test_a_long_table_is_sorted_by_the_keyboard_and_says_so(open_page):
    page = open_page("quick/metadata-rates.html")
    rows = page.locator("table.coldcache-table tbody tr")
    heading = page.locator("table.coldcache-table thead th", has_text="median")
    assert heading.get_attribute("aria-sort") is None
    heading.locator("button").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    medians = [row.locator("td").nth(2).inner_text() for row in rows.all()]
    numbers = [float(median.removesuffix(" k/s")) for median in medians]
    assert numbers == sorted(numbers) and len(numbers) == 9
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    assert [row.locator("td").nth(2).inner_text() for row in rows.all()] == medians[::-1]


def test_units_are_sorted_by_what_they_stand_for(open_page):
    page = open_page("validity.html")
    cells = ["1.05 GB/s", "896 MB/s", "2 KiB", "none", "12 µs", "3 ms", "1,024", "5", "1 s", "7 k/s"]
    page.evaluate(
        """cells => {
            document.querySelector("article").innerHTML = '<table class="coldcache-table"><thead><tr><th>x</th></tr>'
                + '</thead><tbody>' + cells.map(text => `<tr><td>${text}</td></tr>`).join("") + '</tbody></table>';
        }""",
        cells,
    )
    page.add_script_tag(path=TABLES)
    page.click("th button")
    found = page.locator("td").all_inner_texts()
    assert found == ["12 µs", "3 ms", "1 s", "5", "1,024", "2 KiB", "7 k/s", "896 MB/s", "1.05 GB/s", "none"]


def test_tables_are_whole_without_scripts(open_page):
    page = open_page("quick/metadata-rates.html", java_script_enabled=False)
    assert page.locator("table.coldcache-table tbody tr").count() == 9
    assert page.locator("table.coldcache-table button").count() == 0
    page.goto(page.url.replace("quick/metadata-rates.html", BEHIND[2]))
    assert page.locator("mark.foremost").count() > 0


def test_a_printed_log_is_whole(open_page, tmp_path):
    page = open_page(BEHIND[4], color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    box = page.eval_on_selector(".coldcache-log", "box => [box.clientHeight, box.scrollHeight]")
    assert box[0] == box[1]
    assert min(colour(page, "body", "backgroundColor")) > 240
    page.pdf(path=tmp_path / "trial.pdf")
    assert (tmp_path / "trial.pdf").read_bytes().startswith(b"%PDF")


PRINTED = (
    "index.html",
    "claims.html",
    "quick/write-cache.html",
    "anf-nfs/nfs-calls.html",
    BEHIND[0],
    BEHIND[1],
    BEHIND[4],
)

#: Everything on a page that paper would cut: what a box hides, and what is wider than the page.
CUT = """() => [...document.querySelectorAll("#main-content *")].filter(element => {
    const style = getComputedStyle(element), box = element.getBoundingClientRect();
    const hides = style.overflowX !== "visible" && element.scrollWidth > element.clientWidth + 1
        || style.overflowY !== "visible" && element.scrollHeight > element.clientHeight + 1;
    return box.width && !element.closest("svg") && (hides || box.right > document.documentElement.clientWidth + 1);
}).map(element => element.outerHTML.slice(0, 100))"""


def test_paper_cuts_nothing_off_and_has_no_navigation(walk, tmp_path):
    """On the width that A4 leaves between its margins."""
    for name, page in walk(PRINTED, {"width": 680, "height": 1009}):
        page.emulate_media(media="print")
        assert page.evaluate(CUT) == [], name
        for selector in (".bd-header", ".bd-sidebar-primary", ".prev-next-area", ".coldcache-evidence header"):
            assert not any(part.is_visible() for part in page.locator(selector).all()), (name, selector)
        assert page.evaluate("getComputedStyle(document.querySelector('thead') ?? document.head).display") in (
            "table-header-group", "none",
        )  # fmt: skip
        for figure in page.locator("figure.coldcache-figure").all():
            assert figure.evaluate("figure => getComputedStyle(figure).breakInside") == "avoid"
        page.emulate_media(media="screen")


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
