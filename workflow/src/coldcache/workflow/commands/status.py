"""`python -m coldcache status`: print the progress of a campaign, from its files alone."""

import time
from collections import Counter
from typing import NamedTuple

from coldcache.campaign.campaign import RAW, Campaign, read_campaign
from coldcache.campaign.not_run import why_missing
from coldcache.campaign.seal import is_sealed
from coldcache.campaign.stop_rule import is_done, is_missing
from coldcache.campaign.trial_json import TRIAL_JSON, read_outcome
from coldcache.core.outcome import Outcome
from coldcache.core.units import show_seconds
from coldcache.design.cases import Trial
from coldcache.workflow.colours import print_line


class Status(NamedTuple):
    """The progress of a campaign.

    Attributes
    ----------
    done : int
        Trials that have a folder, whatever their verdict.
    void : list of str
        The finished trials that recorded a failure, with the reason.
    running : list of str
        Trials that are running now.
    refused : dict of str to int
        By reason, the number of trials that cannot run.
    waiting : int
        Trials that are still to run.
    seconds : float
        Their expected duration: the plan's estimate, scaled by the pace of the finished trials.
    jobs : int
        Jobs with waiting trials.
    """

    done: int
    void: list[str]
    running: list[str]
    refused: dict[str, int]
    waiting: int
    seconds: float
    jobs: int


def print_status(name: str) -> None:
    """Print the progress of a campaign.

    Parameters
    ----------
    name : str
        The campaign's folder below `RAW`.

    Raises
    ------
    CampaignError
        If there is no such campaign, or its design cannot be read.
    """
    folder = RAW / name
    campaign = read_campaign(folder)
    if not campaign.planned:
        print(f"{name} was imported: there is nothing to measure")
        return
    status = find_status(campaign)
    total = status.done + status.waiting + sum(status.refused.values())
    sealed = ", sealed" if is_sealed(folder) else ""
    print_line(
        f"{status.done} of {total} trials are done{sealed}", (".*", "bold" if status.done < total else "bold green")
    )
    for trial in status.running:
        print_line(f"running: {trial}", ("^running", "cyan"))
    if status.waiting:
        jobs = "1 job" if status.jobs == 1 else f"{status.jobs} jobs"
        end = time.strftime("%d %b %H:%M", time.localtime(time.time() + status.seconds))
        print(
            f"waiting: {status.waiting} in {jobs}, about {show_seconds(status.seconds)} without time in the queue: "
            f"not before {end}"
        )
    for reason, count in status.refused.items():
        print_line(f"not run: {count}, {reason}", ("^not run", "yellow"))
    for line in status.void:
        print_line(f"void: {line}", ("^void", "bold red"))
    if status.done:
        print("verdicts.csv shows which of them count, once they are collected")


def find_status(campaign: Campaign) -> Status:
    """Return the progress of a campaign from the `trial.json` of its trials, without reading logs."""
    void, running, waiting_jobs = [], [], 0
    refused: Counter[str] = Counter()
    spent = expected = left = 0.0
    done = waiting = 0
    reasons: dict[tuple[str, str], str | None] = {}
    for allocation in campaign.allocations:
        before = waiting
        for name, trial in ((block.name, trial) for block in allocation.blocks for trial in block.trials):
            if is_done(campaign.folder, trial):
                outcome = read_outcome(campaign.folder / trial.key / TRIAL_JSON)
                done += 1
                spent, expected = spent + (outcome.seconds or 0.0), expected + trial.case.seconds
                if reason := _why_void(outcome):
                    void.append(f"{trial.key}: {reason}")
                continue
            if not is_missing(campaign, trial):
                continue
            key = (trial.case.sweep, name)
            if key not in reasons:
                reasons[key] = why_missing(campaign.folder, trial, name)
            if refusal := reasons[key]:
                refused[refusal] += 1
                continue
            waiting += 1
            left += trial.case.seconds
            if since := _running_since(campaign, trial):
                running.append(f"{trial.key}, for {show_seconds(since)}")
        waiting_jobs += waiting > before
    pace = spent / expected if expected > 5 else 1.0
    return Status(done, void, running, dict(refused), waiting, left * max(pace, 0.01), waiting_jobs)


def _why_void(outcome: Outcome) -> str | None:
    """Return why a trial is void, as far as that shows without its log; None where it does not."""
    if outcome.failure:
        return outcome.failure.message
    if outcome.timed_out:
        return f"ended after {outcome.time_limit:g} s"
    return f"exit status {outcome.exit_status}" if outcome.exit_status else None


def _running_since(campaign: Campaign, trial: Trial) -> float:
    """Return for how long a trial has been running, in s; 0 if it is not, or its runner was killed long ago."""
    folder = campaign.folder / trial.key
    try:
        since = time.time() - folder.with_name(f".{folder.name}.partial").stat().st_mtime
    except OSError:
        return 0.0
    longest = campaign.site.limits.seconds + campaign.site.limits.layout_seconds + 600
    return max(since, 0.1) if since < longest else 0.0
