"""The suite of faults: each one is staged once, and the page quotes a table that has all of them."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

#: The faults, in the order of the suite.
NAMES = (
    "kill_runner", "kill_snakemake", "kill_tool", "kill_notebook", "kill_settings", "fill_target", "fill_raw",
    "use_up_inodes", "turn_read_only", "unmount_target", "replace_target", "hang", "garbage", "zero_rates",
    "change_version", "replay_log", "other_levels", "short_clock", "move_nothing", "stop_tool", "set_clock",
    "start_twice", "start_two_campaigns", "drop_nothing", "cache_below", "write_beside", "slow_device", "free_inodes",
    "alter_sealed", "hostile_design", "hostile_names", "hostile_archives",
    "hostile_tree", "hostile_text",
)  # fmt: skip

#: Faults of the scale model, which take minutes: `make break` stages them.
MODEL_NAMES = (
    "lose_model_target", "lose_model_target_for_good", "lose_model_metadata", "lose_model_metadata_with_standby",
    "unmount_model_client", "cut_model_link", "slow_model_link", "fill_model",
)  # fmt: skip

#: The rows of the table of kinds.
GROUPS = (
    NAMES[:4], NAMES[5:8], NAMES[8:11], NAMES[11:19], ["alter_sealed"], ["stop_tool", "set_clock"],
    ["start_twice", "start_two_campaigns"], NAMES[23:28], ["kill_settings"], NAMES[-5:],
)  # fmt: skip

#: All kinds of these are staged in one campaign.
WHOLE = NAMES[-6:]

NEEDS_ROOT = NAMES[4:11] + NAMES[23:28] + NAMES[-1:]


def run(root, *arguments):
    command = [sys.executable, "faults/run.py", *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=280, check=False)


def read_rows(text):
    """Return name, times, campaigns, held and what did not hold of each row of a table."""
    rows = re.findall(r"^\| `(\w+)` \| .+ \| (\d+) \| (\d+) \| (\d+) \| [\d,]+ \| (.*) ?\|$", text, re.MULTILINE)
    return {name: (*map(int, counts), why.strip()) for name, *counts, why in rows}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A file with undisturbed campaigns: each is measured once for all faults that are compared with it."""
    return tmp_path_factory.mktemp("undisturbed") / "campaigns"


@pytest.mark.slow
@pytest.mark.parametrize("fault", NAMES)
def test_a_fault_that_is_staged_once_leaves_the_campaign_whole(root, fault, undisturbed):
    if fault in NEEDS_ROOT and (os.geteuid() or not shutil.which("losetup")):
        pytest.skip("it needs root and loop devices")
    found = run(root, "--times=1", "--seed=1", f"--undisturbed={undisturbed}", fault)
    assert found.returncode == 0, found.stdout + found.stderr
    ((name, (times, campaigns, held, why)),) = read_rows(found.stdout).items()
    assert (name, held, why) == (fault, times, "") and times >= campaigns >= 1
    assert f", seed 1: {times} of {times} faults in {campaigns} campaigns held. " in found.stdout.splitlines()[0]
    assert (times > 1) == (fault in WHOLE)


