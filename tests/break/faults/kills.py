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

from scene import ROOT, SITE, Scene, children, descendants, refuses, tell

#: How much longer than its runner Snakemake takes up to the verdicts.
_SNAKEMAKE_SHARE = 3.0

#: The notebook that is executed, and what it writes beside its page.
_NOTEBOOK = "throughput-over-threads"
_WRITTEN = ("results/break/notebooks/break/*", "results/break/tables/*", "results/break/figures/*")

_SETTING_STUDY = """\
study: break
title: A setting that is switched all the time
question: Is it as before?
repetitions: 3
notebooks: []
sweeps:
  cache:
    title: Random writes with the write cache on and off
    tools: [fio]
    operations: [random-write]
    settings: {write_cache: site}
    seconds: 20 ms
    factors: {threads: [1], transfer_size: [4 KiB], file_size: [1 MiB], write_cache: [on, off]}
"""
_SETTING_SITE = """\
settings:
  write_cache: {kind: file, path: VALUE, values: {on: write back, off: write through}}
"""


def kill_runner(scene: Scene, moments: random.Random) -> str:
    """Kill -9 of the runner, twice."""
    span = scene.undisturbed().seconds
    for _ in range(2):
        runner = scene.start()
        time.sleep(moments.uniform(0, span))
        runner.kill()
        runner.communicate()
        scene.remember()
    return scene.complete()


def kill_tool(scene: Scene, moments: random.Random) -> str:
    """Kill -9 of the tool, twice: its trial alone is void, with the signal."""
    runner = scene.start()
    # Before the first trial the tool is only asked for its version.
    scene.wait_for("raw/break/**/.r*.partial/stdout.txt", runner)
    killed = 0
    while runner.poll() is None and killed < 2:
        time.sleep(moments.uniform(0.1, 1.0))
        for tool in children(runner.pid):
            with suppress(ProcessLookupError):
                os.kill(tool, signal.SIGKILL)
                killed += 1
    runner.communicate()
    scene.remember()
    return scene.complete("exit-status", killed)


def kill_snakemake(scene: Scene, moments: random.Random) -> str:
    """Kill -9 of Snakemake as `make` starts it, alone or with all below it; the same command again completes."""
    _add_workflow(scene)
    span = _SNAKEMAKE_SHARE * scene.undisturbed().seconds
    with (scene.folder / "killed.txt").open("w") as said:
        make = subprocess.Popen(
            _make(), cwd=scene.folder, env=scene.environment, stdout=said, stderr=said, start_new_session=True
        )
        time.sleep(moments.uniform(0, span))
        alone = moments.random() < 0.5
        for process in filter(_is_snakemake, descendants(make.pid)) if alone else [make.pid]:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL) if alone else os.killpg(process, signal.SIGKILL)
        make.wait()
    scene.remember()
    for _ in range(20):
        again = scene.run(_make())
        holder = re.search(r" is being measured by process (\d+) on ", again.stderr)
        if not holder:
            break
        # What Snakemake left running goes on measuring; the new start names it and ends.
        while Path(f"/proc/{holder[1]}").exists():
            time.sleep(0.1)
    if again.returncode:
        return f"started again, it ends with status {again.returncode}: {_first_error(again.stderr)}"
    if not (scene.folder / "results/break/verdicts.csv").is_file():
        return "started again, it leaves no verdicts"
    return scene.complete()


def _add_workflow(scene: Scene) -> None:
    """Give a scene what Snakemake and `make` need."""
    for name in ("Snakefile", "Makefile", "environment.yml"):
        shutil.copy(ROOT / name, scene.folder)
    left_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "workflow", scene.folder / "workflow", ignore=left_out)
    (scene.folder / "config/config.yaml").write_text("campaign: break\nstudies: break\nsite: break\ntarget: ''\n")


