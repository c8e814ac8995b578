"""The first use of a term on a page says what it means."""

from coldcache.report.site.glossary import explain_terms, read_glossary

GLOSSARY = {"trial": "one run", "stop rule": 'when "enough"', "cold": "from the device"}


def explain(text):
    return explain_terms(f"<p>trial</p><article>{text}</article>", GLOSSARY)


def test_the_first_use_is_explained_also_in_the_plural_and_with_a_capital():
    assert explain("<p>Trials run. A trial ends.</p>") == (
        '<p>trial</p><article><p><abbr title="one run">Trials</abbr> run. A trial ends.</p></article>'
    )
    assert '<abbr title="when &quot;enough&quot;">stop rule</abbr>' in explain("A stop rule ends it.")


def test_links_headings_code_and_parts_of_words_stay_as_they_are():
    for text in (
        "<h2>A trial</h2>",
        "<a href='trial'>trial</a>",
        "<pre><b>trial</b></pre>",
        "industrial trialing",
    ):
        assert explain(text) == f"<p>trial</p><article>{text}</article>"
    assert explain("<a>trial</a><p>trial</p>").count("<abbr") == 1


def test_words_in_their_everyday_sense_and_parts_of_numbers_are_not_explained():
    glossary = {"round": "one trial of each case", "block": "the trials of a sweep", "p99": "99 % were done"}
    for text in ("a round trip", "each block is one call", "the p99.9 of all"):
        assert explain_terms(f"<article>{text}</article>", glossary) == f"<article>{text}</article>"
    assert "<abbr" in explain_terms("<article>the p99.</article>", glossary)


def test_a_page_without_an_article_stays_as_it_is():
    assert explain_terms("<p>trial</p>", GLOSSARY) == "<p>trial</p>"


def test_the_glossary_of_the_project_is_read_without_markup(root):
    found = read_glossary(root / "docs/glossary.md")
    assert found["sweep"] == "one benchmark over a grid of factors"
    assert found["warm"] == "where the bytes of a read came from, by the counters of the device"
    assert found["p99"].startswith("the time within which half, or 99 %")
    assert "word" not in found and not any("`" in text or "](" in text for text in (*found, *found.values()))
