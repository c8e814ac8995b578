import json

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.report.site.notebooks import ChapterError, read_chapters, read_methods

FIGURE = '<figure class="coldcache-figure"></figure>'


@pytest.fixture
def study(root):
    """The study of the reference campaign, with one notebook."""
    return read_campaign(root / "raw/reference").studies[0].model_copy(update={"notebooks": ["random-iops"]})


def _write(results, cells):
    path = results / "notebooks/quick/random-iops.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path


def _code(tags, *texts):
    outputs = [{"output_type": "display_data", "metadata": {}, "data": {"text/markdown": text}} for text in texts]
    return {"cell_type": "code", "metadata": {"tags": tags}, "outputs": outputs}


def test_findings_are_the_sentences_of_tagged_cells_in_their_order(study, tmp_path):
    _write(tmp_path, [
        {"cell_type": "markdown", "metadata": {}, "source": "# How many?"},
        _code(["finding"], "It serves **12.3 k/s**."),
        _code([], "A caveat."),
        _code(["finding"], ["Reads are\n", "faster."], ""),
    ])  # fmt: skip
    [chapter] = read_chapters(study, tmp_path)
    assert (chapter.study, chapter.name) == ("quick", "random-iops")
    assert chapter.findings == ["It serves **12.3 k/s**.", "Reads are faster."]


def _stream(name, text):
    return {"output_type": "stream", "name": name, "text": text}


def test_a_finding_may_be_printed_and_warnings_are_none(study, tmp_path):
    outputs = [
        _stream("stdout", "Reads are "),
        _stream("stdout", ["twice\n", "as fast.\n\nWrites"]),
        _stream("stdout", " too.\n"),
        _stream("stderr", "DeprecationWarning: no finding\n"),
        *_code([], "Shown.")["outputs"],
        _stream("stdout", "Last."),
    ]
    _write(tmp_path, [
        {"cell_type": "markdown", "metadata": {}, "source": "# How many?"},
        {"cell_type": "code", "metadata": {"tags": ["finding"]}, "outputs": outputs},
        {"cell_type": "code", "metadata": {"tags": ["parameters"]}, "outputs": [_stream("stdout", "No finding.")]},
    ])  # fmt: skip
    [chapter] = read_chapters(study, tmp_path)
    assert chapter.findings == ["Reads are twice as fast.", "Writes too.", "Shown.", "Last."]
    assert chapter.quoted == ["Reads are twice as fast.", "Writes too.", "Last."]


def test_a_notebook_that_was_not_executed_is_named(study, tmp_path):
    with pytest.raises(ChapterError) as refused:
        read_chapters(study, tmp_path)
    path = tmp_path / "notebooks/quick/random-iops.ipynb"
    assert str(refused.value) == f"{path} is missing: the notebook has not been executed; run snakemake"


def test_a_notebook_that_is_none_is_named(study, tmp_path):
    path = _write(tmp_path, [])
    path.write_text('{"cells": [{}]}')
    with pytest.raises(ChapterError, match=r"random-iops.ipynb: not an executed notebook \('metadata'\); remove it"):
        read_chapters(study, tmp_path)


def test_how_far_statistics_hold_is_a_chapter_of_the_methods_and_not_of_the_study(study, tmp_path):
    path = _write(tmp_path, [_code(["finding"], "It serves.")])
    assert read_methods([study], tmp_path) == []
    path.with_name("how-far-statistics-hold.ipynb").write_text(path.read_text())
    path.with_name("claims.ipynb").write_text(path.read_text())
    assert [chapter.name for chapter in read_chapters(study, tmp_path)] == ["random-iops", "claims"]
    assert [chapter.name for chapter in read_methods([study], tmp_path)] == ["how-far-statistics-hold"]
    path.with_name("how-fast-the-program-is.ipynb").write_text(path.read_text())
    assert [chapter.name for chapter in read_methods([study], tmp_path)][1:] == ["how-fast-the-program-is"]


@pytest.mark.parametrize(
    ("cells", "is_empty"),
    [
        ([_code(["finding"], "It serves.")], False),
        ([_code([], "A caveat.")], True),
        ([{"cell_type": "code", "metadata": {}, "outputs": [{"data": {"text/html": FIGURE}}]}], False),
        ([{"cell_type": "markdown", "metadata": {"tags": ["failed"]}, "source": "This page failed."}], False),
        ([{"cell_type": "markdown", "metadata": {}, "source": "No answer from this campaign."}], True),
    ],
)  # fmt: skip
def test_a_notebook_without_a_finding_and_a_figure_has_no_page_unless_it_failed(study, tmp_path, cells, is_empty):
    _write(tmp_path, [{"cell_type": "markdown", "metadata": {}, "source": "# How many?"}, *cells])
    [chapter] = read_chapters(study, tmp_path)
    assert chapter.is_empty == is_empty


def test_an_own_notebook_has_a_page_whatever_it_shows(study, tmp_path):
    path = _write(tmp_path, [_code([], "A caveat.")])
    path.rename(path.with_name("own.ipynb"))
    [chapter] = read_chapters(study.model_copy(update={"notebooks": ["own"]}), tmp_path)
    assert not chapter.is_empty
