"""What `python -m coldcache plan` prints: the whole design, without touching anything."""

import json

from coldcache.design import draft_design
from coldcache.plan import Case, Trial, arrange_blocks, describe_trial, expand_cases
from coldcache.site import Site
from coldcache.study import Study, Sweep
from coldcache.units import show_bytes, show_seconds


def print_plan(studies: str, site: str, target: str | None, form: str, full: bool = False) -> None:
    """Print the trials of studies on a site.

    Parameters
    ----------
    studies : str
        Ids, separated by commas.
    site : str
        The site's id.
    target : str or None
        A folder to measure instead of the site's.
    form : {"text", "jsonl"}
        A line per sweep and one per case, or one JSON object per trial.
    full : bool
        Whether the studies keep their full scale, whatever the site's limits are.

    Raises
    ------
    ColdCacheError
        As `draft_design`.
    """
    design = draft_design({"studies": studies, "site": site, "target": target or ""}, full)
    asked, circumstances = [study for study in design.studies if isinstance(study, Study)], design.circumstances
    assert circumstances is not None
    cases = [case for study in asked for case in expand_cases(study, design.site, circumstances, full)]
    trials = [trial for block in arrange_blocks(cases, circumstances.seed) for trial in block.trials]
    if form == "jsonl":
        for trial in trials:
            print(json.dumps(describe_trial(trial)))
        return
    for study in asked:
        for name, sweep in study.sweeps.items():
            _print_sweep(sweep, [case for case in cases if (case.study, case.sweep) == (study.study, name)])
    print(_sum_up(trials, design.site))


def _print_sweep(sweep: Sweep, cases: list[Case]) -> None:
    first = cases[0]
    about = [first.tool, *(text for text in (first.item, first.scale) if text)]
    print(f"{first.study}/{first.sweep} ({'; '.join(about)})")
    for step in sweep.preparation:
        print(f"  before each trial: {step}")
    for case in sorted(cases, key=lambda case: case.name):
        size = f"{case.items:,} items" if case.items else show_bytes(case.bytes)
        print(f"  {case.name}  x {case.repetitions}  {size}, about {show_duration(case.seconds)} each")
        if case.runs_here:
            print(f"    does not run here: {case.runs_here}")


def _sum_up(trials: list[Trial], site: Site) -> str:
    """Return how much the whole plan is."""
    total, largest = sum(trial.case.seconds for trial in trials), max(trial.case.bytes for trial in trials)
    missing = sum(bool(trial.case.runs_here) for trial in trials)
    nodes = f", {total * site.clients.nodes / 3600:,.1f} node-hours" if site.clients.nodes > 1 else ""
    here = f", {missing} of them do not run here" if missing else ""
    return (
        f"{len(trials)} trials{here}, about {show_seconds(total)}{nodes}, up to {show_bytes(largest)} "
        f"on {site.target.path}"
    )


def show_duration(seconds: float) -> str:
    """Return a duration with a tenth of a second where it is short."""
    return f"{seconds:.1f} s" if seconds < 60 else show_seconds(seconds)
