"""Each fault is staged in a scene at a random moment; what it returns did not hold, and is empty where all did."""

import os
import random
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from scene import SITE, STUDY, Scene

from coldcache.campaign import check_seal

#: Seconds that the campaign of a scene takes, in which moments are drawn.
SPAN = 5.0


def kill_runner(scene: Scene, moments: random.Random) -> str:
    """Kill -9 the runner, twice."""
    for _ in range(2):
        runner = scene.start()
        time.sleep(moments.uniform(0.2, SPAN))
        runner.kill()
        runner.communicate()
    return scene.complete()


def kill_tool(scene: Scene, moments: random.Random) -> str:
    """Kill -9 the tool: its trial alone is void, with the signal."""
    runner = scene.start()
    # Before the first trial the tool is only asked for its version.
    scene.wait_for("raw/break/**/.r*.partial/stdout.txt", runner)
    killed = 0
    while runner.poll() is None and killed < 2:
        time.sleep(moments.uniform(0.1, 1.0))
        for tool in scene.tools(runner.pid):
            with suppress(ProcessLookupError):
                os.kill(tool, signal.SIGKILL)
                killed += 1
    runner.communicate()
    void = [key for key, (verdict, codes) in scene.verdicts().items() if verdict == "void" and "exit-status" in codes]
    if len(void) > killed:
        return f"{len(void)} trials are void after {killed} kills"
    return scene.complete()


def hang(scene: Scene, moments: random.Random) -> str:
    """A tool that hangs, with a child of its own: ended at the time limit, with its child."""
    chosen = moments.randint(1, 12)
    scene.replace_fio("sleep 333 & sleep 334", at=chosen)
    return _one_is_void(scene, "time-limit")


def garbage(scene: Scene, moments: random.Random) -> str:
    """A tool that exits 0 and prints garbage."""
    chosen = moments.randint(1, 12)
    scene.replace_fio("head -c 5000 /dev/urandom; exit 0", at=chosen)
    return _one_is_void(scene, "log-refused")


def zero_rates(scene: Scene, moments: random.Random) -> str:
    """A tool that exits 0 and states zero rates."""
    chosen = moments.randint(1, 12)
    scene.replace_fio("""REAL "$@" | sed -E 's/"(bw|bw_bytes|iops)" : [0-9.]+/"\\1" : 0/'; exit 0""", at=chosen)
    return _one_is_void(scene, "log-refused")


def change_version(scene: Scene, moments: random.Random) -> str:
    """A tool whose version changes within the block."""
    chosen = moments.randint(2, 12)
    scene.replace_fio("""REAL "$@" | sed -E 's/"fio-[0-9.]+"/"fio-3.99"/'; exit 0""", at=chosen)
    return _one_is_void(scene, "tool-changed")


def _one_is_void(scene: Scene, code: str) -> str:
    found = scene.measure()
    if found.returncode:
        return f"the block fails: {found.stderr.strip().splitlines()[-1]}"
    void = {key: codes for key, (verdict, codes) in scene.verdicts().items() if verdict == "void"}
    if len(void) != 1 or code not in next(iter(void.values())).split():
        return f"void is {void}, not one trial by {code}"
    return scene.complete()


def stop_tool(scene: Scene, moments: random.Random) -> str:
    """Suspend the tool for a while: its trial is marked."""
    runner = scene.start()
    scene.wait_for("raw/break/**/.r*.partial/stdout.txt", runner)
    stopped = False
    while runner.poll() is None and not stopped:
        time.sleep(moments.uniform(0, 0.3))
        for tool in scene.tools(runner.pid):
            with suppress(OSError):
                os.kill(tool, signal.SIGSTOP)
                time.sleep(0.3)
                stopped = Path(f"/proc/{tool}/stat").read_text().rpartition(")")[2].split()[0] == "T"
                os.kill(tool, signal.SIGCONT)
    runner.communicate()
    marked = [key for key, (_, codes) in scene.verdicts().items() if "suspended" in codes.split()]
    return scene.complete() if len(marked) == 1 or not stopped else f"{len(marked)} trials are marked as suspended"


def fill_target(scene: Scene, moments: random.Random) -> str:
    """A target that fills up in mid-run: told by name, and completed once there is space."""
    return _with_mount(scene, scene.folder / "scratch", "size=100m", lambda: _fill(scene, moments, "scratch"))


