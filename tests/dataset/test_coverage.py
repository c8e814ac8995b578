"""Each table and figure of a source is measured, published only, or not run, with the reason."""

import csv
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.importing.import_logs import import_logs
from coldcache.campaign.not_run import note_not_run
from coldcache.campaign.trials import collect_trials
from coldcache.dataset.collect import collect
from coldcache.dataset.coverage import ItemCoverage, describe_coverage
from coldcache.dataset.published import read_published

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
    return replace(campaign, studies=(study.model_copy(update={"sweeps": sweeps}),))


def test_each_item_has_its_state_and_its_reason(itemised, tmp_path):
    path = tmp_path / "values.csv"
    path.write_text(VALUES)
    trials = [trial for trial in collect_trials(itemised) if trial.outcome.sweep == "transfers"]
    lack = "needs two MDTs, which the site here does not offer"
    assert describe_coverage(itemised, trials, read_published(path)) == [
        ItemCoverage("tiny", "fig 1", "measured", ""),
        ItemCoverage("tiny", "fig 3", "measured", ""),
        ItemCoverage("tiny", "fig 2", "published only", lack),
        ItemCoverage("tiny", "fig 4", "not run", lack),
        ItemCoverage("tiny", "fig 9", "published only", "no sweep covers it"),
    ]


def test_an_item_that_another_tool_than_the_documents_measured_names_both(itemised):
    (study,) = itemised.studies
    sweep = study.sweeps["transfers"].model_copy(update={"tools": ["iozone", "fio"]})
    campaign = replace(itemised, studies=(study.model_copy(update={"sweeps": {**study.sweeps, "transfers": sweep}}),))
    states = {(row.item, row.state): row.why for row in describe_coverage(campaign, list(collect_trials(itemised)), [])}
    assert states["fig 1", "measured"] == "by fio in place of iozone"


def test_without_trials_that_count_nothing_is_measured(itemised):
    states = {(row.item, row.state, row.why) for row in describe_coverage(itemised, [], [])}
    assert ("fig 1", "not run", "none of its trials counts") in states


def test_a_sweep_that_could_not_run_has_its_reason(measured):
    campaign = read_campaign(Path("raw/tiny"))
    (study,) = campaign.studies
    study.sweeps["cache"] = study.sweeps["cache"].model_copy(update={"item": "fig 5"})
    note_not_run(
        campaign, next(block.trials[0].case for block in campaign.blocks() if "cache" in block.name), "no root"
    )
    assert describe_coverage(campaign, [], []) == [ItemCoverage("tiny", "fig 5", "not run", "no root")]


NOTES = """\
study: old-cluster
sweeps:
  shared:
    logs: ["ior.txt"]
    source: tiny
    item: fig 1; fig 3
  killed:
    logs: ["killed.txt"]
    item: fig 2
"""


def test_imported_logs_cover_the_items_that_their_notes_name(root, project):
    logs = project / "logs"
    logs.mkdir()
    for name, log in (("ior", "ior-4.0.0-rep3"), ("killed", "ior-4.0.0-killed")):
        shutil.copy(root / f"tests/specimens/{log}.txt", logs / f"{name}.txt")
    (logs / "coldcache.yaml").write_text(NOTES)
    (project / "values.csv").write_text(VALUES)
    import_logs(logs, "old")
    campaign = read_campaign(Path("raw/old"))
    assert describe_coverage(campaign, collect_trials(campaign), read_published(project / "values.csv")) == [
        ItemCoverage("old-cluster", "fig 2", "not run", "none of its imported logs counts"),
        ItemCoverage("tiny", "fig 1", "imported", "logs of ior"),
        ItemCoverage("tiny", "fig 3", "imported", "logs of ior"),
        ItemCoverage("tiny", "fig 2", "published only", "no log of it was imported"),
        ItemCoverage("tiny", "fig 9", "published only", "no log of it was imported"),
    ]


def test_collecting_writes_the_table(measured):
    collect("tiny", Path("results/tiny"))
    with Path("results/tiny/coverage.csv").open() as file:
        assert next(csv.reader(file)) == ["source", "item", "state", "why"]
