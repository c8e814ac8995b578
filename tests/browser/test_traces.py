"""Numbers of ten kinds lead by clicks to what they were computed from, and to the bytes that state them."""

import pytest
from browsing import DESK

CASE = "#table-trials tbody a[href^='r0.html#']"
SWEEP = "#table-cases td.number a"

#: By kind of number: the page that shows it, the clicks to its bytes, and what is marked there.
TRACES = {
    "a median": ("quick/index.html", ["#table-quick-overview td:nth-child(2) a", CASE], "mark:target"),
    "a ratio": ("quick/write-cache.html", [".tag_finding p:has-text('times as fast') a", SWEEP, CASE], "mark:target"),
    "a count": ("index.html", [".coldcache-glance a", "text=with their reasons", "#table-flagged td:nth-child(2) a"],
                "mark"),
    "the effect of a claim": ("claims.html", ["tr:has(#claim-quick-QK3) td:nth-child(4) a", SWEEP, CASE],
                              "mark:target"),
    "a bound of an interval": ("quick/random-iops.html", ["#table-quick-random-rate td:nth-child(4) a", CASE],
                               "mark:target"),
    "a percentile": ("quick/random-iops.html", ["#table-quick-random-percentiles td:nth-child(4) a", CASE],
                     "mark[title*='latency, p50']"),
    "a share of cold reads": ("quick/index.html", ["#table-quick-overview tr:nth-child(2) td:nth-child(7) a", CASE],
                              "#counters + div tr:has-text('read bytes') td:nth-child(4)"),
    "bytes at the device": ("trials/quick/sequential/operation=read,threads=4/index.html", [CASE],
                            "#counters + div tr:has-text('read bytes') td:nth-child(4)"),
    "a point of a series": ("quick/campaign-validity.html", ["figure svg a[href*='probe/only/r11']"], "mark.foremost"),
    "a number of a document": ("claims.html", ["text=with its arithmetic", "#table-arithmetic td:nth-child(4) a"],
                               ".coldcache-log mark"),
}  # fmt: skip


@pytest.mark.parametrize("kind", TRACES)
def test_a_number_leads_to_its_bytes_in_three_clicks(open_page, kind):
    name, clicks, marked = TRACES[kind]
    page = open_page(name)
    assert len(clicks) <= 3
    for click in clicks:
        before = page.url
        link = page.locator(click).first
        # A point of a drawing may lie below another.
        link.dispatch_event("click") if "svg" in click else link.click()
        # A fold opens on its page.
        if not click.startswith("text="):
            page.wait_for_url(lambda url, before=before: url != before)
    assert any(letter.isdigit() for letter in page.locator(marked).first.inner_text())


def test_three_clicks_lead_from_a_finding_to_the_bytes_of_its_log(open_page, root):
    page = open_page("quick/index.html")
    found = page.locator("td a[href$='operation=random-read,threads=4/index.html#random-read-rate']").first
    stated = found.inner_text().replace("\N{NO-BREAK SPACE}", " ")
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
