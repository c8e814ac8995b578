"""Findings as sentences and titles: every number in them is computed."""

from coldcache.analysis.sentences.best_levels import (
    best_combinations,
    describe_best,
    describe_best_combination,
    title_best,
)
from coldcache.analysis.sentences.glance import describe_meaning, title_headlines, title_overview
from coldcache.analysis.sentences.growth import (
    TOO_FEW,
    describe_growth,
    describe_latencies,
    describe_plateaus,
    shorten_reason,
)
from coldcache.analysis.sentences.layouts import (
    compare_layouts,
    layout_ratios,
    list_differences,
    pair_layouts,
    why_no_ratio,
)
from coldcache.analysis.sentences.peaks import (
    describe_extremes,
    describe_order,
    describe_peaks,
    describe_rates,
    title_extremes,
    title_range,
)
from coldcache.analysis.sentences.settings import describe_pairs, rank_pairs, title_pairs, title_ratios
from coldcache.analysis.sentences.subjects import PLURALS, name_level

__all__ = [
    "PLURALS",
    "TOO_FEW",
    "best_combinations",
    "compare_layouts",
    "describe_best",
    "describe_best_combination",
    "describe_extremes",
    "describe_growth",
    "describe_latencies",
    "describe_meaning",
    "describe_order",
    "describe_pairs",
    "describe_peaks",
    "describe_plateaus",
    "describe_rates",
    "layout_ratios",
    "list_differences",
    "name_level",
    "pair_layouts",
    "rank_pairs",
    "shorten_reason",
    "title_best",
    "title_extremes",
    "title_headlines",
    "title_overview",
    "title_pairs",
    "title_range",
    "title_ratios",
    "why_no_ratio",
]
