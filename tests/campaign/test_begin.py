"""A campaign takes further trials, keeps those it has, and refuses whatever would decide them otherwise."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coldcache.campaign.begin import begin, first_difference
from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.progress import missing_trials
from coldcache.core.errors import CampaignError
from coldcache.workflow.configuration import read_design

RAW = Path("raw/tiny")
STUDY, HERE = Path("config/studies/tiny.yaml"), Path("config/sites/here.yaml")
CONFIG = {"campaign": "tiny", "studies": "tiny", "site": "here", "target": ""}


def refusal(function, *arguments):
    with pytest.raises(CampaignError) as refused:
        function(*arguments)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_campaign_begins_once_and_holds_its_design(project):
    design = read_design(CONFIG)
    assert not RAW.exists()
    begin(design)
    text = (RAW / "campaign.json").read_text()
    assert json.loads(text) == json.loads(json.dumps(design.design()))
    begin(design)
    assert (RAW / "campaign.json").read_text() == text
    assert [path.name for path in RAW.iterdir()] == ["campaign.json"]


@pytest.mark.parametrize(
    ("path", "old", "new", "difference"),
    [
        (STUDY, "seconds: 0.2 s\n    # ", "seconds: 0.3 s\n    # ", "studies.0.sweeps.files.seconds: 0.2, now 0.3"),
        (STUDY, "tools: [fio]\n    operations: [random-write]", "tools: [ior]\n    operations: [random-write]",
         'studies.0.sweeps.cache.tools.0: "fio", now "ior"'),
        (HERE, "seconds: 20 s", "seconds: 30 s", "site.limits.seconds: 20.0, now 30.0"),
        (HERE, "path: scratch", "path: other", 'site.targets.scratch.path: "scratch", now "other"'),
    ],
)  # fmt: skip
def test_another_design_is_refused_with_the_first_difference(measured, change, path, old, new, difference):
    before = read_campaign(RAW)
    change(path, old, new)
    assert refusal(read_design, CONFIG) == (
        f"raw/tiny began with another design ({difference}): choose another name (--config campaign=…, or "
        "make study CAMPAIGN=…), or undo this change"
    )
    assert read_campaign(RAW) == before


@pytest.mark.parametrize(
    ("config", "difference"),
    [
        # As a target of one's own is never made, that differs, too.
        ({"target": "mine"}, 'site.targets.scratch.path: "scratch", now "mine"'),
        ({"site": "there"}, 'site.site: "here", now "there"'),
    ],
)
def test_another_target_or_site_is_named_before_what_follows_from_it(measured, config, difference):
    Path("mine").mkdir()
    there = HERE.read_text().replace("site: here", "site: there").replace("limits:", "clients: {cores: 3}\nlimits:")
    HERE.with_name("there.yaml").write_text(there)
    assert f"raw/tiny began with another design ({difference}): " in refusal(read_design, {**CONFIG, **config})


@pytest.mark.parametrize(
    ("began", "studies", "difference"),
    [
        ("tiny", "tiny,other", "studies: tiny, now tiny, other; a study is not added to a campaign that has begun"),
        ("tiny,other", "other", "studies: tiny, other, now other"),
        ("tiny,other", "other,tiny", "studies: tiny, other, now other, tiny"),
    ],
)
def test_a_campaign_keeps_the_studies_that_it_began_with(project, began, studies, difference):
    STUDY.with_name("other.yaml").write_text(STUDY.read_text().replace("study: tiny", "study: other"))
    begin(read_design({**CONFIG, "studies": began}))
    assert refusal(read_design, {**CONFIG, "studies": studies}) == (
        f"raw/tiny began with another design ({difference}): choose another name (--config campaign=…, or "
        "make study CAMPAIGN=…), or undo this change"
    )


def write_campaign(edit):
    """Change the design that a campaign began with, as a program of other defaults would have written it."""
    stored = json.loads((RAW / "campaign.json").read_text())
    edit(stored)
    (RAW / "campaign.json").write_text(json.dumps(stored))


def test_a_campaign_keeps_the_values_that_its_study_and_its_site_leave_to_defaults(measured):
    def edit(stored):
        stored["studies"][0]["sweeps"]["transfers"].update(ramp=0.5, iterations=3)
        stored["site"]["clients"]["mpi"] = "mpirun"
        stored["site"]["limits"]["margin"] = 4.0

    write_campaign(edit)
    began = (RAW / "campaign.json").read_text()
    design = read_design(CONFIG)
    sweep = design.studies[0].sweeps["transfers"]
    assert (sweep.ramp, sweep.iterations, sweep.seconds) == (0.5, 3, 0.2)
    assert (design.site.limits.margin, design.site.clients.mpi) == (4.0, "mpirun")
    begin(design)
    assert json.loads((RAW / "campaign.json").read_text()) == json.loads(began)


def test_what_is_stated_or_was_taken_away_is_no_default(measured):
    write_campaign(lambda stored: stored["studies"][0]["sweeps"]["transfers"].update(seconds=0.3))
    assert "(studies.0.sweeps.transfers.seconds: 0.3, now 0.2)" in refusal(read_design, CONFIG)
    write_campaign(lambda stored: stored["studies"][0]["sweeps"]["transfers"].update(seconds=0.2, needs=["a network"]))
    assert '(studies.0.sweeps.transfers.needs: ["a network"], now [])' in refusal(read_design, CONFIG)


READS, WRITES = "tiny/transfers/operation=read,threads", "tiny/transfers/operation=write,threads"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("threads: [1, 2]", "threads: [1, 4]", f"{WRITES}=2/r1 is measured, and threads 2 no longer planned"),
        ("transfer_size: [64 KiB]", "transfer_size: [128 KiB, 256 KiB]",
         f"{WRITES}=1/r1 is measured, and transfer_size 64 KiB no longer planned"),
        ("[write, read]", "[write]", f"{READS}=1/r1 is measured, and read no longer planned"),
        ("repetitions: 2", "repetitions: 1", f"{WRITES}=1/r1 is measured, and 1 repetition is planned"),
        ("write_cache: [writeback, unsafe]", "write_cache: [writeback]",
         "tiny/cache/write_cache=unsafe/r1 is measured, and write_cache unsafe no longer planned"),
    ],
)  # fmt: skip
def test_what_is_measured_cannot_be_left_out(measured, change, old, new, reason):
    change(STUDY, old, new)
    assert refusal(read_design, CONFIG) == (
        f"raw/tiny began with another design ({reason}): keep what is measured and add to it, or choose another name "
        "(--config campaign=…, or make study CAMPAIGN=…)"
    )


def test_what_is_not_measured_may_be_left_out(project, change):
    begin(read_design(CONFIG))
    change(STUDY, "threads: [1, 2]", "threads: [4]")
    design = read_design(CONFIG)
    begin(design)
    assert read_campaign(RAW) == design
    assert {case.factors["threads"] for case in design.cases() if case.sweep == "transfers"} == {4}


MORE = "\n".join((
    "  more:", "    title: More", "    tools: [fio]", "    operations: [read]", "    seconds: 0.2 s",
    "    factors: {threads: [1], transfer_size: [64 KiB], file_size: [1 MiB]}",
))  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "added"),
    [
        ("threads: [1, 2]", "threads: [1, 2, 4]", [f"{READS}=4", f"{WRITES}=4"]),
        ("threads: [1, 2]", "threads: [4, 2, 1]", [f"{READS}=4", f"{WRITES}=4"]),
        ("transfer_size: [64 KiB]", "transfer_size: [64 KiB, 128 KiB]",
         [f"{operation}={threads},transfer_size=131072" for operation in (READS, WRITES) for threads in (1, 2)]),
        ("operations: [random-write]", "operations: [random-write, random-read]",
         [f"tiny/cache/operation=random-read,write_cache={level}" for level in ("unsafe", "writeback")]),
        ("sweeps:\n", f"sweeps:\n{MORE}\n", ["tiny/more/only"]),
    ],
)  # fmt: skip
def test_levels_operations_and_sweeps_are_added_and_what_is_there_stays(measured, change, old, new, added):
    before = {file: file.read_bytes() for file in RAW.rglob("*") if file.is_file()}
    change(STUDY, old, new)
    design = read_design(CONFIG)
    assert sorted(missing_trials(design)) == [f"{case}/r{number}" for case in added for number in (0, 1)]
    begin(design)
    again = read_campaign(RAW)
    assert again == design
    assert read_design(CONFIG) == again
    assert [file for file, content in before.items() if file.read_bytes() != content] == [RAW / "campaign.json"]


def test_more_repetitions_are_added_and_a_case_keeps_its_folder_through_two_additions(measured, change):
    change(STUDY, "repetitions: 2", "repetitions: 3")
    begin(read_design(CONFIG))
    assert len(missing_trials(read_campaign(RAW))) == 9
    for old, new in (("[64 KiB]", "[64 KiB, 128 KiB]"), ("[file-per-thread]", "[file-per-thread, shared-file]")):
        change(STUDY, old, new)
        begin(read_design(CONFIG))
    design = read_campaign(RAW)
    by_levels = {
        (
            case.operations[0],
            *(case.factors[factor] for factor in ("threads", "transfer_size", "file_layout")),
        ): case.name
        for case in design.cases()
        if case.sweep == "transfers"
    }
    assert by_levels[("read", 2, 65536, "file-per-thread")] == "operation=read,threads=2"
    # Planned by the second addition and not measured: named by what varies now.
    assert by_levels[("read", 2, 131072, "file-per-thread")] == (
        "operation=read,threads=2,transfer_size=131072,file_layout=file-per-thread"
    )
    assert len(by_levels) == len(set(by_levels.values())) == 16
    assert len(missing_trials(design)) == (16 + 3 + 2) * 3 - 18


@pytest.fixture
def watched(project, change):
    """A campaign under a sentinel, with a trial of each case."""
    change(STUDY, "sweeps:\n", f"sentinel: {{sweep: more, every: 10, repeats: 1}}\nsweeps:\n{MORE}\n")
    change(STUDY, "repetitions: 2", "repetitions: 5")
    design = read_design(CONFIG)
    begin(design)
    for case in design.cases():
        write_trial(case, 0)
    return design


def write_trial(case, number):
    """Let a trial be measured, as far as an addition looks at it."""
    (RAW / case.key / f"r{number}").mkdir(parents=True)
    (RAW / case.key / f"r{number}/trial.json").write_text("{}")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  more:\n", MORE.replace("  more:", "  added:") + "\n  more:\n"),
        ("repetitions: 5", "repetitions: 5\nrepeat_until: {relative_width: 0.1, most: 8}"),
    ],
    ids=["sweep", "stop-rule"],
)
def test_what_is_added_under_a_sentinel_may_change_how_often_rounds_are_measured_again(watched, change, old, new):
    change(STUDY, old, new)
    design = read_design(CONFIG)
    again = [{case.key: case.repeats for case in campaign.cases()} for campaign in (watched, design)]
    assert any(again[1][key] != count for key, count in again[0].items())
    begin(design)
    assert read_campaign(RAW) == design


def test_a_round_that_was_measured_again_is_not_left_out(watched, change):
    case = next(case for case in watched.cases() if case.key == f"{READS}=1")
    write_trial(case, 5)
    change(STUDY, "repetitions: 5", "repetitions: 5\nrepeat_until: {relative_width: 0.1, most: 5}")
    assert f"({READS}=1/r5 is measured, and 5 repetitions are planned)" in refusal(read_design, CONFIG)


def test_a_sweep_that_is_added_gets_the_tool_that_is_installed_and_the_others_keep_theirs(measured, change):
    begun = read_campaign(RAW)
    change(STUDY, "sweeps:\n", f"sweeps:\n{MORE}\n".replace("[fio]", "[ior, fio]"))
    tools = read_design(CONFIG).environment.tools
    assert {key: tools[key] for key in begun.environment.tools} == begun.environment.tools
    assert tools.keys() - begun.environment.tools.keys() == {"tiny/more"}


SHOWN = [
    ("config/studies/tiny.yaml", "title: A study of seconds", "title: Seconds", ("studies", 0, "title")),
    ("config/studies/tiny.yaml", "question: Does every step of the way hold?", "question: Is it fast?",
     ("studies", 0, "question")),
    ("config/studies/tiny.yaml", "notebooks: []", "notebooks: [every-sweep]", ("studies", 0, "notebooks")),
    ("config/studies/tiny.yaml", "title: Transfers of 64 KiB", "title: Moves",
     ("studies", 0, "sweeps", "transfers", "title")),
    ("config/studies/tiny.yaml", "title: Operations on empty files",
     "title: Operations on empty files\n    preparation: [sync]", ("studies", 0, "sweeps", "files", "preparation")),
    ("config/sites/here.yaml", "title: This machine", "title: A laptop", ("site", "title")),
]  # fmt: skip


@pytest.mark.parametrize(("path", "old", "new", "place"), SHOWN)
def test_what_is_only_shown_changes_in_a_campaign_that_has_begun_and_nothing_else(
    measured, change, path, old, new, place
):
    before = {file: file.read_bytes() for file in RAW.rglob("*") if file.is_file()}
    change(Path(path), old, new)
    design = read_design(CONFIG)
    assert missing_trials(design) == []
    begin(design)
    assert read_campaign(RAW) == design
    changed = [file for file, content in before.items() if file.read_bytes() != content]
    assert changed == [RAW / "campaign.json"]
    old_design, new_design = json.loads(before[RAW / "campaign.json"]), json.loads(changed[0].read_text())
    difference = first_difference(old_design, new_design)
    assert difference.startswith(".".join(map(str, place)) + ": ")
    *parents, key = place
    one, other = old_design, new_design
    for parent in parents:
        one, other = one[parent], other[parent]
    one[key] = other[key]
    assert old_design == new_design


PLAIN = st.recursive(
    st.integers(0, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3),
    max_leaves=8,
)


@given(PLAIN, PLAIN)
def test_designs_differ_exactly_where_a_difference_is_named(old, new):
    difference = first_difference({"top": old}, {"top": new})
    assert (difference is None) == (old == new)
    assert first_difference(old, old) is None
    if difference:
        place = difference.partition(":")[0].split(".")
        one, other = {"top": old}, {"top": new}
        for key in place:
            one, other = (
                side[int(key)] if isinstance(side, list) else side.get(key) if isinstance(side, dict) else None
                for side in (one, other)
            )
        assert one != other
