import pytest

from coldcache.campaign import read_campaign
from coldcache.conditions import Conditions
from coldcache.first_page import describe_first_page
from coldcache.material import Material
from coldcache.validity import Validity


@pytest.fixture
def material(root, tmp_path, monkeypatch):
    """The reference campaign, of which nothing but the design is known."""
    monkeypatch.chdir(root)
    campaign = read_campaign(root / "raw/reference")
    nothing = Conditions({}, {}, {}, [], None, None, 0)
    return Material(campaign, tmp_path, {"quick": []}, Validity({}, {}, [], {}), nothing)


def _at(material, site, target, **changes):
    """Return the material of a campaign on another target."""
    old = material.campaign.site
    new = old.model_copy(update={"site": site, "targets": {"scratch": old.target.model_copy(update=target)}})
    return material._replace(campaign=material.campaign._replace(site=new, **changes))


@pytest.mark.parametrize(
    ("site", "target", "command"),
    [
        ("local", {"path": "scratch", "make": True}, "make study CAMPAIGN=again"),
        ("local", {"path": "/mnt/fast", "make": False}, "make study CAMPAIGN=again TARGET=/mnt/fast"),
        ("local", {"path": "/mnt/a b", "make": False}, "make study CAMPAIGN=again &#39;TARGET=/mnt/a b&#39;"),
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
def test_the_command_measures_the_same_again(material, site, target, command):
    assert f"<td><code>{command}</code></td>" in describe_first_page(_at(material, site, target))["evidence"]


def test_two_studies_are_measured_again_together(material):
    quick = material.campaign.studies[0]
    other = quick.model_copy(update={"study": "other"})
    tools = dict(material.campaign.circumstances.tools)
    tools |= {key.replace("quick/", "other/"): tool for key, tool in tools.items()}
    both = material._replace(
        campaign=material.campaign._replace(
            studies=(quick, other), circumstances=material.campaign.circumstances._replace(tools=tools)
        ),
        chapters={"quick": [], "other": []},
    )
    assert "studies=quick,<wbr>other site=" in describe_first_page(both)["evidence"]


def test_files_are_named_until_they_are_too_many(material):
    tables = material.results / "tables"
    tables.mkdir()
    for number in range(24):
        (tables / f"{number:02}.csv").touch()
    shown = describe_first_page(material)["evidence"]
    assert '<a href="../tables/00.csv">00.csv</a>, <a href="../tables/01.csv">01.csv</a>' in shown
    assert '<th scope="row">Figures</th><td>none</td>' in shown
    (tables / "24.csv").touch()
    shown = describe_first_page(material)["evidence"]
    assert '<td>25 files in <a href="../tables/">tables/</a></td>' in shown


def test_an_interval_is_promised_only_what_its_repetitions_reach(material):
    def levels(repetitions):
        study = material.campaign.studies[0].model_copy(update={"repetitions": repetitions})
        return describe_first_page(material._replace(campaign=material.campaign._replace(studies=(study,))))["level"]

    assert [levels(n) for n in (1, 2, 5, 6, 20)] == ["", "50\xa0%", "93.8\xa0%", "95\xa0%", "95\xa0%"]


def test_nothing_known_is_said_so(material):
    values = describe_first_page(material)
    assert '<th scope="row">Kernel</th><td>not known, not known</td>' in values["system"]
    assert values["period"] == "No trial has run"
