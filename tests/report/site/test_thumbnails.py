"""Thumbnails show the marks of a figure, without its text, in a fraction of its size."""

import re
from xml.etree import ElementTree

import pytest
from matplotlib import pyplot

from coldcache.report.site.thumbnails import ThumbnailError, shrink_drawing, write_thumbnails

SVG = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'

DRAWING = f"""<svg {SVG} width="20pt" height="10pt" viewBox="0 0 20 10">
 <metadata><a/></metadata>
 <defs><style type="text/css">*{{stroke-linecap: butt}}</style></defs>
 <g id="axes_1">
  <title>Reads</title>
  <g id="text_1"><text x="1.5" y="2.5">0</text></g>
  <defs><path id="m12ab" d="M 0 2.04
C 0.5304 2.1 -0.04 1.78 1 1
z
" style="stroke: #0072b2"/></defs>
  <g data-series="0"><a xlink:href="trials/1.html" aria-label="read: 1 GB/s">
   <use xlink:href="#m12ab" x="4.2" y="7.9" style="fill: #0072b2"/></a></g>
  <g data-series="0"><use xlink:href="#m12ab" x="4.4" y="8.1" style="fill: #0072b2"/></g>
  <g clip-path="url(#p9)"><use xlink:href="#m12ab" x="9.6" y="1e-3" style="fill: #0072b2"/></g>
  <g clip-path="url(#p9)"/>
 </g>
 <defs><clipPath id="p9"><rect x="1.25" y="0" width="18.5" height="10"/></clipPath></defs>
</svg>"""


def test_marks_stay_once_per_spot_and_text_links_and_names_go():
    assert shrink_drawing(DRAWING) == (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10">'
        "<style>*{stroke-linecap:butt}.c0{stroke:#0072b2}.c1{fill:#0072b2}</style>"
        '<defs><path d="M0 2C0.5 2.1 0 1.8 1 1z" id="i0" class="c0"/></defs>'
        '<use x="4" y="8" class="c1" href="#i0"/>'
        '<g clip-path="url(#i1)"><use x="10" y="0" class="c1" href="#i0"/></g>'
        '<defs><clipPath id="i1"><rect x="1.25" y="0" width="18.5" height="10"/></clipPath></defs></svg>\n'
    )


def test_a_figure_of_matplotlib_shrinks_and_ten_thousand_marks_are_bounded(tmp_path):
    sizes = {}
    for count in (1_000, 10_000):
        figure, axes = pyplot.subplots(figsize=(2.9, 2.1))
        axes.plot([place % 8 for place in range(count)], [place % 97 for place in range(count)], "o", clip_on=False)
        figure.savefig(tmp_path / "figure.svg")
        pyplot.close(figure)
        full = (tmp_path / "figure.svg").read_text()
        small = shrink_drawing(full)
        sizes[count] = len(small)
        assert ElementTree.fromstring(small).get("viewBox") == re.search('viewBox="([^"]*)"', full)[1]
        assert "<text" not in small and "metadata" not in small
        assert 2.5 * len(small) < len(full)
    # 8 places by 97 heights repeat after 776 marks.
    assert sizes[10_000] == sizes[1_000]


def test_only_named_figures_get_a_thumbnail(tmp_path):
    (tmp_path / "figures").mkdir()
    for name in ("one", "other"):
        (tmp_path / f"figures/{name}.svg").write_text(DRAWING)
    (tmp_path / "report").mkdir()
    write_thumbnails(["one", "one"], tmp_path, tmp_path / "report")
    assert [path.name for path in (tmp_path / "report/thumbnails").iterdir()] == ["one.svg"]


def test_a_figure_that_is_no_drawing_is_named(tmp_path):
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures/one.svg").write_text("")
    with pytest.raises(ThumbnailError) as refused:
        write_thumbnails(["one"], tmp_path, tmp_path)
    assert str(refused.value) == (
        f"{tmp_path}/figures/one.svg is no SVG drawing (no element found: line 1, column 0): "
        "execute the notebook that saves it"
    )
