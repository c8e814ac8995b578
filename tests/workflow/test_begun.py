"""A campaign that has begun keeps its configuration and shows what its studies say; a sealed one takes no other."""

import errno
import json
import shutil
from pathlib import Path

import pytest

from coldcache.campaign.begin import begin
from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.importing.import_logs import import_logs
from coldcache.campaign.seal import check_seal, seal
from coldcache.core.errors import CampaignError
from coldcache.workflow.begun import take_begun, update_presentation
from coldcache.workflow.configuration import read_design

CONFIG = {"campaign": "tiny", "studies": "tiny", "site": "here", "target": ""}
UNCHANGED = {"size": "", "seconds": "", "repetitions": ""}


def test_a_changed_title_is_written_to_a_campaign_that_has_begun_and_imported_studies_stay(measured, root, change):
    Path("old").mkdir()
    shutil.copy(root / "tests/specimens/ior-4.0.0-rep3.txt", "old")
    import_logs(Path("old"), "tiny")
    imported = read_campaign(Path("raw/tiny")).foreign
    assert len(imported) == 1
    change(Path("config/studies/tiny.yaml"), "title: A study of seconds", "title: Seconds")
    assert update_presentation(read_design(CONFIG)) is None
    stored = read_campaign(Path("raw/tiny"))
    assert [study.title for study in stored.planned] == ["Seconds"]
    assert stored.foreign == imported
    written = Path("raw/tiny/campaign.json").stat()
    assert update_presentation(read_design(CONFIG)) is None
    assert Path("raw/tiny/campaign.json").stat().st_mtime_ns == written.st_mtime_ns


def test_a_campaign_that_has_not_begun_gets_no_file(project):
    assert update_presentation(read_design(CONFIG)) is None
    assert not Path("raw").exists()


def test_a_sealed_campaign_keeps_its_titles_and_says_so(measured, change):
    seal(Path("raw/tiny"))
    assert update_presentation(read_design(CONFIG)) is None
    change(Path("config/studies/tiny.yaml"), "title: A study of seconds", "title: Seconds")
    assert update_presentation(read_design(CONFIG)) == (
        "raw/tiny is sealed: its report keeps the titles, questions and notebooks that tiny had when it was sealed"
    )
    assert check_seal(Path("raw/tiny")) == []
    Path("scratch").rename("elsewhere")
    assert update_presentation(read_design(CONFIG)) is None
    Path("elsewhere").rename("scratch")
    Path("config/studies/tiny.yaml").write_text("no study")
    assert update_presentation(read_design(CONFIG)) is None


def test_a_mount_whose_server_has_gone_is_a_target_that_is_elsewhere(measured, change, monkeypatch):
    seal(Path("raw/tiny"))
    change(Path("config/studies/tiny.yaml"), "title: A study of seconds", "title: Seconds")
    design, exists = read_design(CONFIG), Path.exists

    def fail(path):
        if path == Path(design.site.target.path):
            raise OSError(errno.ENOTCONN, "Transport endpoint is not connected")
        return exists(path)

    monkeypatch.setattr(Path, "exists", fail)
    assert update_presentation(design) is None


def test_a_campaign_that_has_begun_keeps_its_studies_site_and_target(measured):
    asked = {"campaign": "tiny", "studies": "quick", "site": "local", "target": ""}
    assert take_begun(asked) == {**CONFIG, **UNCHANGED}
    assert take_begun({**asked, "campaign": "new"}) == {**asked, "campaign": "new"}
    assert take_begun({**asked, "target": None}) == {**CONFIG, **UNCHANGED}


def test_what_the_command_line_or_the_file_states_is_not_replaced(measured):
    asked = {"campaign": "tiny", "studies": "quick", "site": "local", "target": ""}
    assert take_begun(asked, stated=["studies"]) == {**CONFIG, "studies": "quick", **UNCHANGED}
    assert take_begun({**asked, "site": "reference"}) == {**CONFIG, "site": "reference", **UNCHANGED}


def test_a_target_that_the_campaign_began_with_is_kept(project):
    Path("elsewhere").mkdir()
    begin(read_design({**CONFIG, "target": "elsewhere"}))
    kept = take_begun({"campaign": "tiny", "studies": "quick", "site": "local"})
    assert kept == {**CONFIG, "target": "elsewhere", **UNCHANGED}


ADDED = """
  more:
    title: More
    tools: [fio]
    operations: [file-create]
    seconds: 0.2 s
    factors: {threads: [1], files: [2000]}
"""


