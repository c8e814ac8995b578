"""Helpers for figures drawn with seaborn and matplotlib: house style, single runs, limits, laws and pictures."""

from coldcache.analysis.figures.axes import name_lines, name_values, set_x, set_y
from coldcache.analysis.figures.bands import draw_bands
from coldcache.analysis.figures.cases import list_cases, list_lines, open_rows
from coldcache.analysis.figures.ceilings import draw_ceilings, draw_thresholds
from coldcache.analysis.figures.columns import open_columns, set_columns
from coldcache.analysis.figures.law import draw_law
from coldcache.analysis.figures.panels import assign_roles, fits_figure, open_panels, set_panels
from coldcache.analysis.figures.picture import Picture, picture_of
from coldcache.analysis.figures.published import draw_published, draw_stars, find_published
from coldcache.analysis.figures.runs import draw_runs, draw_trials, link_points
from coldcache.analysis.figures.small import open_small, set_small
from coldcache.analysis.figures.style import COLOURS, FAINT, INK, KEPT, lines_by, set_house_style

__all__ = [
    "COLOURS",
    "FAINT",
    "INK",
    "KEPT",
    "Picture",
    "assign_roles",
    "draw_bands",
    "draw_ceilings",
    "draw_law",
    "draw_published",
    "draw_runs",
    "draw_stars",
    "draw_thresholds",
    "draw_trials",
    "find_published",
    "fits_figure",
    "lines_by",
    "link_points",
    "list_cases",
    "list_lines",
    "name_lines",
    "name_values",
    "open_columns",
    "open_panels",
    "open_rows",
    "open_small",
    "picture_of",
    "set_columns",
    "set_house_style",
    "set_panels",
    "set_small",
    "set_x",
    "set_y",
]  # fmt: skip
