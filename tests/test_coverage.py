"""Each table and figure of a source is measured, published only, or not run, with the reason."""

import csv
from pathlib import Path

import pytest

from coldcache.campaign import read_campaign
from coldcache.collect import collect
from coldcache.coverage import Covered, describe_coverage
from coldcache.published import read_published
from coldcache.trials import collect_trials

VALUES = """\
source,item,grade,system,benchmark,workload,operation,threads,statistic,relation,value,unit,note
tiny,fig 1,text,s,b,w,write,,value,=,7,GB/s,
tiny,fig 2,text,s,b,w,write,,value,=,7,GB/s,
tiny,fig 9,text,s,b,w,write,,value,=,7,GB/s,
other,fig 1,text,s,b,w,write,,value,=,7,GB/s,
"""


@pytest.fixture
def itemised(measured):
    """Return the measured campaign, its first sweep serving two figures, its second needing what is not here."""
    campaign = read_campaign(Path("raw/tiny"))
    (study,) = campaign.studies
    sweeps = dict(study.sweeps)
    sweeps["transfers"] = sweeps["transfers"].model_copy(update={"item": "fig 1; fig 3"})
    lacking = {"item": "fig 2; fig 4", "needs": ["two MDTs"]}
    sweeps["files"] = sweeps["files"].model_copy(update=lacking)
    return campaign._replace(studies=(study.model_copy(update={"sweeps": sweeps}),))


def test_each_item_has_its_state_and_its_reason(itemised, tmp_path):
    path = tmp_path / "values.csv"
    path.write_text(VALUES)
    trials = [trial for trial in collect_trials(itemised) if trial.story["sweep"] == "transfers"]
    lack = "needs two MDTs, which config/sites/here.yaml, offers does not list"
    assert describe_coverage(itemised, trials, read_published(path)) == [
        Covered("tiny", "fig 1", "measured", ""),
        Covered("tiny", "fig 3", "measured", ""),
        Covered("tiny", "fig 2", "published only", lack),
        Covered("tiny", "fig 4", "not run", lack),
        Covered("tiny", "fig 9", "published only", "no sweep serves it"),
    ]


def test_without_trials_that_count_nothing_is_measured(itemised):
    states = {(row.item, row.state, row.why) for row in describe_coverage(itemised, [], [])}
    assert ("fig 1", "not run", "no trial of it counts") in states


def test_collecting_writes_the_table(measured):
    collect("tiny", Path("results/tiny"))
    with Path("results/tiny/coverage.csv").open() as file:
        assert next(csv.reader(file)) == ["source", "item", "state", "why"]