def add_sweep():
    study = Path("config/studies/tiny.yaml")
    study.write_text(study.read_text() + ADDED)


def test_a_sweep_that_is_added_to_a_study_is_measured_where_the_study_was_asked_for_whole(project):
    asked = {"campaign": "tiny", "studies": "quick", "site": "local"}
    begin(read_design(CONFIG))
    add_sweep()
    taken = take_begun(asked)
    assert taken["studies"] == "tiny"
    assert list(read_design(taken).studies[0].sweeps) == ["transfers", "files", "cache", "more"]
    assert update_presentation(read_design(taken)) is None
    begin(read_design({**CONFIG, "studies": "tiny.files"}))
    taken = take_begun(asked)
    assert taken["studies"] == "tiny.files"
    assert update_presentation(read_design(taken)) is None


def test_a_campaign_that_does_not_hold_how_its_studies_were_named_says_which_sweeps_it_leaves_out(project):
    asked, stored = {"campaign": "tiny", "studies": "quick", "site": "local"}, Path("raw/tiny/campaign.json")
    begin(read_design(CONFIG))
    old = json.loads(stored.read_text())
    del old["circumstances"]["studies"]
    stored.write_text(json.dumps(old))
    assert update_presentation(read_design(take_begun(asked))) is None
    add_sweep()
    for _ in range(2):
        taken = take_begun(asked)
        assert taken["studies"] == "tiny.transfers,tiny.files,tiny.cache"
        assert update_presentation(read_design(taken)) == (
            "raw/tiny does not measure tiny.more; to add what its studies have now: "
            "snakemake --cores all --config campaign=tiny studies=tiny"
        )
    assert update_presentation(read_design(CONFIG)) is None
    assert list(read_campaign(Path("raw/tiny")).studies[0].sweeps) == ["transfers", "files", "cache", "more"]
    assert take_begun(asked)["studies"] == "tiny"


@pytest.fixture
def sealed(project):
    """The campaign `tiny` of two sweeps, as it is once it is sealed."""
    begin(read_design({**CONFIG, "studies": "tiny.files, tiny.cache", "seconds": "0.3 s"}))
    Path("raw/tiny/SHA256SUMS").touch()


def state(**values):
    return take_begun({**CONFIG, **values}, stated=["campaign", *values])


def test_a_sealed_campaign_takes_the_values_that_it_has_and_those_of_the_file(sealed):
    own = {"studies": "tiny.cache,tiny.files", "site": "here", "target": "scratch/", "seconds": "0.3s"}
    assert state(**own) == {**CONFIG, **own}
    assert state(studies="tiny", target=str(Path("scratch").absolute()))["studies"] == "tiny"
    assert state(target="", seconds=None) == {**CONFIG, "seconds": None}
    assert take_begun({**CONFIG, "site": "gone"}) == {**CONFIG, "site": "gone"}


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        ({"studies": "quick"}, "studies=quick"),
        ({"studies": "tiny.files"}, "studies=tiny.files"),
        ({"site": "local", "target": "/mnt/x"}, "site=local, target=/mnt/x"),
        ({"size": "8GiB", "seconds": 3}, "size=8GiB, seconds=3"),
        ({"repetitions": 20}, "repetitions=20"),
    ],
)
def test_a_sealed_campaign_refuses_other_values_of_the_command_line(sealed, stated, told):
    with pytest.raises(CampaignError) as refused:
        state(**stated)
    assert str(refused.value) == (
        f"raw/tiny is sealed, and has other values than {told}: leave them out, or choose another name "
        "(--config campaign=…, or make study CAMPAIGN=…)"
    )


def test_repetitions_may_be_added_and_stay_when_they_are_not_given_again(measured):
    assert read_design(CONFIG).studies[0].repetitions == 2
    begin(read_design({**CONFIG, "repetitions": "4"}))
    assert read_campaign(Path("raw/tiny")).environment.repetitions == "4"
    asked = take_begun({"campaign": "tiny", "studies": "quick", "site": "local", "target": ""})
    assert asked["repetitions"] == "4"
    assert {case.repetitions for case in read_design(asked).cases()} == {4}
    with pytest.raises(CampaignError, match=r"r\d is measured, and 1 repetition is planned\): keep what is measured"):
        read_design({**CONFIG, "repetitions": "1"})


def test_a_sealed_campaign_with_fewer_repetitions_than_its_study_lacks_nothing(project):
    begin(read_design({**CONFIG, "repetitions": "1"}))
    Path("raw/tiny/SHA256SUMS").touch()
    assert update_presentation(read_design(CONFIG)) is None
