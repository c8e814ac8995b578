from dataclasses import replace

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.design.imported_study import ForeignStudy, Origin
from coldcache.design.study import Sentinel
from coldcache.report.site.reproduce_commands import import_again, measure_again, measure_sweeps_again


@pytest.fixture
def campaign(root):
    whole = read_campaign(root / "raw/reference")
    return replace(whole, studies=whole.studies[:1])


def _at(campaign, site, target):
    """Return the campaign on another target."""
    new = campaign.site.model_copy(
        update={"site": site, "targets": {"scratch": campaign.site.target.model_copy(update=target)}}
    )
    return replace(campaign, site=new)


@pytest.mark.parametrize(
    ("site", "target", "command"),
    [
        ("local", {"path": "scratch", "make": True}, "make study CAMPAIGN=again"),
        ("local", {"path": "/mnt/fast", "make": False}, "make study CAMPAIGN=again TARGET=/mnt/fast"),
        ("local", {"path": "/mnt/a b", "make": False}, "make study CAMPAIGN=again 'TARGET=/mnt/a b'"),
        (
            "lab", {"path": "/lustre/x", "make": False},
            "snakemake --cores all --config campaign=again studies=quick site=lab target=/lustre/x",
        ),
        (
            "lab", {"path": "x", "make": True},
            "snakemake --cores all --config campaign=again studies=quick site=lab",
        ),
    ],
)  # fmt: skip
def test_the_command_measures_the_same_again(campaign, site, target, command):
    assert measure_again(_at(campaign, site, target)) == command


def test_two_studies_are_measured_again_together(campaign):
    quick = campaign.studies[0]
    both = replace(campaign, studies=(quick, quick.model_copy(update={"study": "other"})))
    assert " studies=quick,other site=reference " in measure_again(both)


def test_sweeps_of_a_figure_are_measured_again_alone(campaign):
    assert measure_sweeps_again(campaign, ["quick/random", "quick/metadata"]) == (
        "snakemake --cores all --config campaign=again studies=quick site=reference target=/mnt/scratch "
        "-- results/again/blocks/quick.random.json results/again/blocks/quick.metadata.json"
    )


def test_what_shows_no_sweep_cannot_be_measured_again(campaign):
    assert measure_sweeps_again(campaign, []) is None


def test_what_was_imported_is_imported_again_from_the_logs_that_are_kept_and_never_measured(campaign):
    old = ForeignStudy(
        study="old", title="t", question="q", origin=Origin(folder="old logs", system="s", unread=[]), sweeps={},
        notebooks=[],
    )  # fmt: skip
    mixed = replace(campaign, studies=(*campaign.studies, old))
    assert measure_sweeps_again(mixed, ["old/ior"]) is None
    assert measure_sweeps_again(mixed, ["old/ior", "quick/random"]).endswith(" results/again/blocks/quick.random.json")
    assert measure_again(mixed) == measure_again(campaign)
    assert import_again(mixed, old) == "python -m coldcache import raw/reference/old/logs --campaign again"


def test_a_sentinel_which_has_no_block_is_measured_again_with_all_others(campaign):
    quick = next(study for study in campaign.studies if study.study == "quick")
    watched = quick.model_copy(update={"sentinel": Sentinel(sweep="random", every=5)})
    watching = replace(campaign, studies=(watched,))
    assert measure_sweeps_again(watching, ["quick/random"]).endswith(" target=/mnt/scratch -- measure_all")
    assert measure_sweeps_again(watching, ["quick/random", "quick/metadata"]).endswith(
        " -- results/again/blocks/quick.metadata.json"
    )
