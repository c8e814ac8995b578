"""Where the report shows the figures and tables of notebooks."""

from coldcache.report.site.notebooks import Chapter
from coldcache.report.site.overviews import Overview, SmallFigure
from coldcache.report.site.shown import list_shown

HTML = (
    '<figure class="coldcache-figure" id="figure-f" data-name="f" data-sweeps="s/a s/b"></figure>'
    '<figure class="coldcache-figure" data-name="" data-sweeps="s/a"></figure>'
    '<table id="table-t" data-name="t"></table>'
)


def test_figures_are_found_by_sweep_and_tables_by_name_and_small_figures_come_last():
    notebook = {
        "cells": [{"cell_type": "code", "outputs": [{"data": {"text/html": [HTML]}}]}, {"cell_type": "markdown"}]
    }
    overview = Overview("", [SmallFigure("small", "s/a", "", "")], "", [], {})
    shown = list_shown({"s": [Chapter("s", "why", notebook, [])]}, {"s": overview})
    assert shown.figures == {"s/a": [("s/why.html", "f"), ("s/index.html", "small")], "s/b": [("s/why.html", "f")]}
    assert shown.tables == {"t": "s/why.html"}
