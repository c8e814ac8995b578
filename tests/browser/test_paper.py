"""The report on paper."""

from browsing import BEHIND, colour

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


def test_paper_is_white_whatever_the_screen_is(open_page):
    page = open_page("quick/write-cache.html", color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert min(colour(page, "body", "backgroundColor")) > 240
    assert max(colour(page, "article p", "color")) < 100
    assert colour(page, "#main-content table td a", "color") == colour(page, "#main-content figcaption a", "color")
    assert max(colour(page, "#main-content table td a", "color")) < 160
    assert not page.is_visible(".bd-sidebar-primary")


def test_a_printed_log_is_whole(open_page, tmp_path):
    page = open_page(BEHIND[4], color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    box = page.eval_on_selector(".coldcache-log", "box => [box.clientHeight, box.scrollHeight]")
    assert box[0] == box[1]
    assert min(colour(page, "body", "backgroundColor")) > 240
    page.pdf(path=tmp_path / "trial.pdf")
    assert (tmp_path / "trial.pdf").read_bytes().startswith(b"%PDF")


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
