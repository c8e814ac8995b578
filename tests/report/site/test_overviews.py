"""What the notebook `overview` shows of a study becomes blocks of a page."""

import json

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.report.site.overviews import read_overview, show_answer, show_figures

FIGURE = (
    '<figure class="coldcache-figure" data-name="quick-random-overview" data-sweeps="quick/random"><svg></svg>'
    "<figcaption>Reads &lt; writes</figcaption></figure>"
)


@pytest.fixture
def study(root):
    return read_campaign(root / "raw/reference").studies[0]


def cell(tag, kind, text):
    return {"cell_type": "code", "source": "", "metadata": {"tags": [tag]}, "outputs": [{"data": {kind: text}}]}


def write(folder, *cells):
    path = folder / "notebooks/quick/overview.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": "# What?", "metadata": {}}, *cells]}))


def test_headline_figures_numbers_and_meaning_come_from_tagged_cells(study, tmp_path):
    write(
        tmp_path, cell("headline", "text/markdown", "1 GB/s read"), cell("figures", "text/html", FIGURE),
        cell("numbers", "text/html", "<table><td>1</td></table>"), cell("finding", "text/markdown", "So.\n\nAnd so."),
    )  # fmt: skip
    overview = read_overview(study, tmp_path)
    assert (overview.headline, overview.meaning) == ("1 GB/s read", ["So.", "And so."])
    assert [(figure.name, figure.sweep, figure.caption) for figure in overview.figures] == [
        ("quick-random-overview", "quick/random", "Reads &lt; writes")
    ]
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures/quick-random-overview.csv").write_text("median\n1\n")
    row = show_figures(overview, tmp_path)
    assert row.startswith('````{raw} html\n<div class="coldcache-row"><figure class="coldcache-figure"')
    assert "Reads &lt; writes <span class=" in row and row.count("</figure>") == 1
    for link in ("../trials/quick/random/index.html", "../data/figures/quick-random-overview.csv"):
        assert f'href="{link}"' in row
    assert "trials</a> <a" in row
    answer = show_answer(overview)
    assert '<div class="coldcache-answer"><div class="coldcache-scroll"><table><td>1</td></table></div>' in answer
    assert [f"<li>{said}</li>" in answer for said in overview.meaning] == [True] * len(overview.meaning)


def test_a_study_without_figures_has_empty_blocks_and_one_without_the_notebook_no_overview(study, tmp_path):
    assert read_overview(study, tmp_path) is None
    write(tmp_path, cell("numbers", "text/html", "<table></table>"))
    overview = read_overview(study, tmp_path)
    assert (overview.headline, overview.figures, overview.numbers, overview.meaning) == ("", [], "", [])
    assert (show_figures(overview, tmp_path), show_answer(overview)) == ("", "")
