"""Kill -9 of whatever runs: the runner, the tool, Snakemake, a notebook's step or kernel, a block with settings."""

import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

from scene import ROOT, SHORT, SITE, Scene, children, descendants, ends_within, refuses, tell

#: How much longer than its runner Snakemake takes up to the verdicts.
_SNAKEMAKE_SHARE = 2.0

#: The notebook that is executed, and what it writes beside its page.
_NOTEBOOK = "throughput-over-threads"
_WRITTEN = ("results/break/notebooks/break/*", "results/break/tables/*", "results/break/figures/*")

_SETTING_STUDY = """\
study: break
title: A setting that is switched all the time
question: Is it as before?
repetitions: 12
notebooks: []
sweeps:
  cache:
    title: Random writes with the write cache on and off
    tools: [fio]
    operations: [random-write]
    settings: {write_cache: site}
    seconds: 150 ms
    options: {fio: ['--rate_iops=1500']}
    factors: {threads: [1], transfer_size: [4 KiB], file_size: [1 MiB], write_cache: [on, off]}
"""
_SETTING_SITE = """\
settings:
  write_cache: {kind: file, path: VALUE, values: {on: write back, off: write through}}
"""


def kill_runner(scene: Scene, moments: random.Random, times: int) -> str:
    """Kill -9 of the runner while it starts, measures or ends."""
    for _ in range(2 * times):
        if scene.staged == times:
            break
        runner = scene.start()
        if scene.wait_for_moment(runner, moments):
            runner.kill()
        _, errors = runner.communicate()
        if runner.returncode != -signal.SIGKILL and (reason := refuses(runner, errors)):
            return reason
        scene.staged += runner.returncode == -signal.SIGKILL
        scene.remember()
    return scene.complete()


def kill_tool(scene: Scene, moments: random.Random, times: int) -> str:
    """Kill -9 of the tool, from before it is loaded to its end: only its trial is void, with the signal."""
    trial = scene.undisturbed().trial
    runner = scene.start()
    # Before the first trial the tool is only asked for its version.
    scene.wait_for("raw/break/**/.r*.partial/stdout.txt", runner)
    killed = 0
    while killed < times and not ends_within(runner, moments.uniform(0, trial)):
        noted, tools = scene.count_noted(), children(runner.pid)
        for tool in tools:
            with suppress(ProcessLookupError):
                os.kill(tool, signal.SIGKILL)
        if tools:
            killed += 1
            scene.wait_for_trials(noted + 1, runner)
    runner.communicate()
    scene.remember()
    # A tool that had ended, and that its runner had not yet asked for its status, was none any more.
    scene.staged = scene.count_marked("exit-status")
    return scene.complete("exit-status", killed)


def kill_snakemake(scene: Scene, moments: random.Random, times: int) -> str:
    """Kill -9 of Snakemake as `make` starts it, alone or with its children; the same command completes the campaign."""
    whole = scene.undisturbed()
    span = _SNAKEMAKE_SHARE * (whole.start + len(whole.traces) * whole.trial)
    add_workflow(scene)
    while scene.staged < times and not _is_made(scene):
        process = subprocess.Popen(
            make(), cwd=scene.folder, env=scene.environment, stdout=subprocess.DEVNULL, start_new_session=True,
            stderr=(scene.folder / "said.txt").open("w"),
        )  # fmt: skip
        if not ends_within(process, moments.uniform(0, moments.choice([0.3, 0.6, 1.0]) * span)):
            _kill_make(process.pid, alone=moments.random() < 0.5)
            scene.staged += 1
            process.wait()
        elif process.returncode and not _outlives_holder(said := (scene.folder / "said.txt").read_text()):
            return f"started again, it ends with status {process.returncode}: {_first_error(said)}"
        scene.remember()
    for _ in range(20):
        again = scene.run(make())
        if not _outlives_holder(again.stderr):
            break
    if again.returncode:
        return f"started again, it ends with status {again.returncode}: {_first_error(again.stderr)}"
    return scene.complete() if _is_made(scene) else "started again, it leaves no verdicts"


def _kill_make(make: int, alone: bool) -> None:
    """Kill Snakemake alone, where it has started, or all that `make` has started."""
    victims = list(filter(_is_snakemake, descendants(make))) if alone else []
    for process in victims:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    if not victims:
        with suppress(ProcessLookupError):
            os.killpg(make, signal.SIGKILL)


def _outlives_holder(said: str) -> bool:
    """Return whether a start was refused since what Snakemake left running goes on measuring, and wait for its end."""
    holder = re.search(r" is being measured by process (\d+) on ", said)
    while holder and Path(f"/proc/{holder[1]}").exists():
        time.sleep(0.1)
    return holder is not None


def _is_made(scene: Scene) -> bool:
    return (scene.folder / "results/break/verdicts.csv").is_file()


def add_workflow(scene: Scene) -> None:
    """Give a scene what Snakemake and `make` need."""
    for name in ("Snakefile", "Makefile", "environment.yml"):
        shutil.copy(ROOT / name, scene.folder)
    left_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "workflow", scene.folder / "workflow", ignore=left_out)
    (scene.folder / "config/config.yaml").write_text("campaign: break\nstudies: break\nsite: break\ntarget: ''\n")


def make(wanted: str = "results/break/verdicts.csv", config: str = "campaign=break") -> list[str]:
    """Return the command of `make study` without its set-up, up to one of its files."""
    recipe = f"to-file: ; @$(snakemake) --config {config} -- {wanted} || {{ status=$$?; $(busy); }}"
    return ["make", "--no-print-directory", f"--eval={recipe}", "to-file", "CORES=2"]


