"""Tools that hang, lie, change or are stopped, and a clock that is set while one runs."""

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from scene import SITE, STUDY, Scene, children, descendants, ends_within, tell

from coldcache.core.outcome import Outcome

#: A library that lets the processes that preload it see another time of day.
_CLOCK = Path(__file__).parents[1] / "clock.c"


#: The calls of the tool in a campaign.
_CALLS = range(1, 21)


def hang(scene: Scene, moments: random.Random, times: int) -> str:
    """A tool and its child hang: both are killed at the time limit."""
    scene.design(STUDY, SITE.replace("seconds: 20 s", "seconds: 6 s"))
    # The child leads a session of its own, which a signal to the group of the tool does not reach.
    script = "setsid sleep 333 & sleep 334"
    return _are_void(scene, script, moments.sample(_CALLS, times), "time-limit")


def garbage(scene: Scene, moments: random.Random, times: int) -> str:
    """A tool exits with status 0 and prints garbage."""
    script = "head -c 5000 /dev/urandom; exit 0"
    return _are_void(scene, script, moments.sample(_CALLS, times), "log-refused")


def zero_rates(scene: Scene, moments: random.Random, times: int) -> str:
    """A tool exits with status 0 and reports zero rates."""
    script = """REAL "$@" | sed -E 's/"(bw|bw_bytes|iops)" : [0-9.]+/"\\1" : 0/'; exit 0"""
    return _are_void(scene, script, moments.sample(_CALLS, times), "log-refused")


def change_version(scene: Scene, moments: random.Random, times: int) -> str:
    """A tool's version changes within the block."""
    script = """REAL "$@" | sed -E 's/"fio-[0-9.]+"/"fio-3.99"/'; exit 0"""
    return _are_void(scene, script, moments.sample(_CALLS[1:], times), "tool-changed")


def replay_log(scene: Scene, moments: random.Random, times: int) -> str:
    """A tool moves nothing and prints the log of an earlier trial."""
    script = 'cat "$(ls -tr raw/break/*/*/*/r*/stdout.txt | head -n 1)"; exit 0'
    # The first log must be older than the clocks of two nodes may differ.
    return _are_void(scene, script, moments.sample(_CALLS[10:], times), "stale-log")


def other_levels(scene: Scene, moments: random.Random, times: int) -> str:
    """A tool runs with another transfer size than was planned."""
    script = 'exec REAL "$@" --bs=4k'
    return _are_void(scene, script, moments.sample(_CALLS, times), "wrong-level")


def short_clock(scene: Scene, moments: random.Random, times: int) -> str:
    """A tool measures for 3 ms with a clock of 1 ms."""
    script = 'exec REAL "$@" --rate=0 --runtime=3ms --time_based'
    return _are_void(scene, script, moments.sample(_CALLS, times), "coarse-clock")


def move_nothing(scene: Scene, moments: random.Random, times: int) -> str:
    """A tool prints the log of a fast device and touches no file: its trials are marked."""
    calls = moments.sample(_CALLS, times)
    # As fast as memory, so that what others write and read meanwhile is little beside it; the log names another engine.
    engine = """sed -E 's/("ioengine" : )"null"/\\1"psync"/'"""
    scene.replace_fio(f'REAL "$@" --ioengine=null --rate=0 --time_based | {engine}; exit 0', calls)
    found = scene.measure()
    if found.returncode:
        return f"the block fails: {tell(found.stderr)}"
    scene.staged = len(calls)
    hit = {key for key, outcome in scene.outcomes().items() if _call_of(scene, outcome) in calls}
    codes = {key: set(text.split()) for key, (_, text) in scene.verdicts().items()}
    if unmarked := sorted(key for key in hit if not codes[key] & {"wrote-less", "served-from-cache"}):
        return f"not marked is {unmarked}"
    return scene.complete("wrote-less served-from-cache", len(_CALLS))


