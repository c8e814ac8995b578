"""An earlier campaign says how long the trials of a plan take, from the start of each to that of the next."""

import json
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest

from coldcache.core.units import show_seconds
from coldcache.workflow.commands.plan import print_plan
from coldcache.workflow.configuration import draft_design
from coldcache.workflow.plan_time import describe_plan_time, measure_steps

DATASET = Path("results/tiny/dataset.nc")


def list_trials(design):
    return [trial for block in design.blocks() for trial in block.trials]


@pytest.fixture
def steps(reported):
    """The steps of the measured campaign in s, by sweep and case, from its logs."""
    begun = []
    for path in (reported / "raw/tiny").glob("tiny/*/*/r*/trial.json"):
        trial = json.loads(path.read_text())
        begun.append((datetime.fromisoformat(trial["start"]), trial["sweep"], trial["case"]))
    assert len(begun) == 18
    found: dict[tuple[str, str], list[float]] = {}
    for (start, sweep, case), (after, *_) in pairwise(sorted(begun)):
        found.setdefault((sweep, case), []).append((after - start).total_seconds())
    return {key: median(values) for key, values in found.items()}


def test_a_step_lasts_from_the_start_of_a_trial_to_that_of_the_next(steps):
    assert measure_steps(DATASET) == pytest.approx({("tiny", *key): value for key, value in steps.items()})


def test_a_plan_says_how_long_its_trials_take_by_an_earlier_campaign(steps, capsys):
    whole = show_seconds(sum(2 * value for value in steps.values()))
    print_plan("tiny", "here", None, "text")
    said = capsys.readouterr().out.splitlines()
    assert said[-2] == f"by the trials of tiny these take about {whole}, with what is between them"
    assert said[-1].startswith("18 trials, about 11 s, up to ")
    # A campaign may be named, and none has measured at full scale.
    print_plan("tiny", "here", None, "text", noise="tiny")
    assert f"tiny these take about {whole}" in capsys.readouterr().out
    print_plan("tiny", "here", None, "text", full=True)
    assert "with what is between them" not in capsys.readouterr().out


def test_trials_that_no_campaign_has_are_not_counted(steps, change):
    change(Path("config/studies/tiny.yaml"), "repetitions: 2", "repetitions: 4")
    change(Path("config/studies/tiny.yaml"), "threads: [1, 2]", "threads: [1, 2, 3]")
    design = draft_design({"studies": "tiny", "site": "here"})
    whole = show_seconds(sum(4 * value for value in steps.values()))
    assert describe_plan_time(list_trials(design), design.site) == (
        f"by the trials of tiny 36 of these take about {whole}, with what is between them"
    )


def test_only_trials_of_the_same_site_target_and_sizes_count(steps, change):
    design = draft_design({"studies": "tiny", "site": "here"})
    planned = list_trials(design)
    assert describe_plan_time(planned, design.site.model_copy(update={"site": "there"})) is None
    jobs = design.site.clients.model_copy(update={"launcher": "srun"})
    assert describe_plan_time(planned, design.site.model_copy(update={"clients": jobs})) is None
    Path("mine").mkdir()
    elsewhere = draft_design({"studies": "tiny", "site": "here", "target": "mine"})
    assert describe_plan_time(list_trials(elsewhere), elsewhere.site) is None
    change(Path("config/studies/tiny.yaml"), "file_size: [16 MiB]", "file_size: [8 MiB]")
    smaller = list_trials(draft_design({"studies": "tiny", "site": "here"}))
    whole = show_seconds(sum(2 * value for (sweep, _), value in steps.items() if sweep != "transfers"))
    assert describe_plan_time(smaller, design.site) == (
        f"by the trials of tiny 10 of these take about {whole}, with what is between them"
    )
    assert describe_plan_time([], design.site) is None


@pytest.mark.parametrize("path", ["raw/tiny/campaign.json", str(DATASET)])
def test_a_campaign_that_cannot_be_read_says_nothing(steps, path):
    design = draft_design({"studies": "tiny", "site": "here"})
    assert describe_plan_time(list_trials(design), design.site)
    Path(path).write_bytes(Path(path).read_bytes()[:100])
    assert describe_plan_time(list_trials(design), design.site) is None