def _is_snakemake(process: int) -> bool:
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(word.endswith(b"/snakemake") for word in words[:2]) and b"flock" not in words[0]


def _first_error(said: str) -> str:
    lines = [line for line in said.splitlines() if "rror" in line or line.startswith("coldcache: ")]
    return lines[0] if lines else tell(said)


def kill_notebook(scene: Scene, moments: random.Random, times: int) -> str:
    """Kill -9 of papermill or its kernel: no page, table or figure is half written, and the next run is complete."""
    whole, span = execute_undisturbed()
    for name, content in whole.items():
        if not _is_written(name):
            (scene.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (scene.folder / name).write_bytes(content)
    reason = ""
    while not reason and scene.staged < times:
        step = scene.start_in_session(_notebook(scene))
        if not ends_within(step, moments.uniform(0, span)):
            victim = moments.choice([step.pid, *children(step.pid)[:1]])
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
                scene.staged += 1
        _, said = step.communicate()
        if step.returncode != -signal.SIGKILL and (reason := refuses(step, said)):
            return f"its kernel is killed, and it ends with {reason}"
        reason = _differs(scene, whole, partly=step.returncode != 0)
        if step.returncode == 0:
            # The next one begins with none again; those after a kill, with what that left.
            for path in _written(scene.folder).values():
                path.unlink()
    if reason:
        return reason
    found = scene.run(_notebook(scene))
    return tell(found.stderr) if found.returncode else _differs(scene, whole)


def _notebook(scene: Scene) -> list[str]:
    page = f"notebooks/break/{_NOTEBOOK}.ipynb"
    words = [*scene.words()[:3], "notebook", f"--notebook=notebooks/{_NOTEBOOK}.ipynb", "--study=break"]
    return [*words, "--dataset=results/break/dataset.nc", f"--output=results/break/{page}", f"--log=logs/{page}"]


@cache
def execute_undisturbed() -> tuple[dict[str, bytes], float]:
    """Return what an undisturbed execution starts with and leaves, by the name of each file, and its seconds."""
    with tempfile.TemporaryDirectory(prefix="undisturbed-") as folder:
        scene = Scene(Path(folder) / "p", SHORT)
        (scene.folder / "notebooks").mkdir()
        shutil.copy(ROOT / f"notebooks/{_NOTEBOOK}.ipynb", scene.folder / "notebooks")
        scene.measure()
        scene.coldcache("collect", "--campaign=break", "--results=results/break")
        began = time.monotonic()
        found = scene.run(_notebook(scene))
        seconds = time.monotonic() - began
        files = {name: path.read_bytes() for name, path in _written(scene.folder).items()}
        if found.returncode or not all(any(Path(name).match(one) for name in files) for one in _WRITTEN):
            raise AssertionError(f"the undisturbed notebook is not whole: {tell(found.stderr)}")
        for name in ("results/break/dataset.nc", f"notebooks/{_NOTEBOOK}.ipynb"):
            files[name] = (scene.folder / name).read_bytes()
        return files, seconds


def _is_written(name: str) -> bool:
    return any(Path(name).match(pattern) for pattern in _WRITTEN)


def _written(folder: Path) -> dict[str, Path]:
    """Return every page, table and figure that is there; what has a temporary name is none."""
    paths = [path for pattern in _WRITTEN for path in folder.glob(pattern)]
    return {
        str(path.relative_to(folder)): path
        for path in paths
        if path.suffix != ".partial" and not path.name.startswith(".")
    }


def _differs(scene: Scene, whole: dict[str, bytes], partly: bool = False) -> str:
    """Return which page, table or figure is not that of an undisturbed execution, or, unless `partly`, is lacking."""
    there = _written(scene.folder)
    for name, path in there.items():
        if path.read_bytes() != whole.get(name):
            return f"{name} is not as in an undisturbed execution"
    lacking = set(filter(_is_written, whole)) - there.keys()
    return f"{min(lacking)} is lacking" if lacking and not partly else ""


def kill_settings(scene: Scene, moments: random.Random, times: int) -> str:
    """Kill -9 of a block that switches a device's write cache: the next start restores the value."""
    image = scene.folder / "image"
    image.write_bytes(bytes(2**24))
    attach = ["losetup", "--find", "--show", str(image)]
    device = subprocess.run(attach, capture_output=True, text=True, check=True).stdout.strip()
    value = Path("/sys/block", Path(device).name, "queue/write_cache")
    try:
        value.write_text("write back")
        site = SITE.rstrip() + "\n" + _SETTING_SITE.replace("VALUE", str(value))
        scene.design(_SETTING_STUDY, site, "break.cache")
        scene.undisturbed()
        while scene.staged < times:
            if not _kill_within_settings(scene, moments):
                break
            scene.staged += 1
            # The next start ends in order, by its end or by an interrupt.
            runner = scene.start()
            scene.wait_for_trials(scene.count_noted() + 1, runner)
            runner.terminate()
            runner.communicate()
            scene.remember()
            left = value.read_text().strip()
            if left != "write back":
                return f"the write cache is left at {left}"
        return scene.complete()
    finally:
        subprocess.run(["losetup", "--detach", device], check=True)


def _kill_within_settings(scene: Scene, moments: random.Random) -> bool:
    """Start a block and kill it once it has begun to change the system; False if it has ended before."""
    runner = scene.start()
    changed = scene.wait_for("scratch/coldcache/.settings.json", runner)
    alive = changed is not None and not ends_within(runner, moments.uniform(0, 2 * scene.undisturbed().trial))
    runner.kill()
    runner.communicate()
    scene.remember()
    return alive
