"""The first page in a browser: the answer in one screen, in few words, in one order on a desk and on a phone."""

from browsing import PHONE

SCREEN = {"width": 1440, "height": 900}

#: Words that a page shows, without those of drawings, of what is folded, and signs.
WORDS = """() => {
    const walker = document.createTreeWalker(document.querySelector("#main-content article"), NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
        const part = walker.currentNode.parentElement;
        if (part.checkVisibility() && !part.closest("svg, .coldcache-axis")) texts.push(walker.currentNode.data);
    }
    return texts.join(" ").split(/\\s+/).filter(word => /[\\p{L}\\p{N}]/u.test(word)).length;
}"""


def test_the_first_page_has_few_words(open_page):
    assert 100 < open_page("index.html", SCREEN).evaluate(WORDS) <= 250


def test_documents_figures_and_doubts_are_on_the_first_screen(open_page):
    page = open_page("index.html", {"width": 1440, "height": 900})
    assert "flagged" in page.locator(".coldcache-glance").inner_text()
    table = page.locator("#table-documents")
    assert table.locator("img").first.bounding_box()["y"] < 400
    rows = [row.bounding_box()["y"] for row in table.locator("tbody tr").all()]
    assert sum(y < 900 for y in rows) >= 6


def test_the_first_screen_of_a_study_has_its_figures_and_few_words(open_page):
    page = open_page("quick/index.html", {"width": 1440, "height": 900})
    boxes = [figure.bounding_box() for figure in page.locator(".coldcache-row figure").all()]
    assert len(boxes) == 4 == len({box["x"] for box in boxes}) and len({box["y"] for box in boxes}) == 1
    assert max(box["y"] + box["height"] for box in boxes) < 900
    for part in (page.locator("#table-quick-overview"), page.locator(".coldcache-meaning")):
        box = part.bounding_box()
        assert box["y"] + box["height"] < 900


def test_a_phone_shows_the_same_figures_below_each_other_and_readable(open_page):
    page = open_page("quick/index.html", PHONE)
    boxes = [figure.bounding_box() for figure in page.locator(".coldcache-row").first.locator("figure").all()]
    assert len({box["x"] for box in boxes}) == 1 and min(box["width"] for box in boxes) > 278


def test_the_order_is_the_same_on_a_desk_and_on_a_phone(open_page):
    parts = ("h1", ".coldcache-row", "#table-quick-overview", ".coldcache-meaning")
    page = open_page("quick/index.html", PHONE)
    tops = [page.locator(part).first.bounding_box()["y"] for part in parts]
    assert tops == sorted(tops)


def test_claims_and_validity_answer_on_their_first_screen_and_fold_the_rest(open_page):
    page = open_page("claims.html", SCREEN)
    assert page.locator("#table-claims th[scope=rowgroup]").first.bounding_box()["y"] < 400
    assert page.evaluate("document.documentElement.scrollHeight") <= 5 * 900
    page = open_page("validity.html", SCREEN)
    rules = page.locator("#table-rules").bounding_box()
    assert rules["y"] + rules["height"] < 900
    assert page.evaluate("document.documentElement.scrollHeight") <= 3 * 900


def test_a_link_to_a_claim_that_is_folded_opens_it(open_page):
    page = open_page("index.html", SCREEN)
    dot = page.locator(".coldcache-dot[data-verdict=not-testable-here]").first
    anchor = dot.get_attribute("href").partition("#")[2]
    dot.click()
    page.wait_for_url(f"**/claims.html#{anchor}")
    assert page.locator(f"[id='{anchor}']").is_visible()
