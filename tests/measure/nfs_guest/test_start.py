"""The guest runs a command on a disk that it lays out: files as IOzone wants them, and a cache that starts empty."""

import subprocess
from pathlib import Path

import pytest

from coldcache.measure.nfs_guest import start

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(start.explain_no_guest() is not None, reason="no guest can be started here"),
]

SCRIPT = Path(start.__file__).with_name("run.sh")

ARRAY = ("--layer=rate=48000000", "--layer=delay=10", "--layer=cache-rate=16000000", "--layer=writecache")


def run(*words, command):
    """Return what a command prints in a guest with a disk of 64 MiB."""
    guest = ["bash", SCRIPT, "--at=/run/data", "--disk=64", "--memory=700", *words, "--", *command]
    done = subprocess.run(guest, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.partition("\n== ")[0]


def test_each_page_of_a_file_begins_with_the_word_that_iozone_verifies():
    pages = "for page in 0 15 16 60; do dd if=t0 bs=4096 skip=$page count=1 status=none | head -c 8; echo; done"
    told = run("--input=t0", "--size=249860", command=["bash", "-c", f"stat -c %s t0; {pages}"])
    assert told.split() == ["249860", *["________"] * 4]


def test_what_is_laid_out_is_on_the_disk_when_the_command_starts_and_not_in_the_cache():
    status = "dmsetup status | sed -n 's/.* writecache //p'"
    laid_out = ("--input=t{0..3}", "--size=4194304")
    write = "dd if=/dev/zero of=new bs=1M count=4 oflag=direct status=none"
    told = run(*ARRAY, *laid_out, command=["bash", "-c", f"{status}; {write}; {status}"])
    before, after = ([int(word) for word in line.split()[1:3]] for line in told.splitlines())
    # Blocks of 4 KiB in all, and those that are free.
    assert before[0] == before[1] > 15_000
    assert after[0] - after[1] >= 1024


def test_iozone_writes_at_random_through_a_cache():
    names = [f"/run/data/t{number}" for number in range(8)]
    tool = ["iozone", "-i", "2", "-w", "-c", "-O", "-I", "-r", "4K", "-s", "1024K", "-t", "8", "-+n", "-F"]
    told = run(*ARRAY, "--input=t{0..7}", "--size=1048576", command=[*tool, *names])
    assert "Error in file" not in told
    (rate,) = [float(line.split()[-2]) for line in told.splitlines() if "Children" in line and "random writers" in line]
    # Eight writes at a time on a disk that takes 10 ms or more for each would be 800 a second at most.
    assert rate > 1000
