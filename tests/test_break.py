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
    "change_version", "stop_tool", "set_clock", "start_twice", "start_two_campaigns", "alter_sealed", "hostile_design",
    "hostile_archives", "hostile_tree", "hostile_text",
)  # fmt: skip

NEEDS_ROOT = NAMES[4:11] + NAMES[-1:]


def run(root, *arguments):
    command = [sys.executable, "tests/break/run.py", *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=280, check=False)


def read_rows(text):
    """Return name, times, held and what did not hold of each row of a table."""
    rows = re.findall(r"^\| `(\w+)` \| .+ \| ([\d,]+) \| ([\d,]+) \| [\d,]+ \| (.*) ?\|$", text, re.MULTILINE)
    return {name: (int(times), int(held), why.strip()) for name, times, held, why in rows}


@pytest.mark.slow
@pytest.mark.parametrize("fault", NAMES)
def test_a_fault_that_is_staged_once_leaves_the_campaign_whole(root, fault):
    if fault in NEEDS_ROOT and (os.geteuid() or not shutil.which("losetup")):
        pytest.skip("it needs root and loop devices")
    found = run(root, "--times=1", "--seed=1", fault)
    assert found.returncode == 0, found.stdout + found.stderr
    assert ", seed 1: 1 of 1 stagings held. " in found.stdout.splitlines()[0]
    assert read_rows(found.stdout) == {fault: (1, 1, "")}


@pytest.fixture(scope="module")
def suite(root):
    """The module of the suite that holds a campaign against an undisturbed one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(root / "tests/break")
        import scene

        yield scene


@pytest.fixture(scope="module")
def whole(suite, tmp_path_factory):
    """The folder of a scene whose campaign was measured whole."""
    scene = suite.Scene(tmp_path_factory.mktemp("whole") / "p")
    found = scene.measure()
    assert found.returncode == 0, found.stderr
    return scene.folder


def change_story(scene, **changes):
    path = scene.raw / TRIAL / "trial.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def overlap(scene):
    stories = sorted(scene.stories().values(), key=lambda story: story["start"])
    change_story(scene, start=stories[0]["start"], end=stories[-1]["end"])


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
    f"{TRIAL}: story is ": lambda scene: change_story(scene, factors={"threads": 2}),
    f"{TRIAL}: argv is ": lambda scene: change_story(scene, argv=["fio"]),
    f"{TRIAL}: figures is ": lambda scene: (scene.raw / TRIAL / "stdout.txt").write_text("{}"),
    f"{TRIAL}: verdict is ": lambda scene: change_story(scene, stops=1),
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
    assert f"unknown flood; known are {', '.join(NAMES)}" in found.stderr


def test_stagings_that_were_kept_are_counted_and_not_staged_again(root, tmp_path):
    kept = tmp_path / "kept.jsonl"
    line = '{{"fault": "hang", "seed": {}, "turn": {}, "seconds": 1.4, "reason": "{}", "day": "2026-01-0{}"}}\n'
    kept.write_text(line.format(7, 0, "", 1) + line.format(7, 1, "a | b", 3) + line.format(8, 0, "other seed", 2))
    found = run(root, "--times=2", "--seed=7", f"--kept={kept}", "hang")
    assert found.returncode == 1
    assert found.stdout.startswith("2026-01-01 to 2026-01-03, seed 7: 1 of 2 stagings held. ")
    assert found.stdout.splitlines()[-1].endswith(" | 2 | 1 | 3 | a \\| b |")
    assert len(kept.read_text().splitlines()) == 3


def test_the_page_quotes_every_fault_and_its_totals(root):
    page = (root / "docs/reliability.md").read_text()
    rows = read_rows(page)
    assert tuple(rows) == NAMES
    held, times = (int(number.replace(",", "")) for number in re.search(r": ([\d,]+) of ([\d,]+) st", page).groups())
    assert times == sum(row[0] for row in rows.values()) > 0
    assert held == sum(row[1] for row in rows.values())
    for name, (staged, whole, why) in rows.items():
        assert staged >= 1 and bool(why) == (whole < staged), name
    assert f"{held:,} of {times:,} stagings" in (root / "README.md").read_text()