def _make() -> list[str]:
    """Return the command of `make study` without its set-up, up to the verdicts."""
    recipe = "to-verdicts: ; @$(snakemake) -- results/break/verdicts.csv || { status=$$?; $(busy); }"
    return ["make", "--no-print-directory", f"--eval={recipe}", "to-verdicts", "CORES=2", "CAMPAIGN=break"]


def _is_snakemake(process: int) -> bool:
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(word.endswith(b"/snakemake") for word in words[:2]) and b"flock" not in words[0]


def _first_error(said: str) -> str:
    lines = [line for line in said.splitlines() if "rror" in line or line.startswith("coldcache: ")]
    return lines[0] if lines else tell(said)


def kill_notebook(scene: Scene, moments: random.Random) -> str:
    """Kill -9 of papermill, or of its kernel: no page, table or figure is half there, and the next run is whole."""
    whole, span = _execute_undisturbed()
    for name, content in whole.items():
        if not any(Path(name).match(pattern) for pattern in _WRITTEN):
            (scene.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (scene.folder / name).write_bytes(content)
    with (scene.folder / "killed.txt").open("w") as said:
        step = subprocess.Popen(
            _notebook(scene), cwd=scene.folder, env=scene.environment, stdout=said, stderr=said, start_new_session=True
        )
    time.sleep(moments.uniform(0, span))
    kernels = children(step.pid)
    victim = moments.choice([step.pid, *kernels[:1]])
    with suppress(ProcessLookupError):
        os.kill(victim, signal.SIGKILL)
    step.wait(timeout=120)
    said = (scene.folder / "killed.txt").read_text()
    if victim != step.pid and (reason := refuses(step, said)):
        return f"its kernel is killed, and it ends with {reason}"
    if reason := _differs(scene, whole, partly=True):
        return reason
    found = scene.run(_notebook(scene))
    return tell(found.stderr) if found.returncode else _differs(scene, whole)


def _notebook(scene: Scene) -> list[str]:
    page = f"notebooks/break/{_NOTEBOOK}.ipynb"
    words = [*scene.words()[:3], "notebook", f"--notebook=notebooks/{_NOTEBOOK}.ipynb", "--study=break"]
    return [*words, "--dataset=results/break/dataset.nc", f"--output=results/break/{page}", f"--log=logs/{page}"]


@cache
def _execute_undisturbed() -> tuple[dict[str, bytes], float]:
    """Return what an undisturbed execution starts with and leaves, by the name of each file, and its seconds."""
    with tempfile.TemporaryDirectory(prefix="undisturbed-") as folder:
        scene = Scene(Path(folder) / "p")
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
    lacking = {name for name in whole if any(Path(name).match(pattern) for pattern in _WRITTEN)} - there.keys()
    return f"{min(lacking)} is lacking" if lacking and not partly else ""


def kill_settings(scene: Scene, moments: random.Random) -> str:
    """Kill -9 of a block that switches a device's write cache: the next start puts the value back."""
    image = scene.folder / "image"
    image.write_bytes(bytes(2**24))
    attach = ["losetup", "--find", "--show", str(image)]
    device = subprocess.run(attach, capture_output=True, text=True, check=True).stdout.strip()
    value = Path("/sys/block", Path(device).name, "queue/write_cache")
    site = SITE.rstrip() + "\n" + _SETTING_SITE.replace("VALUE", str(value))
    try:
        value.write_text("write back")
        scene = Scene(scene.folder, _SETTING_STUDY, site, "break.cache")
        span = scene.undisturbed().seconds / 2
        runner = scene.start()
        scene.wait_for("scratch/coldcache/.settings.json", runner)
        time.sleep(moments.uniform(0, span))
        runner.kill()
        runner.communicate()
        scene.remember()
        scene.measure()
        left = value.read_text().strip()
        return scene.complete() if left == "write back" else f"the write cache is left at {left}"
    finally:
        subprocess.run(["losetup", "--detach", device], check=True)
