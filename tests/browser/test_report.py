"""The report in Debian's Chromium, opened from the disk as a reader does."""

import functools
import http.server
import itertools
import json
import re
import threading
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import sync_playwright

from coldcache.analysis.figures.style import find_contrast

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
            # A drawing wider than a phone scrolls in the box of its figure.
            box = figure.bounding_box()
            frame = figure.evaluate_handle("svg => svg.closest('figure')").as_element().bounding_box()
            assert 0 <= frame["x"] < frame["x"] + frame["width"] <= viewport["width"]
            assert box["width"] > 300
            assert 0.4 < box["height"] / box["width"] < 1.2


def test_code_is_left_to_the_notebook_that_the_page_leads_to(walk, chapters):
    for name, page in walk(chapters):
        assert page.query_selector_all(".cell_input") == []
        link = page.get_attribute(".coldcache-source a", "href")
        assert link == f"../data/notebooks/{name.removesuffix('.html')}.ipynb"


def test_documents_figures_and_doubts_are_on_the_first_screen(open_page):
    page = open_page("index.html", {"width": 1440, "height": 900})
    assert "flagged" in page.locator(".coldcache-glance").inner_text()
    table = page.locator("#table-documents")
    assert table.locator("img").first.bounding_box()["y"] < 400
    rows = [row.bounding_box()["y"] for row in table.locator("tbody tr").all()]
    assert sum(y < 900 for y in rows) >= 5
    assert len(page.locator("#main-content").inner_text().split()) < 979


def test_the_first_screen_of_a_study_has_its_figures_and_few_words(open_page):
    page = open_page("quick/index.html", {"width": 1440, "height": 900})
    boxes = [figure.bounding_box() for figure in page.locator(".coldcache-row figure").all()]
    assert len(boxes) == 4 == len({box["x"] for box in boxes}) and len({box["y"] for box in boxes}) == 1
    assert max(box["y"] + box["height"] for box in boxes) < 900


def test_a_phone_shows_the_same_figures_below_each_other_and_readable(open_page):
    page = open_page("quick/index.html", PHONE)
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


def test_a_mark_says_its_value_interval_and_runs_and_leads_to_the_trial(open_page):
    page = open_page("quick/random-iops.html")
    tip = page.locator(".coldcache-tip")
    assert not tip.is_visible()
    mark = page.locator("figure svg a[href$='threads=4/index.html#random-read-rate']").first
    mark.dispatch_event("pointerover")
    # The median over ten runs with its interval, as the table below the figure has it.
    row = page.locator("table tbody tr", has_text="random-read").nth(2).locator("td").all_inner_texts()
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
    name = figure.locator("[data-series-name]", has_text="random-read")
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


def test_a_link_to_a_number_shows_it_also_where_it_is_folded(open_page):
    page = open_page("quick/write-cache.html#table-quick-write-cache-random-ratio.1.5")
    cell = page.locator("td:target")
    assert cell.is_visible() and "times" in cell.inner_text()
    page.locator("td[id='table-quick-write-cache-sequential-throughput.1.2']").click(position={"x": 1, "y": 1})
    assert page.url.endswith("#table-quick-write-cache-sequential-throughput.1.2")


def test_a_long_table_of_trials_is_filtered_by_words(open_page):
    page = open_page("validity.html")
    table = page.locator("#table-flagged")
    every = table.locator("tbody tr:has(td)").count()
    page.locator(".coldcache-filter:has(+ * #table-flagged) input, .coldcache-filter input").last.fill(
        "random-read less"
    )
    shown = [row.inner_text().lower() for row in table.locator("tbody tr:has(td)").all() if row.is_visible()]
    assert 0 < len(shown) < every
    assert page.locator(".coldcache-filter output").last.inner_text() == f"{len(shown)} of {every} rows"
    page.locator(".coldcache-filter input").last.fill("")
    assert all(row.is_visible() for row in table.locator("tbody tr:has(td)").all())


#: Texts of a drawing: where they are on the page, what they say, and in which colour.
TEXTS = """figure => [...figure.querySelectorAll("svg text")].map(text => {
    const box = text.getBoundingClientRect(), style = getComputedStyle(text);
    return {text: text.textContent, left: box.left, right: box.right, top: box.top, bottom: box.bottom,
            fill: style.fill, size: box.height};
}).filter(text => text.text.trim() && text.right > text.left)"""


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


def test_three_questions_are_answered_in_few_clicks(open_page):
    """Which thread count is best, what the write cache gains, and whether the read rate can be trusted: at a glance."""
    page = open_page("quick/index.html")
    best = page.locator("table tbody tr", has_text="random read").first
    assert best.is_visible() and "4 threads" in best.inner_text()
    row = page.locator("figure figcaption", has_text="writeback").first
    assert row.bounding_box()["y"] < DESK["height"]
    read = page.locator("#table-quick-overview tr:has(td:text-is('read'))")
    reads = read.locator("td").all_inner_texts()
    assert reads[4:] == ["5", "–"]
    read.locator("a").click()
    page.wait_for_url("**/index.html#read-throughput")
    verdicts = page.locator("#table-trials tbody tr").all_inner_texts()
    assert len(verdicts) == 5 and all("cold" in verdict for verdict in verdicts)


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
