"""A section shows one table; the others are folded."""

from coldcache.report.site.folded_tables import fold_figures, fold_sentences, fold_tables

TABLE = (
    '<table id="table-{0}" data-name="{0}"><caption>The {0} <span class="coldcache-links">x</span></caption></table>'
)


def cell(html):
    return {"cell_type": "code", "source": "", "outputs": [{"data": {"text/html": html, "text/plain": "t"}}]}


def heading(text):
    return {"cell_type": "markdown", "source": text}


def test_every_table_but_the_first_of_a_section_is_folded_under_its_caption():
    cells = [heading("# Q"), cell(TABLE.format("a") + TABLE.format("b")), cell("<p>1</p>"), cell(TABLE.format("c")),
             heading("## Next"), heading("prose"), cell(TABLE.format("d"))]  # fmt: skip
    shown = [one["outputs"][0]["data"]["text/html"] if "outputs" in one else "" for one in fold_tables(cells)]
    folded = '<details class="coldcache-fold"><summary>The {0}</summary>' + TABLE + "</details>"
    assert shown[1] == TABLE.format("a") + folded.format("b")
    assert shown[2:4] == ["<p>1</p>", folded.format("c")]
    assert shown[6] == TABLE.format("d")
    assert cells[1]["outputs"][0]["data"]["text/html"] == TABLE.format("a") + TABLE.format("b")


def test_many_folded_tables_are_behind_one_fold():
    tables = "".join(TABLE.format(name) for name in "abcdefg")
    (_, shown) = fold_tables([heading("# Q"), cell(tables)])
    html = shown["outputs"][0]["data"]["text/html"]
    begin, rest = html.split('<details class="coldcache-fold"><summary>6 more tables</summary>')
    assert begin == TABLE.format("a") and rest.endswith("</details></details>")
    assert [rest.count(TABLE.format(name)) for name in "abcdefg"] == [0, *[1] * 6]


def test_a_long_table_scrolls_in_a_box():
    long = TABLE.format("a").replace("</table>", "<tr></tr>" * 16 + "</table>")
    (_, shown) = fold_tables([heading("# Q"), cell(long + TABLE.format("b"))])
    html = shown["outputs"][0]["data"]["text/html"]
    assert html.startswith(f'<div class="coldcache-long">{long}</div><details')


def test_of_many_figures_four_are_shown_and_the_rest_is_folded():
    figures = [f'<figure class="coldcache-figure" id="{place}"></figure>' for place in range(7)]
    few = "\n".join(figures[:5])
    assert fold_figures(f"<p>{few}</p>") == f"<p>{few}</p>"
    found = fold_figures("\n".join(figures))
    before, folded = found.split("<summary>3 more figures</summary>")
    assert [f'id="{place}"' in before for place in range(7)] == [*[True] * 4, *[False] * 3]
    assert all(figure in folded for figure in figures[4:])
    assert folded.endswith("</div></details>")


def test_of_many_sentences_four_are_shown_and_the_rest_is_folded():
    sentences = [f"Sentence {place}." for place in range(11)]
    assert fold_sentences(sentences[:9]) == "\n\n".join(sentences[:9])
    shown, folded = fold_sentences(sentences).split(
        '<details class="coldcache-fold"><summary>7 more sentences</summary>'
    )
    assert shown.split() == " ".join(sentences[:4]).split()
    assert folded.strip().removesuffix("</details>").split() == " ".join(sentences[4:]).split()
