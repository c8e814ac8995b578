"""The page on methods: how trials run, the rules that judge them, and how estimates and intervals are computed."""

from collections.abc import Iterator
from typing import Any

from coldcache.analysis.estimates import LEVEL
from coldcache.campaign.progress import count_repetitions
from coldcache.core.units import show_seconds
from coldcache.report.site.context import ReportContext
from coldcache.report.site.format import show_share
from coldcache.report.site.html import code, facts, table
from coldcache.report.site.validity import CampaignValidity
from coldcache.statistics.stopping import LEAST_REPETITIONS
from coldcache.statistics.widening import LEAST_OF_MODES, LEAST_WORTH, reach_of_order
from coldcache.verdicts.judge import RULES


def describe_methods_page(context: ReportContext) -> dict[str, Any]:
    """Return the values of the template `methods.md`, except its chapters."""
    campaign, thresholds = context.campaign, context.campaign.site.thresholds
    counts = count_repetitions(campaign)
    reaches = " and ".join(
        f"{show_share(reach_of_order(n))} from {n}"
        for n in counts
        if n >= LEAST_REPETITIONS and reach_of_order(n) < LEVEL
    )
    return {
        "least_worth": f"{LEAST_WORTH:g}",
        "least_of_modes": LEAST_OF_MODES,
        "time_limit": show_seconds(campaign.site.limits.seconds),
        "seed": campaign.environment.seed if campaign.environment else None,
        "rules": table(
            ("Rule", "Verdict", "When", "Trials here"), _list_rules(context.validity), numbers=("Trials here",)
        ),
        "colds": facts((
            ("cold", f"At least {show_share(thresholds.cold_share)} of its bytes crossed the device."),
            ("warm", f"At most {show_share(1 - thresholds.cold_share)} of its bytes did: most came from memory."),
            ("mixed", "A share in between did."),
            ("unproved", "Nothing counts the bytes, files were in memory before, or much more crossed than was read."),
        )),
        "level": show_share(LEVEL),
        "reach": f"The most that few repetitions can reach is {reaches}." if reaches else "",
        "least": LEAST_REPETITIONS,
    }  # fmt: skip


def _list_rules(validity: CampaignValidity) -> Iterator[tuple[Any, ...]]:
    """Yield each rule with its verdict, the first line of its docstring, and the number of trials that it flagged."""
    for rule, verdict, judge in RULES:
        meaning = (judge.__doc__ or "").splitlines()[0].partition(": ")[2]
        yield code(rule), verdict, meaning[:1].upper() + meaning[1:], validity.codes[rule]
