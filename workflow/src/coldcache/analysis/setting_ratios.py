"""Every ratio of a setting's level to its reference level, of several sweeps, as one table."""

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from coldcache.analysis.claimed_ratios import ClaimedRatio, read_claimed_ratios
from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import format_factor, name_setting_level
from coldcache.analysis.paired_ratios import Pair, pairs, reference_level
from coldcache.analysis.results import Ratio
from coldcache.analysis.sentences.subjects import name_level

#: Numbers of threads of one case that have a row each: the fewest, the middle one, and the most.
_FEW_THREADS = 3

COLUMNS = [
    "sweep", "case", "operation", "level", "reference", "ratio", "low", "high", "n", "runs", "claimed_low",
    "claimed_high", "claim", "page",
]  # fmt: skip


def tabulate_ratios(sweeps: Iterable[Estimates]) -> pd.DataFrame:
    """Return one row per case and level of the factor that each sweep varies.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`: ``case``, the row's name; ``ratio low high``, NaN ends from fewer than five pairs; ``runs``,
        the ratios of so few pairs; ``claimed_low claimed_high``, where a claim says that the ratio lies; ``page`` of
        the sweep's trials. Of many numbers of threads three have rows.
    """
    rows = []
    for sweep in sweeps:
        factor = sweep.factor or ""
        reference = reference_level(sweep, factor)
        stated = read_claimed_ratios(sweep.question.study)
        for pair in _thin_out(pairs(sweep, factor)):
            found = _find_claim(stated, sweep, pair, reference)
            ratio: Ratio = pair.ratio
            rows.append({
                "sweep": sweep.path, "case": _name(sweep, pair, reference),
                "operation": str(pair.place.get("operation", "")),
                "level": str(name_setting_level(factor, pair.level)),
                "reference": str(name_setting_level(factor, reference)),
                "ratio": ratio.estimate, "low": ratio.low, "high": ratio.high, "n": ratio.n,
                "runs": ratio.runs if ratio.low != ratio.low else (),
                "claimed_low": found.low if found else float("nan"),
                "claimed_high": found.high if found else float("nan"), "claim": found.claim if found else "",
                "page": ratio.page or "",
            })  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS)


def _thin_out(found: Sequence[Pair]) -> list[Pair]:
    """Return all pairs, or those with the fewest, a middle and the most threads if there are many thread counts."""
    threads = sorted({pair.place["threads"] for pair in found if "threads" in pair.place})
    if len(threads) <= _FEW_THREADS:
        return list(found)
    kept = {threads[0], threads[len(threads) // 2], threads[-1]}
    return [pair for pair in found if pair.place["threads"] in kept]


def _find_claim(stated: Iterable[ClaimedRatio], sweep: Estimates, pair: Pair, reference: Any) -> ClaimedRatio | None:
    """Return the first ratio that a claim bounds of which a pair is one, at the levels that the claim names."""
    place = {**sweep.cube.attrs, **pair.place}
    for claimed in stated:
        for one in (claimed, claimed.inverted()):
            of = (one.sweep, one.factor, one.level, one.reference)
            is_same = of == (sweep.question.sweep, sweep.factor, pair.level, reference)
            is_judged = one.operation in ("", place.get("operation")) and one.metric in ("", sweep.metric)
            if is_same and is_judged and all(place.get(name) == level for name, level in one.levels.items()):
                return one
    return None


def _name(sweep: Estimates, pair: Pair, reference: Any) -> str:
    """Return what is compared: ``random write, 4 threads: on / off``."""
    varied = [name for name in pair.place if name == "operation" or sweep.cells.sizes[name] > 1]
    words = [
        str(pair.place[name]).replace("-", " ") if name == "operation" else name_level(name, pair.place[name])
        for name in varied
    ]
    factor = sweep.factor or ""
    level, base = (name_setting_level(factor, one) for one in (pair.level, reference))
    if level.replace(".", "").replace(",", "").isdigit():
        level = format_factor(factor, pair.level)
    return f"{', '.join(words)}: {level} / {base}" if words else f"{level} / {base}"
