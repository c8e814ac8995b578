"""A timed part whose rate changes beyond its noise is told from one that only varies."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from scipy.stats import f_oneway

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.trials import collect_trials
from coldcache.tools.fio import series_logs
from coldcache.verdicts import windows
from coldcache.verdicts.thresholds import Thresholds
from coldcache.verdicts.windows import find_change, sum_windows

DEFAULT = Thresholds()


def log(*points):
    """Return the records of fio's log of one process that writes: time in ms, rate in KiB/s."""
    return series_logs.read_named("".join(f"{at}, {rate}, 1, 0, 0\n" for at, rate in points).encode(), "x_bw.1.log")


def test_processes_are_summed_over_windows_that_all_have_but_the_last():
    one = log((146, 10), (300, 20), (400, 30), (500, 40), (600, 50))
    # A little late, without the third window, and with one more at the end.
    other = log((146, 1), (301, 2), (501, 4), (601, 5), (700, 6))
    assert sum_windows([one, other], ["write"]) == {"write": (11 * 1024, 22 * 1024, 44 * 1024)}
    assert sum_windows([one], ["random-write"]) == {"random-write": (10240, 20480, 30720, 40960)}


def test_windows_are_placed_by_their_distance_from_the_first():
    points = [(125 + 100 * place, 10 + place) for place in range(6)]
    assert sum_windows([log(*points)], ["write"]) == {"write": tuple(1024 * (10 + place) for place in range(5))}


def test_what_no_series_tells_is_left_out():
    one = log((100, 10), (200, 20), (300, 30))
    assert sum_windows([one], ["read"]) == {}
    # One log cannot tell which of two operations wrote.
    assert sum_windows([one], ["write", "random-write"]) == {}
    assert sum_windows([], ["write"]) == {}
    assert sum_windows([log((100, 10))], ["write"]) == {}
    # Calls of a size are no windows.
    call = series_logs.read_named(b"100, 5, 1, 4096, 0, 0x0000\n200, 6, 1, 4096, 0, 0x0000\n", "x_bw.1.log")
    assert sum_windows([call], ["write"]) == {}


def test_a_rate_that_halves_is_found_wherever_it_halves():
    chance = random.Random(1)
    for at in (4, 10, 15):
        found = find_change(
            [chance.gauss(100, 3) if place < at else chance.gauss(50, 3) for place in range(20)], DEFAULT
        )
        assert found, at
        assert found.course.slope < -0.3
        assert len(found.rates) == 5


def test_parts_differ_as_an_analysis_of_variance_says():
    chance = random.Random(5)
    near = []
    for _ in range(300):
        parts = [[chance.gauss(100 + 6 * place, 5) for _ in range(3)] for place in range(5)]
        p = f_oneway(*parts).pvalue
        assert windows._differ(parts) == (p < windows._CHANCE), p
        near.append(p < windows._CHANCE)
    assert 50 < sum(near) < 250


def test_fewer_than_two_windows_in_each_part_say_nothing():
    assert find_change([100] * 6 + [50] * 3, DEFAULT) is None
    assert find_change([100] * 6 + [50] * 4, DEFAULT) is not None


@pytest.mark.parametrize("noise", [0.02, 0.1, 0.5])
def test_noise_alone_is_hardly_ever_taken_for_a_change(noise):
    chance = random.Random(2)
    found = sum(
        find_change([chance.gauss(100, 100 * noise) for _ in range(count)], DEFAULT) is not None
        for count in (10, 20, 60)
        for _ in range(1000)
    )
    # One in a thousand by the test of variances; fewer where the means stay within the limits.
    assert found <= 10


def test_a_small_change_is_steady_however_clear_it_is():
    assert find_change([100.0 + 0.2 * place for place in range(40)], DEFAULT) is None
    assert find_change([100.0 + 0.2 * place for place in range(40)], Thresholds(steady_slope=0.05)) is not None


STUDY = """\
study: slowed
title: One trial of seconds
question: Is it steady?
repetitions: 1
notebooks: []
sweeps:
  writes:
    title: Writes
    tools: [fio]
    operations: [write]
    seconds: 4 s
    series: 100 ms
    options: {fio: ["--rate=16m"]}
    factors: {threads: [2], transfer_size: [64 KiB], file_size: [8 MiB], direct_io: [true]}
"""
COMMAND = [
    sys.executable, "-m", "coldcache", "measure", "--campaign=c", "--studies=slowed", "--site=here",
    "--block=slowed.writes", "--manifest=results/b.json",
]  # fmt: skip


@pytest.fixture
def group(loop_device):
    """A control group, and a function that limits what it writes to the loop device to a rate in B/s."""
    unified = Path("/sys/fs/cgroup/cgroup.controllers").exists()
    folder = Path("/sys/fs/cgroup" if unified else "/sys/fs/cgroup/blkio") / f"test-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made: {error}")
    numbers = Path(f"/sys/class/block/{Path(loop_device).name}/dev").read_text().strip()

    def limit(rate):
        if unified:
            (folder / "io.max").write_text(f"{numbers} wbps={rate}")
        else:
            (folder / "blkio.throttle.write_bps_device").write_text(f"{numbers} {rate}")

    yield folder, limit
    folder.rmdir()


@pytest.mark.slow
@pytest.mark.parametrize("is_slowed", [False, True])
def test_a_device_that_is_slowed_within_a_trial_makes_it_unsteady(project, loop_mount, change, group, is_slowed):
    folder, limit = group
    Path("config/studies/slowed.yaml").write_text(STUDY)
    change(Path("config/sites/here.yaml"), "{path: scratch, make: true}", f"{{path: {loop_mount}/data, make: true}}")
    words = ["sh", "-c", f'echo $$ >{folder}/cgroup.procs && exec "$@"', "sh", *COMMAND]
    runner = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not list(Path("raw").glob("c/slowed/writes/*/.r0.partial/stdout.txt")) and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(2)
    if is_slowed:
        limit(4_000_000)
    errors = runner.communicate()[1]
    assert runner.returncode == 0, errors
    (trial,) = collect_trials(read_campaign(Path("raw/c")))
    assert len(trial.series) == 2
    assert ("unsteady" in trial.judgement.codes) == is_slowed, trial.judgement