def _are_void(scene: Scene, script: str, calls: list[int], code: str) -> str:
    """Replace the tool by a script at some calls: their trials, and no others, must be void with a code."""
    scene.replace_fio(script, calls)
    found = scene.measure()
    if found.returncode:
        return f"the block fails: {tell(found.stderr)}"
    scene.staged = len(calls)
    hit = {key for key, outcome in scene.outcomes().items() if _call_of(scene, outcome) in calls}
    void = {key: codes.split() for key, (verdict, codes) in scene.verdicts().items() if verdict == "void"}
    if void.keys() != hit or len(hit) != len(calls) or any(code not in codes for codes in void.values()):
        return f"void is {void}, not {sorted(hit)} by {code}"
    scene.remember()
    return scene.complete(code, len(calls))


def _call_of(scene: Scene, outcome: Outcome) -> int:
    """Return which call of the tool a trial was, by the order in which they began."""
    return 1 + sorted(other.start for other in scene.outcomes().values()).index(outcome.start)


def stop_tool(scene: Scene, moments: random.Random, times: int) -> str:
    """SIGSTOP of the tool or of one of its children, also before it is loaded: its trial is marked."""
    trial = scene.undisturbed().trial
    # One process does all the work of this fio: at every other call it is the child of another one.
    scene.replace_fio('REAL "$@"; exit $?', _CALLS[1::2])
    runner = scene.start()
    scene.wait_for("raw/break/**/.r*.partial/stdout.txt", runner)
    while scene.staged < times and not ends_within(runner, moments.uniform(0, trial)):
        # The runner is told of stops of the tool; it polls the processes below, whose stops have to last a while.
        below = scene.staged % 2
        hit = _wait_for_one_below(runner) if below else children(runner.pid)
        noted = scene.count_noted()
        stopped = [_stop(process, 2.0 if below else 0.3) for process in hit]
        if any(stopped):
            scene.staged += 1
            scene.wait_for_trials(noted + 1, runner)
    runner.communicate()
    marked = scene.count_marked("suspended")
    if marked != scene.staged:
        return f"{marked} trials are marked as suspended, {scene.staged} tools were stopped"
    return scene.complete("suspended", scene.staged)


def _wait_for_one_below(runner: subprocess.Popen) -> list[int]:
    """Wait for a child of a runner's tool, and return the first; empty once the runner has ended."""
    while runner.poll() is None:
        found = [process for tool in children(runner.pid) for process in descendants(tool)]
        if found:
            return found[:1]
        time.sleep(0.002)
    return []


def _stop(process: int, seconds: float) -> bool:
    """Stop a process for a while, and return whether it was running still."""
    stopped = False
    with suppress(OSError):
        os.kill(process, signal.SIGSTOP)
        time.sleep(seconds)
        stopped = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "T"
        os.kill(process, signal.SIGCONT)
    return stopped


def set_clock(scene: Scene, moments: random.Random, times: int) -> str:
    """The clock is set forward or back, by seconds to years, while the tool runs: its trial is marked."""
    library, stamp = scene.folder / "clock.so", scene.folder / "clock"
    subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-o", str(library), str(_CLOCK)], check=True)
    stamp.write_text("0")
    before = dict(scene.environment)
    scene.environment |= {"LD_PRELOAD": str(library), "CLOCK_STEP": str(stamp)}
    scene.clock_is_steady = False
    calls = sorted(moments.sample(_CALLS, times))
    scene.replace_fio('touch runs.$n; until [ -e set.$n ]; do sleep 0.1; done; exec REAL "$@"', calls)
    runner, ahead = scene.start(), 0
    for call in calls:
        scene.wait_for(f"runs.{call}", runner)
        ahead += moments.choice([-1, 1]) * round(10 ** moments.uniform(0.5, 8))
        (scene.folder / "clock.new").write_text(str(ahead))
        (scene.folder / "clock.new").rename(stamp)
        (scene.folder / f"set.{call}").touch()
    _, errors = runner.communicate()
    if runner.returncode:
        return f"the block fails: {tell(errors)}"
    scene.environment, scene.staged = before, len(calls)
    marked = scene.count_marked("clock-step")
    if marked != len(calls):
        return f"{marked} trials are marked after {len(calls)} steps"
    return scene.complete("clock-step", len(calls))
