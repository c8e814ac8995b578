"""Wait for runners and jobs that go on measuring after their Snakemake was killed or lost."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

import psutil

from coldcache.measure.lease import LEASE, find_holder

#: States of a job that has ended (squeue(1), job state codes).
ENDED = (
    "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",
    "TIMEOUT",
)  # fmt: skip

_SECONDS = 60
_PAUSE = 5.0


def wait_for_lease(work: Path, seconds: float, terminal: TextIO = sys.stderr) -> None:
    """Wait while another runner holds a target; remove the lease of a runner whose job has ended.

    Parameters
    ----------
    work : Path
        The marked work folder of the target.
    seconds : float
        How long to wait, in s; after that taking the lease fails with its own message.
    terminal : TextIO
        The stream for a message that it waits.
    """
    end = time.monotonic() + seconds
    shown = False
    while find_holder(work) and time.monotonic() < end:
        stated = _read(work / LEASE)
        if stated.get("job") and job_has_ended(str(stated["job"])) and _read(work / LEASE) == stated:
            (work / LEASE).unlink(missing_ok=True)
            return
        if not shown:
            terminal.write(f"waiting for {find_holder(work)}, which holds the target\n")
            terminal.flush()
            shown = True
        time.sleep(_PAUSE)


def job_has_ended(job: str) -> bool:
    """Return whether Slurm says that a job has ended; False if it does not answer."""
    try:
        answer = subprocess.run(
            ["squeue", "--noheader", "--states=all", f"--jobs={job}", "--format=%T"], capture_output=True, text=True,
            timeout=_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    if answer.returncode:
        # Slurm forgets a job some minutes after its end.
        return "Invalid job id" in answer.stderr
    return all(state in ENDED for state in answer.stdout.split())


def list_jobs(campaign: str) -> list[str]:
    """Return the numbers of this user's Slurm jobs that measure a campaign, waiting or running."""
    if not shutil.which("squeue"):
        return []
    try:
        answer = subprocess.run(
            ["squeue", "--noheader", f"--user={os.getuid()}", "--format=%i|%Z|%k"], capture_output=True,
            text=True, timeout=_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return []
    # The comment of Snakemake's executor names the rule and its wildcards. A campaign's name may begin as another's
    # does and go on with an underscore, which no block has.
    of_campaign = re.compile(rf"rule_measure_block_wildcards_{re.escape(campaign)}_[a-z0-9.-]+")
    found = []
    for line in answer.stdout.splitlines():
        job, folder, comment = line.split("|", 2)
        # Other clones have campaigns of their own.
        if Path(folder) == Path.cwd() and of_campaign.fullmatch(comment):
            found.append(job)
    return found


def list_runners(campaign: str) -> list[int]:
    """Return the processes on this host that measure a campaign of this clone and have lost their Snakemake."""
    found = []
    for process in psutil.process_iter(["cmdline", "cwd"]):
        words, folder = process.info["cmdline"] or (), process.info["cwd"]
        if {"measure", f"--campaign={campaign}"} <= set(words) and folder == str(Path.cwd()):
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                above = [word for parent in process.parents() for word in parent.cmdline()]
                if not any("snakemake" in word for word in above):
                    found.append(process.pid)
    return found


def wait_for_runners(campaign: str, terminal: TextIO = sys.stderr) -> None:
    """Wait for orphaned runners on this host to finish their blocks."""
    shown: list[int] = []
    while runners := list_runners(campaign):
        if runners != shown:
            terminal.write(
                f"waiting for process {', '.join(map(str, runners))} of an earlier start of campaign {campaign}, which "
                "measures a block to its end; kill it to measure the rest again\n"
            )
            terminal.flush()
            shown = runners
        time.sleep(1)


def wait_for_jobs(campaign: str, terminal: TextIO = sys.stderr) -> None:
    """Wait for jobs that an earlier start of a campaign has submitted: they measure the missing trials."""
    shown = 0
    while (jobs := list_jobs(campaign)) and not os.environ.get("SLURM_JOB_ID"):
        if len(jobs) != shown:
            terminal.write(
                f"waiting for {len(jobs)} jobs of an earlier start of campaign {campaign} ({', '.join(jobs[:5])}); "
                "scancel them to measure the rest again\n"
            )
            terminal.flush()
            shown = len(jobs)
        time.sleep(_PAUSE)


def _read(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