def fill_raw(scene: Scene, moments: random.Random) -> str:
    """A disk of the raw logs that fills up in mid-run."""
    return _with_mount(scene, scene.folder / "raw", "size=24m", lambda: _fill(scene, moments, "raw"))


def use_up_inodes(scene: Scene, moments: random.Random) -> str:
    """A disk of the raw logs without inodes."""
    return _with_mount(scene, scene.folder / "raw", "size=24m,nr_inodes=300", lambda: _fill(scene, moments, "raw", 300))


def _fill(scene: Scene, moments: random.Random, name: str, files: int = 0) -> str:
    runner = scene.start()
    time.sleep(moments.uniform(0.5, SPAN / 2))
    ballast = scene.folder / name / "lost+found"
    ballast.mkdir(exist_ok=True)
    with suppress(OSError):
        for number in range(files):
            (ballast / str(number)).touch()
        if not files:
            with (ballast / "ballast").open("wb", buffering=0) as file:
                while file.write(bytes(65536)):
                    pass
    _, errors = runner.communicate()
    told = errors.strip().splitlines()[-1] if errors.strip() else ""
    shutil.rmtree(ballast, ignore_errors=True)
    if runner.returncode == 0:
        return scene.complete()
    if runner.returncode != 1 or not told.startswith("coldcache: ") or "Traceback" in errors:
        return f"status {runner.returncode}, {told}"
    return scene.complete()


def unmount_target(scene: Scene, moments: random.Random) -> str:
    """A target that is unmounted in mid-run: void with the reason, nothing left in its place, and completed after."""
    target = scene.folder / "scratch"
    image = scene.folder / "image"
    with image.open("wb") as file:
        file.truncate(96 * 2**20)
    attach = ["losetup", "--find", "--show", str(image)]
    device = subprocess.run(attach, capture_output=True, text=True, check=True).stdout.strip()
    target.mkdir()
    try:
        subprocess.run(["mkfs.ext4", "-q", device], check=True)
        subprocess.run(["mount", device, str(target)], check=True)
        runner = scene.start()
        scene.wait_for("scratch/coldcache/break/transfers/t0", runner)
        time.sleep(moments.uniform(0, SPAN / 2))
        subprocess.run(["umount", "--lazy", str(target)], check=True)
        _, errors = runner.communicate()
        strayed = [str(path) for path in target.rglob("*") if path.is_file()]
        told = "other file system" in errors
        shutil.rmtree(target / "coldcache", ignore_errors=True)
        subprocess.run(["mount", device, str(target)], check=True)
        if strayed and not told:
            return f"written elsewhere: {strayed[0]}"
        if runner.returncode and "put it right and start again" not in errors:
            return errors.strip().splitlines()[-1]
        lost = [one for one in scene.stories().values() if (one["failure"] or {}).get("code") == "target-lost"]
        if len(lost) > 1:
            return f"{len(lost)} trials are void"
        return scene.complete()
    finally:
        subprocess.run(["umount", "--lazy", str(target)], check=False)
        subprocess.run(["losetup", "--detach", device], check=False)


def _with_mount(scene: Scene, place: Path, options: str, stage) -> str:
    place.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(place)], check=True)
    try:
        return stage()
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=False)


def start_twice(scene: Scene, moments: random.Random) -> str:
    """Two starts of one campaign: one refuses by name, no trial runs twice."""
    return _together(scene, moments, "break")


def start_two_campaigns(scene: Scene, moments: random.Random) -> str:
    """Two campaigns on one target: one refuses by name, no two trials overlap."""
    return _together(scene, moments, "other")


def _together(scene: Scene, moments: random.Random, campaign: str) -> str:
    first = scene.start()
    time.sleep(moments.uniform(0, 1.5))
    second = scene.start(campaign)
    ends = [process.communicate()[1] for process in (first, second)]
    refused = [text for process, text in zip((first, second), ends, strict=True) if process.returncode]
    if len(refused) > 1 or any(" is being measured by process " not in text and " is held by " not in text
                               and " is being taken by " not in text for text in refused):  # fmt: skip
        return f"refused: {[text.strip().splitlines()[-1] for text in refused]}"
    times = []
    for name in {"break", campaign}:
        scene.raw = scene.folder / "raw" / name
        times += [(one["start"], one["end"]) for one in scene.stories().values() if one["start"]]
    scene.raw = scene.folder / "raw/break"
    times.sort()
    if any(later[0] < earlier[1] for earlier, later in pairwise(times)):
        return "two trials overlap"
    return scene.complete()


