"""Helpers for figures drawn with seaborn and matplotlib: house style, single runs, limits, laws and pictures."""

from coldcache.analysis.figures.axes import name_lines, name_values, set_x, set_y
from coldcache.analysis.figures.bands import draw_bands
from coldcache.analysis.figures.cases import join_levels, list_cases, open_rows
from coldcache.analysis.figures.ceilings import draw_ceilings, draw_thresholds
from coldcache.analysis.figures.columns import open_columns, set_columns
from coldcache.analysis.figures.forest import draw_forest, open_forest, picture_of_forest
from coldcache.analysis.figures.heat import find_axes_of_map, map_of, open_map, set_map
from coldcache.analysis.figures.knees import draw_knees
from coldcache.analysis.figures.law import draw_law
from coldcache.analysis.figures.layouts import ONE_FILE, draw_layouts, find_shared, join_layouts, say_shared
from coldcache.analysis.figures.marks import say
from coldcache.analysis.figures.pairs import draw_pairs, find_paired, open_pairs, tabulate_rounds
from coldcache.analysis.figures.panels import (
    MOST_ROWS,
    assign_over,
    assign_roles,
    choose_shown,
    describe_shown,
    keep_first,
    open_panels,
    set_panels,
)
from coldcache.analysis.figures.picture import Picture, picture_of, picture_of_map
from coldcache.analysis.figures.predictions import draw_predictions
from coldcache.analysis.figures.published import draw_published, draw_published_rows, draw_stars
from coldcache.analysis.figures.runs import draw_runs, draw_trials, link_points
from coldcache.analysis.figures.side_by_side import (
    can_compare,
    open_side_by_side,
    set_side_by_side,
    share_of_peak,
    tabulate_sides,
    title_side_by_side,
)
from coldcache.analysis.figures.small import (
    draw_latencies,
    open_halves,
    open_small,
    set_halves,
    set_small,
    set_small_pairs,
)
from coldcache.analysis.figures.style import (
    COLOURS,
    FAINT,
    FAINT_LINE,
    INK,
    KEPT,
    lines_by,
    set_house_style,
)

__all__ = [
    "COLOURS",
    "FAINT",
    "FAINT_LINE",
    "INK",
    "KEPT",
    "MOST_ROWS",
    "ONE_FILE",
    "Picture",
    "assign_over",
    "assign_roles",
    "can_compare",
    "choose_shown",
    "describe_shown",
    "draw_bands",
    "draw_ceilings",
    "draw_forest",
    "draw_knees",
    "draw_latencies",
    "draw_law",
    "draw_layouts",
    "draw_pairs",
    "draw_predictions",
    "draw_published",
    "draw_published_rows",
    "draw_runs",
    "draw_stars",
    "draw_thresholds",
    "draw_trials",
    "find_axes_of_map",
    "find_paired",
    "find_shared",
    "join_layouts",
    "join_levels",
    "keep_first",
    "lines_by",
    "link_points",
    "list_cases",
    "map_of",
    "name_lines",
    "name_values",
    "open_columns",
    "open_forest",
    "open_halves",
    "open_map",
    "open_pairs",
    "open_panels",
    "open_rows",
    "open_side_by_side",
    "open_small",
    "picture_of",
    "picture_of_forest",
    "picture_of_map",
    "say",
    "say_shared",
    "set_columns",
    "set_halves",
    "set_house_style",
    "set_map",
    "set_panels",
    "set_side_by_side",
    "set_small",
    "set_small_pairs",
    "set_x",
    "set_y",
    "share_of_peak",
    "tabulate_rounds",
    "tabulate_sides",
    "title_side_by_side",
]
