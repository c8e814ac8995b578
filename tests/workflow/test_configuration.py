"""A configuration becomes a design, or one line that says which word of it is not known."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from coldcache.campaign.begin import begin
from coldcache.campaign.seal import seal
from coldcache.core.errors import ColdCacheError, ToolError
from coldcache.design.study import read_study
from coldcache.workflow.begun import take_begun
from coldcache.workflow.configuration import choose_tool, draft_design, read_design

NAMES = "a name has letters a to z, digits, hyphens and underscores only, and begins with a letter or a digit"
CONFIG = {"campaign": "tiny", "studies": "tiny", "site": "here", "target": ""}


def refusal(config):
    with pytest.raises(ColdCacheError) as refused:
        read_design(config)
    return str(refused.value)


def test_a_design_writes_nothing(project):
    before = sorted(project.rglob("*"))
    design = read_design(CONFIG)
    assert (design.name, design.site.site, [study.study for study in design.studies]) == ("tiny", "here", ["tiny"])
    assert sorted(project.rglob("*")) == before


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"campaigm": "x"}, '--config: unknown key "campaigm"; did you mean "campaign"?'),
        ({"campaign": None}, "config/config.yaml: campaign is required"),
        ({"site": None}, "config/config.yaml: site is required"),
        ({"studies": None}, "config/config.yaml: studies is required"),
        ({"campaign": ""}, f'campaign "": {NAMES}'),
        ({"campaign": "a/b"}, f'campaign "a/b": {NAMES}'),
        ({"campaign": ".."}, f'campaign "..": {NAMES}'),
        ({"campaign": "größe"}, f'campaign "größe": {NAMES}'),
        ({"campaign": "-x"}, f'campaign "-x": {NAMES}'),
        ({"studies": "tiny,tiny"}, 'studies: "tiny" is named twice'),
        ({"studies": "tiny,tiny.transfers"}, 'studies: "tiny.transfers" is named twice'),
        ({"studies": "tiny.transfer"}, 'studies: tiny has no sweep "transfer"; did you mean "transfers"?'),
        ({"studies": "tiny, tny"}, 'config/studies/tny.yaml: there is no such file; did you mean "tiny"?'),
        ({"studies": ", "}, "config/config.yaml: studies: name at least one"),
        ({"site": "hre"}, 'config/sites/hre.yaml: there is no such file; did you mean "here"?'),
    ],
)
def test_an_unknown_word_of_the_configuration_is_refused(project, more, line):
    assert refusal({**CONFIG, **more}) == line


def test_a_name_that_yaml_takes_for_a_number_is_a_name(project):
    assert read_design({**CONFIG, "campaign": 2024}).folder == Path("raw/2024")


def test_some_sweeps_of_a_study_are_named_with_it(project):
    whole = read_design(CONFIG).studies[0]
    (study,) = read_design({**CONFIG, "studies": "tiny.transfers"}).studies
    assert list(study.sweeps) == ["transfers"] and len(whole.sweeps) > 1
    begin(read_design({**CONFIG, "studies": "tiny.transfers"}))
    assert take_begun({**CONFIG, "studies": "quick"})["studies"] == "tiny.transfers"


def test_blanks_between_studies_do_not_matter(project):
    text = Path("config/studies/tiny.yaml").read_text()
    Path("config/studies/other.yaml").write_text(text.replace("study: tiny", "study: other"))
    design = read_design({**CONFIG, "studies": " tiny, other"})
    assert [study.study for study in design.studies] == ["tiny", "other"]
    names = [f"{study}.{sweep}" for study in ("other", "tiny") for sweep in ("cache", "files", "transfers")]
    assert sorted(block.name for block in design.blocks() if block.round == 1) == names


def test_the_order_of_trials_follows_from_the_campaigns_name(project):
    def order(name):
        return [trial.key for block in read_design({**CONFIG, "campaign": name}).blocks() for trial in block.trials]

    assert order("tiny") == order("tiny")
    assert order("tiny") != order("other")
    assert sorted(order("tiny")) == sorted(order("other"))


def test_the_first_tool_that_is_installed_is_taken(project, monkeypatch, tmp_path):
    sweep = read_study(Path("config/studies"), "tiny").sweeps["files"].model_copy(update={"tools": ["mdtest", "fio"]})
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(ToolError) as refused:
        choose_tool(Path("here"), "files", sweep)
    assert str(refused.value) == "here, sweeps.files: fio is not on PATH; install it: apt-get install fio"
    for name in ("fio", "mdtest"):
        program = tmp_path / "bin" / name
        program.touch()
        program.chmod(0o755)
        assert choose_tool(Path("here"), "files", sweep) == name


def test_a_study_that_scales_down_runs_64_threads_where_its_site_states_no_limit(root, monkeypatch):
    monkeypatch.chdir(root)
    # Under tmp_path the path of a socket would be too long.
    with TemporaryDirectory(dir="/tmp") as short:
        draft = draft_design({"studies": "dell-lustre", "site": "reference", "target": short})
    assert draft.site.limits.threads is None

    def most(cores):
        here = replace(draft, environment=draft.environment._replace(cores=cores))
        return max(trial.case.run.threads for block in here.blocks() for trial in block.trials)

    assert (most(1), most(2), most(1000)) == (64, 64, 64)


def test_a_campaign_that_began_keeps_its_tools_and_environment(project):
    design = read_design(CONFIG)
    began = replace(design, environment=design.environment._replace(cores=99, seed=5, direct_io=False))
    begin(began)
    assert read_design(CONFIG) == began


def test_a_mistake_in_a_claim_is_refused_before_anything_is_measured(project):
    Path("config/claims").mkdir()
    claim = "source: tiny\nclaims: [{id: TY1, scope: protocol, place: fig 1, statement: S., tests: [T]}]"
    test = "{kind: peak-at, sweep: transfer, threads: 2}"
    Path("config/claims/tiny.yaml").write_text(claim.replace("T]", f"{test}]"))
    line = 'config/claims/tiny.yaml, TY1: unknown sweep "transfer"; did you mean "transfers"?'
    assert refusal(CONFIG) == line
    with pytest.raises(ColdCacheError) as refused:
        draft_design(CONFIG)
    assert str(refused.value) == line


def test_a_draft_minds_no_campaign(project):
    design = read_design(CONFIG)
    begin(replace(design, environment=design.environment._replace(cores=99)))
    assert draft_design(CONFIG).environment.cores == design.environment.cores


def test_a_sealed_campaign_is_taken_as_it_is_whatever_the_configuration_says(measured):
    seal(Path("raw/tiny"))
    Path("config/studies/tiny.yaml").unlink()
    assert len(read_design({**CONFIG, "site": "gone"}).blocks()) == 6


def test_a_whole_campaign_needs_no_target_and_no_tool(measured, monkeypatch):
    Path("scratch/thesis.doc").touch()
    monkeypatch.setenv("PATH", "")
    assert len(read_design(CONFIG).blocks()) == 6


def test_a_campaign_with_missing_trials_needs_its_target(measured):
    Path("scratch/thesis.doc").touch()
    (Path("raw/tiny") / "tiny/files/operation=file-stat/r0/trial.json").unlink()
    assert 'scratch holds foreign files such as "thesis.doc"' in refusal(CONFIG)
