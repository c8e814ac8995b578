"""`python -m coldcache plan`: print the trials of a design without touching anything."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coldcache.campaign.campaign import Campaign
from coldcache.core.units import show_bytes, show_percent, show_seconds
from coldcache.design.blocks import Block, arrange_blocks
from coldcache.design.cases import Case, Trial, expand_cases
from coldcache.design.jobs import arrange_allocations, node_hours
from coldcache.design.precondition import Precondition
from coldcache.design.site import Site
from coldcache.design.study import Sweep
from coldcache.measure.nfs_guest.start import wrap
from coldcache.measure.precondition import bytes_per_pass
from coldcache.verdicts.steady_state import ROUNDS
from coldcache.workflow.colours import print_line
from coldcache.workflow.configuration import complete, draft_design, is_elsewhere
from coldcache.workflow.plan_advice import advise

#: The colour of what does not run here.
_ABSENT = ("does not run here.*", "yellow")

#: The fewest rounds whose range is an interval of the median at 95 %, and the most sweeps that a line names.
_ROUNDS, _NAMED = 6, 4


def print_plan(
    studies: str | None,
    site: str | None,
    target: str | None,
    form: str,
    full: bool = False,
    noise: str | None = None,
    size: str | None = None,
    seconds: str | None = None,
    repetitions: str | None = None,
) -> None:
    """Print the trials of studies on a site; what is None is as `config/config.yaml` has it, so as Snakemake takes it.

    Parameters
    ----------
    studies, site : str or None
        Ids of studies, separated by commas, and that of the site.
    target : str or None
        A folder to measure instead of the site's; empty for the site's.
    form : {"text", "jsonl"}
        A line per sweep and one per case, or one JSON object per trial.
    full : bool
        Whether to plan at full scale, ignoring the site's limits.
    noise : str or None
        A campaign whose noise says what each sweep can show, and its trials how long they take; None for the latest.
    size, seconds, repetitions : str or None
        What replaces values of the studies, as in `config/config.yaml`; empty for what these say.

    Raises
    ------
    ColdCacheError
        As `draft_design`.
    """
    given = {"studies": studies, "site": site, "target": target}
    design = draft_design(complete({**given, "size": size, "seconds": seconds, "repetitions": repetitions}), full)
    cases, blocks = _expand(design, full)
    trials = [trial for block in blocks for trial in block.trials]
    if form == "jsonl":
        for trial in (trial for trial in trials if trial.repetition < trial.case.repetitions):
            print(json.dumps(describe_trial(trial)))
        return
    of_sweeps: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        of_sweeps.setdefault((case.study, case.sweep), []).append(case)
    # Found first, as it may be refused.
    powers = _describe_powers(design, of_sweeps, noise)
    for study in design.planned:
        for name, sweep in study.sweeps.items():
            _print_sweep(sweep, of_sweeps[study.study, name])
            if said := powers.get((study.study, name)):
                print(f"  {said}")
    few = filter(None, (_warn_of_few_rounds(study.study, cases) for study in design.planned))
    for line in (*few, *([] if full else advise(cases, design.site))):
        print_line(line, (".*", "yellow"))
    if design.site.precondition:
        print(_describe_precondition(design.site, design.site.precondition))
    _print_time(design, trials, noise, full)
    print_line(_sum_up(blocks, trials, design.site), (".*", "bold"), (r"\d+ of them do not run here", "yellow"))
    if is_elsewhere(design.site) and not full:
        line = f"{design.site.target.path} is not on this machine: its space and the installed tools were not checked"
        print_line(line, (".*", "yellow"))


def _describe_powers(
    design: Campaign, of_sweeps: Mapping[tuple[str, str], list[Case]], noise: str | None
) -> dict[tuple[str, str], str | None]:
    """Return which difference each sweep can show, by study and sweep; empty where no campaign has any noise."""
    if not noise and not any(Path("results").glob("*/dataset.nc")):
        return {}
    # Imported here because the import takes longer than most plans.
    from coldcache.workflow.plan_power import describe_plan_power

    return {
        (study.study, name): describe_plan_power(
            study, name, min(case.repetitions for case in of_sweeps[study.study, name]), noise
        )
        for study in design.planned
        for name in study.sweeps
    }


def _print_time(design: Campaign, trials: list[Trial], campaign: str | None, full: bool) -> None:
    """Print how long the trials take by an earlier campaign, if any says so."""
    if full or not any(Path("results").glob("*/dataset.nc")):
        return
    from coldcache.workflow.plan_time import describe_plan_time

    planned = [trial for trial in trials if trial.repetition < trial.case.repetitions]
    if said := describe_plan_time(planned, design.site, campaign):
        print(said)


def _expand(design: Campaign, full: bool) -> tuple[list[Case], list[Block]]:
    """Return the cases of a design, at full scale if asked, and their blocks, of cases that do not run here, too."""
    environment = design.environment
    assert environment is not None
    if full:
        cases = [case for study in design.planned for case in expand_cases(study, design.site, environment, full)]
    else:
        cases = design.cases()
    if full or any(case.why_not_here for case in cases):
        return cases, arrange_blocks(cases, environment.seed, environment.order)
    return cases, design.blocks()


def _warn_of_few_rounds(study: str, cases: list[Case]) -> str | None:
    """Return that a study has too few rounds for an interval at 95 %, and of which sweeps; None if it has enough."""
    rounds: dict[str, int] = {}
    for case in cases:
        if case.study == study and not case.sentinel_every and case.longest < _ROUNDS:
            rounds[case.sweep] = min(case.longest, rounds.get(case.sweep, _ROUNDS))
    if not rounds:
        return None
    least, most = min(rounds.values()), max(rounds.values())
    told = f"{least}" if least == most else f"{least} to {most}"
    named = ", ".join(rounds) if len(rounds) <= _NAMED else f"{len(rounds)} sweeps"
    return (
        f"{study}: {told} rounds of {named}, and the interval of a median at 95 % takes {_ROUNDS}: set repetitions "
        f"to {_ROUNDS} or more"
    )


def describe_trial(trial: Trial) -> dict[str, Any]:
    """Return a trial as the JSON object that ``--format jsonl`` prints."""
    case = trial.case
    tool = case.implementation
    # What a tool cannot do has no command line.
    argv = [] if case.why_not_here and tool.unfit(case.run) else tool.argv(case.run)
    if case.guest and argv:
        argv = wrap(case.guest, case.run, tool.inputs(case.run), argv)
    return {
        "study": case.study, "sweep": case.sweep, "case": case.name, "repetition": trial.repetition,
        "factors": {"operation": "+".join(case.operations), **case.factors},
        "argv": argv, "bytes": case.bytes, "items": case.items,
        "seconds": round(case.seconds, 3), "item": case.item, "runs_here": case.why_not_here or True,
        **({"repeat_until": case.until.model_dump()} if case.until else {}),
    }  # fmt: skip


def _print_sweep(sweep: Sweep, cases: list[Case]) -> None:
    first = cases[0]
    about = [first.tool, *(text for text in (first.item, first.scale) if text)]
    print_line(f"{first.study}/{first.sweep} ({'; '.join(about)})", (r"^\S+", "bold"))
    for step in sweep.preparation:
        print(f"  before each trial: {step}")
    # A tool that measures several operations in one execution leaves none of them out.
    together = any(len(case.operations) > 1 for case in cases)
    for group in sweep.leave_out:
        if not (together and "operation" in group):
            print(f"  left out: {','.join(f'{factor}={level}' for factor, level in group.items())}")
    reasons = {case.why_not_here for case in cases}
    if len(reasons) == 1 and first.why_not_here:
        print_line(f"  does not run here: {first.why_not_here}", _ABSENT)
    for case in sorted(cases, key=lambda case: case.name):
        size = f"{case.items:,} items" if case.items else show_bytes(case.bytes)
        print(f"  {case.name}  x {_show_repetitions(case)}  {size}, about {show_duration(case.seconds)} each")
        if case.why_not_here and len(reasons) > 1:
            print_line(f"    does not run here: {case.why_not_here}", _ABSENT)


def _show_repetitions(case: Case) -> str:
    """Return how often a case runs: a number, or a range with the rule that stops it."""
    if case.until is None or case.most == case.repetitions:
        return str(case.repetitions)
    budget = f" or {show_seconds(case.until.seconds)} are spent" if case.until.seconds is not None else ""
    return f"{case.repetitions} to {case.most}, until {show_percent(case.until.relative_width)} wide{budget}"


def _describe_precondition(site: Site, asked: Precondition) -> str:
    """Return what is written before the first trial: how, how many bytes, and how long that takes."""
    told = f"before the first trial: of {site.target.path} {asked.describe()}"
    if not Path(site.target.path).parent.exists():
        return f"{told}, within {show_seconds(asked.seconds)}"
    size = bytes_per_pass(site)
    passes = asked.passes * size / site.expected.throughput
    least, most = (min(asked.seconds, passes + count * asked.round) for count in (ROUNDS, asked.rounds))
    return (
        f"{told}: {show_bytes(asked.passes * size)} and the rounds, about {show_duration(least)} to "
        f"{show_duration(most)}"
    )


def _sum_up(blocks: list[Block], trials: list[Trial], site: Site) -> str:
    """Return the total of the trials that run here, and the maximum if stop rules decide."""
    planned = [trial for trial in trials if trial.repetition < trial.case.repetitions]
    running = [trial for trial in planned if not trial.case.why_not_here]
    missing = len(planned) - len(running)
    total = sum(trial.case.seconds for trial in running or planned)
    largest = max(trial.case.bytes for trial in running or planned)
    nodes = f", {total * site.clients.nodes / 3600:,.1f} node-hours" if site.clients.nodes > 1 else ""
    if site.clients.launcher != "local" and running:
        here = [tuple(trial for trial in block.trials if not trial.case.why_not_here) for block in blocks]
        jobs = arrange_allocations(
            [block._replace(trials=some) for block, some in zip(blocks, here, strict=True) if some], site
        )
        nodes = f", {node_hours(jobs):,.1f} node-hours in {len(jobs)} jobs"
    absent = f", {missing} of them do not run here" if missing else ""
    most = ""
    possible = [trial for trial in trials if not trial.case.why_not_here] or trials
    if len(possible) > len(running or planned):
        longest = show_seconds(sum(trial.case.seconds for trial in possible))
        most = f" (at most {len(possible)} trials{' here' if missing and running else ''}, {longest})"
    return (
        f"{len(planned)} trials{absent}, about {show_seconds(total)}{nodes}{most}, up to {show_bytes(largest)} "
        f"on {site.target.path}"
    )


def show_duration(seconds: float) -> str:
    """Return a duration in words; below a minute with a tenth of a second."""
    return f"{seconds:.1f} s" if seconds < 60 else show_seconds(seconds)
