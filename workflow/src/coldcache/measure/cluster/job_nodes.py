"""Find the names of a job's nodes, as its scheduler gives them."""

import os
import subprocess
import time
from pathlib import Path

from coldcache.core.errors import ClusterError
from coldcache.design.site import Clients

#: Variables that name the job. Slurm's other variables are defaults of the runner's own step, and would bind the steps
#: that it starts.
_KEPT = ("SLURM_JOB_ID", "SLURM_JOBID", "SLURM_CONF", "SLURM_CLUSTER_NAME")

#: Files that list the nodes of a job, one line for each process (PBS, LSF, Cobalt).
_LISTS = ("PBS_NODEFILE", "LSB_DJOB_HOSTFILE", "COBALT_NODEFILE")

_SECONDS = 60
_ATTEMPTS, _PAUSE = 5, 10


def find_hosts(clients: Clients) -> tuple[str, ...]:
    """Return the nodes of this job, or those that the site names; empty if the site has no launcher for nodes.

    Raises
    ------
    ClusterError
        If the launcher needs a job and this process is not in one, or the scheduler does not name the nodes.
    """
    if clients.launcher == "local":
        return ()
    if clients.launcher == "srun":
        return _ask_slurm()
    for variable in _LISTS:
        if os.environ.get(variable):
            return tuple(dict.fromkeys(Path(os.environ[variable]).read_text().split()))
    if os.environ.get("SLURM_JOB_ID"):
        return _ask_slurm()
    if not clients.hosts:
        raise ClusterError("no scheduler names the nodes of this job: name them under clients.hosts in the site's file")
    return tuple(clients.hosts[: clients.nodes])


def _ask_slurm() -> tuple[str, ...]:
    job = os.environ.get("SLURM_JOB_ID")
    if not job:
        raise ClusterError(
            "clients.launcher is srun, and this is no job of Slurm's: run snakemake --profile slurm, "
            "or set launcher to ssh"
        )
    # Inside a step SLURM_JOB_NODELIST names the nodes of the step, and Snakemake's step has one.
    nodes = _ask(["squeue", "--noheader", f"--jobs={job}", "--format=%N"])
    return tuple(_ask(["scontrol", "show", "hostnames", nodes]).split())


def _ask(command: list[str]) -> str:
    """Return the output of a Slurm command; it is repeated because the controller may be busy for a while."""
    why = ""
    for attempt in range(_ATTEMPTS):
        time.sleep(attempt * _PAUSE)
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=True).stdout.strip()
        except subprocess.CalledProcessError as error:
            why = error.stderr.strip()
        except (OSError, subprocess.TimeoutExpired) as error:
            why = str(error)
    raise ClusterError(f"{' '.join(command)}: {why}")


def clear_environment(hosts: tuple[str, ...], tasks: int = 1) -> dict[str, str]:
    """Return the environment for processes that this one starts on the nodes of its job.

    Parameters
    ----------
    hosts : tuple of str
        The nodes to use.
    tasks : int
        Processes on each node, which mpirun reads from Slurm's variables.
    """
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or not _binds(name)}
    if hosts and "SLURM_JOB_ID" in kept:
        # Open MPI reads these two as of the batch script (Open MPI 4.1.4, ras/slurm).
        kept |= {"SLURM_NODELIST": ",".join(hosts), "SLURM_TASKS_PER_NODE": f"{tasks}(x{len(hosts)})"}
    return kept


def _binds(name: str) -> bool:
    return name.startswith(("SLURM_", "SRUN_", "SBATCH_", "PMIX_", "PMI_"))
