"""Tables of the report in a browser: they scroll, sort, filter, and have links to each number."""

from pathlib import Path

from browsing import BEHIND, PHONE

TABLES = Path(__file__).parents[2] / "workflow/report/static/tables.js"


def test_wide_tables_move_inside_their_box(open_page):
    page = open_page("quick/write-cache.html", PHONE)
    box = page.eval_on_selector(
        ".text_html:has(table)", "box => [box.clientWidth, box.scrollWidth, getComputedStyle(box).overflowX]"
    )
    assert box[0] <= 390 < box[1]
    assert box[2] == "auto"


def test_a_link_to_a_number_shows_it_also_where_it_is_folded(open_page):
    page = open_page("quick/write-cache.html#table-quick-write-cache-random-ratio.1.5")
    cell = page.locator("td:target")
    assert cell.is_visible() and "times" in cell.inner_text()
    page.locator("td[id='table-quick-write-cache-random-ratio.1.2']").click(position={"x": 1, "y": 1})
    assert page.url.endswith("#table-quick-write-cache-random-ratio.1.2")


def test_a_long_table_of_trials_is_filtered_by_words(open_page):
    page = open_page("validity.html")
    page.click("text=trials with their reasons")
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


def test_a_table_that_is_read_at_a_glance_has_no_filter(open_page):
    page = open_page("quick/metadata-rates.html")
    assert page.locator("table.coldcache-table thead button").count() and not page.locator(".coldcache-filter").count()


def test_a_long_table_is_sorted_by_the_keyboard_and_says_so(open_page):
    page = open_page("quick/metadata-rates.html")
    rows = page.locator("table.coldcache-table tbody tr")
    heading = page.locator("table.coldcache-table thead th", has_text="median")
    assert heading.get_attribute("aria-sort") is None
    heading.locator("button").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    medians = [row.locator("td").nth(2).inner_text() for row in rows.all()]
    numbers = [float(median.removesuffix("\N{NO-BREAK SPACE}k/s")) for median in medians]
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
