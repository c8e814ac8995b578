"""What the notebooks show of datasets with invented rates: every table and figure of the documents, as it was.

No page has an interval without its level, nor an interval or a verb of difference from fewer than five runs.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import pytest
import yaml
from brackets import BRACKET, Brackets
from canvas import find_misplaced
from cells import list_pictures, run_cells
from invented_outputs import ALL, PAGES, ROOT, Shown, digest, find_notebook, list_words, name_failure, read_digests

from coldcache.analysis.figures import Picture
from coldcache.core.errors import NoData

#: Words that say that one thing differs from another.
DIFFERENCE = re.compile(r"\b(?:as fast as|as long as|as many calls|faster|slower|makes)\b|(?:grow|fall to) [<\d]")

#: Notebooks that do not take everything from the dataset of one study, or do not go on where it has no data.
OTHERS = ("what-logs-state", "claims", "simulation")


class Seen(NamedTuple):
    """What a notebook shows: as words, and by MIME type for each code cell."""

    words: list[str]
    bundles: list[dict[str, str]]

    @property
    def text(self) -> str:
        return "\n".join(self.words)


@pytest.fixture(scope="module")
def see(invent) -> Callable[..., Seen]:
    """Return what a notebook shows of a dataset of `invent`, once its figures are checked."""

    @cache
    def execute(shown: Shown, sweeps: str, count: int) -> Seen:
        dataset = invent(shown.study, sweeps, shown.is_marred, count)
        try:
            values = run_cells(find_notebook(shown), dataset, shown.study)
        except NoData as error:
            if shown.notebook not in OTHERS:
                raise
            return Seen([name_failure(error, dataset)], [])
        words = list_words(values)
        for picture in list_pictures(values):
            check_figure(picture)
        return Seen(words, [{} if value is None else value._repr_mimebundle_() for value in values])

    def find(shown: Shown, sweeps: str = "all", count: int = 5) -> Seen:
        return execute(shown, sweeps, count)

    return find


def check_figure(picture: Picture) -> None:
    """Check that texts of a figure do not collide, and that linear axes of throughput start at zero."""
    assert find_misplaced(picture.figure) == [], picture.name
    for axes in picture.figure.axes:
        for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            if axis.get_scale() == "linear" and axis.get_label_text().startswith(("throughput", "transfers")):
                assert limits[0] == 0, picture.name


def read_design(study: str) -> tuple[dict[str, dict], list[Shown]]:
    """Return the sweeps of a study, and its notebooks that show them."""
    design = yaml.safe_load((ROOT / f"config/studies/{study}.yaml").read_text())
    return design["sweeps"], [Shown(study, name) for name in design["notebooks"] if name not in OTHERS]


@pytest.mark.slow
@pytest.mark.parametrize("shown", ALL, ids=str)
def test_a_page_shows_the_same_of_an_invented_dataset(shown, see):
    assert digest(see(shown).words) == read_digests()[str(shown)]


def test_every_digest_is_of_a_page():
    assert set(read_digests()) == {str(shown) for shown in ALL}


@pytest.mark.slow
@pytest.mark.parametrize("study", PAGES)
def test_every_table_and_figure_of_a_document_is_rebuilt_from_a_campaign(study, see, invent):
    sweeps, notebooks = read_design(study)
    bundles = [bundle for shown in notebooks for bundle in see(shown).bundles]
    assert "no data" not in "".join(bundle.get("text/plain", "") for bundle in bundles).replace("no data (no trial", "")
    names = " ".join(path.stem for path in (invent(study).parent / "by-hand/tables").glob("*.csv"))
    assert all(f"{study}-{sweep}" in names for sweep in sweeps)
    assert sum("<svg" in bundle.get("text/html", "") for bundle in bundles) == len(
        [bundle for bundle in bundles if "coldcache-figure" in bundle.get("text/html", "")]
    )


@pytest.mark.parametrize("study", PAGES)
def test_every_table_and_figure_of_a_document_has_a_cell_that_says_why_it_has_no_data(study, see):
    sweeps, notebooks = read_design(study)
    text = "\n".join(bundle.get("text/plain", "") for shown in notebooks for bundle in see(shown, "none").bundles)
    for sweep in sweeps.values():
        items = "; ".join(part.strip() for part in sweep.get("item", "").split(";"))
        line = f"{sweep['title']}{f' ({items})' if items else ''}: no data ("
        assert line in text


@pytest.mark.slow
@pytest.mark.parametrize("study", PAGES)
def test_five_runs_have_intervals_with_levels_and_four_have_neither_these_nor_verbs(study, see):
    intervals = 0
    for notebook in PAGES[study].split():
        five, four = (see(Shown(study, notebook), count=count).text for count in (5, 4))
        assert Brackets(five).found == [], notebook
        intervals += len(BRACKET.findall(five))
        assert BRACKET.findall(four) == [], notebook
        assert DIFFERENCE.findall(four) == [], notebook
    assert intervals > 0
