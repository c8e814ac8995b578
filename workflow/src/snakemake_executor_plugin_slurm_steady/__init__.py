"""Snakemake's executor for Slurm, asking for its jobs at a steady pace, and losing none while Slurm does not answer.

Jobs are submitted and cancelled as by ``snakemake-executor-plugin-slurm``. How they end is told by squeue alone, with
or without accounting: what Slurm has forgotten meanwhile has ended, well where its outputs are there.
"""

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor
from snakemake_interface_executor_plugins.settings import CommonSettings

from coldcache.measure.cluster.leftover_runners import ENDED

try:
    from snakemake_executor_plugin_slurm import Executor as SlurmExecutor
    from snakemake_executor_plugin_slurm import ExecutorSettings as ExecutorSettings
    from snakemake_executor_plugin_slurm import common_settings as common_settings
except ModuleNotFoundError:
    # Snakemake imports every plugin it finds. A wheel without its libraries must not stop other workflows.
    SlurmExecutor = RemoteExecutor
    common_settings = CommonSettings(non_local_exec=True, implies_no_shared_fs=False, job_deploy_sources=False)

_SECONDS = 60


class Executor(SlurmExecutor):
    """Submits jobs to Slurm, and reports how they end."""

    def __post_init__(self, test_mode: bool = False) -> None:
        """Prepare for submission; end the program in one line where there is no Slurm."""
        problem = explain_absence()
        if problem:
            sys.exit(f"coldcache: --profile slurm: {problem}; without --profile slurm this machine measures")
        super().__post_init__(test_mode)

    async def check_active_jobs(self, active_jobs: list[SubmittedJobInfo]) -> AsyncIterator[SubmittedJobInfo]:
        """Report the jobs that have ended, and yield the others; all of them where Slurm does not answer."""
        states = await self._ask_states() if active_jobs else None
        for job in active_jobs:
            if states is None:
                yield job
                continue
            state = states.get(job.external_jobid, "")
            if state == "COMPLETED" or (not state and all(Path(str(path)).exists() for path in job.job.output)):
                self.report_job_success(job)
            elif not state or state in ENDED:
                logs = [str(job.aux["slurm_logfile"])]
                self.report_job_error(job, msg=f"Slurm: {state or 'forgotten'}. ", aux_logs=logs)
            else:
                yield job

    async def sleep(self) -> None:
        """Pause until Slurm is asked again, or all is done."""
        pause = self.workflow.remote_execution_settings.seconds_between_status_checks
        end = time.monotonic() + pause
        while self.wait and time.monotonic() < end:
            await asyncio.sleep(min(pause, 0.2))

    async def _ask_states(self) -> dict[str, str] | None:
        """Return the state of each job of this start, by its number; None where Slurm does not answer."""
        words = ["squeue", "--noheader", "--states=all", f"--name={self.run_uuid}", "--format=%i %T"]
        try:
            process = await asyncio.create_subprocess_exec(
                *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
            )
        except OSError as error:
            self.logger.warning(f"squeue: {error.strerror}; asked again in a while")
            return None
        try:
            said, why = await asyncio.wait_for(process.communicate(), _SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()
            why = b"it does not answer"
        if process.returncode:
            self.logger.warning(f"squeue: {why.decode(errors='replace').strip()}; asked again in a while")
            return None
        return dict(line.split(maxsplit=1) for line in said.decode().splitlines())


def explain_absence() -> str | None:
    """Return why no job can be submitted from this machine; None if Slurm answers."""
    try:
        answer = subprocess.run(
            ["sinfo", "--noheader", "--format=%P"], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except FileNotFoundError:
        return "Slurm is not installed on this machine (sinfo is not on PATH)"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"Slurm does not answer on this machine ({error})"
    if answer.returncode:
        said = answer.stderr.strip().splitlines() or [f"exit status {answer.returncode}"]
        return f"Slurm does not answer on this machine ({said[0]})"
    return None