@pytest.fixture(scope="module")
def suite(root, undisturbed):
    """The module of the suite that compares a campaign with an undisturbed one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(root / "faults")
        import scene
        from undisturbed import share

        share(undisturbed)
        yield scene


@pytest.fixture(scope="module")
def whole(suite, tmp_path_factory):
    """The folder of a scene whose campaign was measured whole."""
    scene = suite.Scene(tmp_path_factory.mktemp("whole") / "p")
    found = scene.measure()
    assert found.returncode == 0, found.stderr
    return scene.folder


def change_outcome(scene, **changes):
    path = scene.raw / TRIAL / "trial.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def overlap(scene):
    outcomes = sorted(scene.outcomes().values(), key=lambda outcome: outcome.start)
    change_outcome(scene, start=outcomes[0].start, end=outcomes[-1].end)


def repeat(scene):
    with (scene.folder / "break.log").open("a") as log:
        log.write(f"{TRIAL}: exit status 0 after 0.1 s\n")


def lose(scene):
    scene.remember()
    shutil.rmtree(scene.raw / TRIAL)
    (scene.folder / "break.log").unlink()


def leave_on_target(scene):
    (scene.folder / "scratch/coldcache/break/other").mkdir(parents=True)


TRIAL = "break/transfers/operation=read,threads=2/r1"

HARM = {
    "": lambda scene: None,
    f"{TRIAL}/": lose,
    "a partial folder is left": lambda scene: (scene.raw / TRIAL).with_name(".r7.partial").mkdir(),
    f"{TRIAL} ran twice": repeat,
    " overlap": overlap,
    "files of trials are left on the target": leave_on_target,
    f"{TRIAL}: files is ": lambda scene: (scene.raw / TRIAL / "more.txt").touch(),
    f"{TRIAL}: outcome is ": lambda scene: change_outcome(scene, factors={"threads": 2}),
    f"{TRIAL}: argv is ": lambda scene: change_outcome(scene, argv=["fio"]),
    f"{TRIAL}: figures is ": lambda scene: (scene.raw / TRIAL / "stdout.txt").write_text("{}"),
    f"{TRIAL}: verdict is ": lambda scene: change_outcome(scene, stops=1),
}


@pytest.mark.slow
@pytest.mark.parametrize("told", HARM)
def test_what_differs_from_an_undisturbed_campaign_is_told(suite, whole, tmp_path, told):
    shutil.copytree(whole, tmp_path / "p")
    # The files of a trial lie where the campaign was measured.
    scene = suite.Scene(tmp_path / "p")
    for path in scene.raw.rglob("trial.json"):
        path.write_text(path.read_text().replace(str(whole), str(scene.folder)))
    HARM[told](scene)
    reason = scene.complete()
    assert told in reason and bool(reason) == bool(told)


def test_an_unknown_fault_is_named(root):
    found = run(root, "--times=1", "flood")
    assert found.returncode == 2
    known = NAMES[: NAMES.index("alter_sealed")] + MODEL_NAMES + NAMES[NAMES.index("alter_sealed") :]
    assert f"unknown flood; known are {', '.join(known)}" in found.stderr


def test_campaigns_that_were_kept_are_counted_and_not_staged_again(root, tmp_path):
    kept = tmp_path / "kept.jsonl"
    told = {"fault": "hang", "seconds": 1.4, "day": "2026-01-01", "seed": 7}
    lines = [
        {**told, "turn": 0, "times": 6, "reason": ""},
        {**told, "turn": 1, "times": 4, "reason": "a | b", "day": "2026-01-03"},
        {**told, "turn": 10, "times": 5, "reason": ""},
        {**told, "turn": 0, "times": 9, "reason": "other seed", "seed": 8},
    ]
    kept.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = run(root, "--times=15", "--seed=7", f"--kept={kept}", "hang")
    assert found.returncode == 1
    assert found.stdout.startswith("2026-01-01 to 2026-01-03, seed 7: 11 of 15 faults in 3 campaigns held. ")
    assert found.stdout.splitlines()[-1].endswith(" | 15 | 3 | 11 | 4 | a \\| b |")
    assert len(kept.read_text().splitlines()) == 4


def test_the_page_quotes_every_fault_and_its_totals(root):
    page = (root / "docs/reliability.md").read_text()
    rows = read_rows(page)
    assert tuple(rows) == NAMES
    totals = re.search(r": ([\d,]+) of ([\d,]+) faults in ([\d,]+) campaigns held", page)
    held, times, campaigns = (int(number.replace(",", "")) for number in totals.groups())
    assert times == sum(row[0] for row in rows.values()) > 0
    assert campaigns == sum(row[1] for row in rows.values())
    assert held == sum(row[2] for row in rows.values())
    for name, (staged, _, whole, why) in rows.items():
        assert staged >= 1 and bool(why) == (whole < staged), name
    readme = (root / "README.md").read_text()
    assert f"{held:,} of {times:,} faults of {len(NAMES)} kinds" in " ".join(readme.split())
    grouped = re.findall(r"^\| .+ \| ([\d,]+) \| ([\d,]+) \|$", page.split("\nBy kind of fault:\n")[1], re.MULTILINE)
    sums = [sum(rows[name][column] for name in group) for group in GROUPS for column in (0, 2)]
    assert [int(number.replace(",", "")) for row in grouped for number in row] == sums
    assert sum(sums) == times + held
