"""Helpers for figures drawn with seaborn and matplotlib: house style, single runs, limits, laws and pictures."""

from coldcache.analysis.figures.axes import name_lines, name_values, set_x, set_y
from coldcache.analysis.figures.bands import draw_bands
from coldcache.analysis.figures.beside import list_stated, open_beside, set_beside, share_of_peak, title_beside
from coldcache.analysis.figures.cases import list_cases, list_lines, open_rows
from coldcache.analysis.figures.ceilings import draw_ceilings, draw_thresholds
from coldcache.analysis.figures.columns import open_columns, set_columns
from coldcache.analysis.figures.heat import find_axes_of_map, map_of, open_map, set_map
from coldcache.analysis.figures.law import draw_law
from coldcache.analysis.figures.marks import say
from coldcache.analysis.figures.pairs import draw_pairs, open_pairs, tabulate_rounds
from coldcache.analysis.figures.panels import assign_roles, fits_figure, open_panels, set_panels
from coldcache.analysis.figures.picture import Picture, picture_of
from coldcache.analysis.figures.predictions import draw_predictions
from coldcache.analysis.figures.published import draw_published, draw_stars, find_published
from coldcache.analysis.figures.runs import draw_runs, draw_trials, link_points
from coldcache.analysis.figures.small import open_small, set_small
from coldcache.analysis.figures.style import COLOURS, FAINT, FAINT_LINE, INK, KEPT, lines_by, set_house_style

__all__ = [
    "COLOURS",
    "FAINT",
    "FAINT_LINE",
    "INK",
    "KEPT",
    "Picture",
    "assign_roles",
    "draw_bands",
    "draw_ceilings",
    "draw_law",
    "draw_pairs",
    "draw_predictions",
    "draw_published",
    "draw_runs",
    "draw_stars",
    "draw_thresholds",
    "draw_trials",
    "find_axes_of_map",
    "find_published",
    "fits_figure",
    "lines_by",
    "link_points",
    "list_cases",
    "list_lines",
    "list_stated",
    "map_of",
    "name_lines",
    "name_values",
    "open_beside",
    "open_columns",
    "open_map",
    "open_pairs",
    "open_panels",
    "open_rows",
    "open_small",
    "picture_of",
    "say",
    "set_beside",
    "set_columns",
    "set_house_style",
    "set_map",
    "set_panels",
    "set_small",
    "set_x",
    "set_y",
    "share_of_peak",
    "tabulate_rounds",
    "title_beside",
]  # fmt: skip