def alter_sealed(scene: Scene, moments: random.Random) -> str:
    """A bit flipped in every file of a sealed campaign, a log cut short, a file added, one removed: all are named."""
    reason = scene.complete()
    if reason:
        return reason
    files = [path for path in sorted(scene.raw.rglob("*")) if path.is_file() and path.name != "SHA256SUMS"]
    for path in files:
        content = path.read_bytes()
        name = str(path.relative_to(scene.raw))
        flipped = bytearray(content or b"\0")
        flipped[moments.randrange(len(flipped))] ^= 1 << moments.randrange(8)
        path.write_bytes(flipped)
        named = check_seal(scene.raw)
        path.write_bytes(content)
        if named != [f"{name}: changed since the campaign was sealed"]:
            return f"{name} is changed, named are {named}"
    chosen = moments.choice([path for path in files if path.stat().st_size])
    content, name = chosen.read_bytes(), str(chosen.relative_to(scene.raw))
    chosen.write_bytes(content[: len(content) // 2])
    reason = _is_named(scene, name, "changed", collects=True)
    chosen.unlink()
    reason = reason or _is_named(scene, name, "removed", collects=True)
    chosen.write_bytes(content)
    (scene.raw / "added.txt").write_text("x")
    return reason or _is_named(scene, "added.txt", "added", collects=True)


def _is_named(scene: Scene, name: str, how: str, collects: bool = False) -> str:
    line = f"{name}: {how} since the campaign was sealed"
    found = scene.coldcache("seal", "--check", "break")
    if found.returncode != 1 or line not in found.stderr:
        return f"seal --check does not name {name}"
    if collects:
        found = scene.coldcache("collect", "--campaign=break", "--results=results/break")
        if found.returncode != 1 or line not in found.stderr:
            return f"collect takes {name}"
    return ""


def hostile_input(scene: Scene, moments: random.Random) -> str:
    """YAML bombs, names that lead out, shell characters and HTML: refused in one line, and nothing runs."""
    study = scene.folder / "config/studies/break.yaml"
    site = scene.folder / "config/sites/break.yaml"
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)
    )
    trap = scene.folder / "trap"
    cases = [
        (study, bomb), (site, bomb), (study, STUDY.replace("study: break", "study: ../break")),
        (study, STUDY.replace("  transfers:", "  ../transfers:")), (site, SITE.replace("TARGET", "/etc/x")),
        (study, STUDY.replace("--rate=40m", f"--rate=40m; touch {trap}")),
        (study, STUDY.replace("[fio]", f"['fio; touch {trap}']")), (site, SITE.replace("TARGET", f"'$(touch {trap})'")),
        (study, STUDY.replace("title: Transfers", "title: '<script>alert(1)</script>'")),
    ]  # fmt: skip
    for path, text in cases:
        shutil.rmtree(scene.folder / "raw", ignore_errors=True)
        study.write_text(STUDY)
        site.write_text(SITE.replace("TARGET", "scratch"))
        path.write_text(text.replace("TARGET", "scratch"))
        began = time.monotonic()
        found = scene.measure()
        if "Traceback" in found.stderr or trap.exists() or time.monotonic() - began > 60:
            return f"{text.splitlines()[0]}: {found.stderr.strip().splitlines()[-1]}"
        if list(scene.folder.parent.glob("break*/../*break.yaml")) or (scene.folder.parent / "break").exists():
            return "something was written outside"
    return ""


#: Each fault of the suite: how often it is staged at full length, and whether it needs root.
FAULTS = {
    kill_runner: (200, False), kill_tool: (200, False), hang: (20, False), garbage: (20, False),
    zero_rates: (20, False), change_version: (20, False), stop_tool: (20, False), fill_target: (20, True),
    fill_raw: (20, True), use_up_inodes: (20, True), unmount_target: (10, True), start_twice: (50, False),
    start_two_campaigns: (50, False), alter_sealed: (1, False), hostile_input: (1, False),
}  # fmt: skip
