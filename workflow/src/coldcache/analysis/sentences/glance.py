"""What a study says at a glance: its headline, the titles of its small figures, and what they mean."""

from collections.abc import Iterable, Mapping
from typing import Any

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.sentences.growth import describe_growth
from coldcache.analysis.sentences.layouts import compare_layouts
from coldcache.analysis.sentences.peaks import title_extremes
from coldcache.analysis.sentences.settings import describe_pairs, title_pairs
from coldcache.analysis.sentences.subjects import list_varied
from coldcache.core.units import show_rate
from coldcache.core.vocabulary import SET_FACTORS


def title_headlines(best: Iterable[tuple[Estimates, Mapping[str, Any]]]) -> str | None:
    """Return the figures of some cases as a title: ``1.17 GB/s write, 22.9 k/s random read``; None without any.

    A figure of which every run is flagged says so.
    """
    parts = []
    for sweep, levels in best:
        cell = sweep.cells.sel(levels)
        doubt = " (flagged)" if sweep.count_suspect(levels) == int(cell.n) else ""
        operation = str(levels["operation"]).replace("-", " ")
        parts.append(f"{show_rate(float(cell.estimate), sweep.unit)} {operation}{doubt}")
    return ", ".join(parts) or None


def title_overview(sweep: Estimates) -> str:
    """Return what a sweep shows as a title: how the levels of a setting compare, else up to three highest estimates."""
    factors = [factor for factor in list_varied(sweep) if factor in SET_FACTORS]
    return title_pairs(sweep, factors[0]) if factors else title_extremes(sweep, most=3)


def describe_meaning(sweeps: Iterable[Estimates]) -> list[str]:
    """Return what sweeps mean for those who use the storage, as up to three sentences.

    The first says how rates grow with threads, the second what one shared file costs, the third what a setting changes;
    each is left out where no sweep answers it.
    """
    found = list(sweeps)
    growing = [sweep for sweep in found if set(list_varied(sweep)) == {"threads"}]
    transfers = [sweep for sweep in growing if sweep.metric == "throughput"]
    layouts = {sweep.question.file_layout: sweep for sweep in reversed(transfers)}
    shared, own = layouts.get("shared-file"), layouts.get("file-per-thread")
    settings = [(sweep, factor) for sweep in found for factor in list_varied(sweep)[:1] if factor in SET_FACTORS]
    sentences = [
        f"{describe_growth(growing[0])}." if growing else None,
        compare_layouts(shared, own) if shared and own else None,
        describe_pairs(*settings[0]) if settings else None,
    ]
    return [sentence for sentence in sentences if sentence]
