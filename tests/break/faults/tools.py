"""Tools that hang, lie, change or are stopped, and a clock that is set while one runs."""

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from scene import Scene, children, tell

#: A library that lets the processes that preload it see another time of day.
_CLOCK = Path(__file__).parents[1] / "clock.c"


def hang(scene: Scene, moments: random.Random) -> str:
    """A tool that hangs, with a child of its own: ended at the time limit, with its child."""
    scene.replace_fio("sleep 333 & sleep 334", at=moments.randint(1, 12))
    return _one_is_void(scene, "time-limit")


def garbage(scene: Scene, moments: random.Random) -> str:
    """A tool that ends with status 0 and prints garbage."""
    scene.replace_fio("head -c 5000 /dev/urandom; exit 0", at=moments.randint(1, 12))
    return _one_is_void(scene, "log-refused")


def zero_rates(scene: Scene, moments: random.Random) -> str:
    """A tool that ends with status 0 and states zero rates."""
    script = """REAL "$@" | sed -E 's/"(bw|bw_bytes|iops)" : [0-9.]+/"\\1" : 0/'; exit 0"""
    scene.replace_fio(script, at=moments.randint(1, 12))
    return _one_is_void(scene, "log-refused")


def change_version(scene: Scene, moments: random.Random) -> str:
    """A tool whose version changes within the block."""
    script = """REAL "$@" | sed -E 's/"fio-[0-9.]+"/"fio-3.99"/'; exit 0"""
    scene.replace_fio(script, at=moments.randint(2, 12))
    return _one_is_void(scene, "tool-changed")


def _one_is_void(scene: Scene, code: str) -> str:
    found = scene.measure()
    if found.returncode:
        return f"the block fails: {tell(found.stderr)}"
    void = {key: codes for key, (verdict, codes) in scene.verdicts().items() if verdict == "void"}
    if len(void) != 1 or code not in next(iter(void.values())).split():
        return f"void is {void}, not one trial by {code}"
    scene.remember()
    return scene.complete(code, 1)


def stop_tool(scene: Scene, moments: random.Random) -> str:
    """SIGSTOP of the tool for a while: its trial is marked."""
    runner = scene.start()
    scene.wait_for("raw/break/**/.r*.partial/stdout.txt", runner)
    stopped = False
    while runner.poll() is None and not stopped:
        time.sleep(moments.uniform(0, 0.3))
        for tool in children(runner.pid):
            with suppress(OSError):
                os.kill(tool, signal.SIGSTOP)
                time.sleep(0.3)
                stopped = Path(f"/proc/{tool}/stat").read_text().rpartition(")")[2].split()[0] == "T"
                os.kill(tool, signal.SIGCONT)
    runner.communicate()
    marked = [key for key, (_, codes) in scene.verdicts().items() if "suspended" in codes.split()]
    if stopped and len(marked) != 1:
        return f"{len(marked)} trials are marked as suspended"
    return scene.complete("suspended", 1)


def set_clock(scene: Scene, moments: random.Random) -> str:
    """The clock set forward or back, by seconds to years, while the tool runs: its trial is marked."""
    library, stamp = scene.folder / "clock.so", scene.folder / "clock"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-o", str(library), str(_CLOCK)], check=True)
    stamp.write_text("0")
    before = dict(scene.environment)
    scene.environment |= {"LD_PRELOAD": str(library), "CLOCK_STEP": str(stamp)}
    scene.clock_is_steady = False
    scene.replace_fio('touch runs; sleep 0.5; exec REAL "$@"', at=moments.randint(1, 12))
    runner = scene.start()
    scene.wait_for("runs", runner)
    step = moments.choice([-1, 1]) * round(10 ** moments.uniform(0.5, 8))
    (scene.folder / "clock.new").write_text(str(step))
    (scene.folder / "clock.new").rename(stamp)
    _, errors = runner.communicate()
    if runner.returncode:
        return f"the block fails: {tell(errors)}"
    scene.environment = before
    marked = [key for key, (_, codes) in scene.verdicts().items() if "clock-step" in codes.split()]
    if len(marked) != 1:
        return f"{len(marked)} trials are marked after a step of {step} s"
    return scene.complete("clock-step", 1)
