"""Of several figures on a page the first brings the outlines of letters, and all show them."""

import re

import matplotlib.pyplot as plt

from coldcache.analysis.figures.picture import Picture
from coldcache.report.site.svg_symbols import Glyphs


def draw(word):
    figure, axes = plt.subplots()
    axes.set_title(word)
    return Picture(figure, word, "A caption.")._repr_mimebundle_()["text/html"]


def test_each_letter_is_outlined_once_on_a_page_and_every_place_finds_it():
    pages = [draw("abc"), draw("bcd")]
    glyphs = Glyphs()
    shared = [glyphs.share(page) for page in pages]
    outlines = re.findall(r'<path id="(DejaVuSans-[\w-]+)"', "".join(shared))
    assert len(outlines) == len(set(outlines))
    places = [re.findall(r'xlink:href="#(DejaVuSans-[\w-]+)"', page) for page in shared]
    assert {name for found in places for name in found} == set(outlines)
    assert [len(found) for found in places] == [len(re.findall("href=.#f[0-9a-f]{10}-Deja", page)) for page in pages]
    assert len(shared[1]) < 0.8 * len(pages[1])


def test_a_page_of_one_figure_keeps_every_outline():
    page = draw("abc")
    assert Glyphs().share(page).count("<path id=") == page.count("<path id=")
