"""Processes on several nodes: who runs where, what starts them, and the files in a trial's folder that it takes.

A tool that runs on several nodes starts in the folder of its trial, so that its command line names these files alone.
"""

from collections.abc import Mapping

from coldcache.tools.run import Run

#: The list of clients that IOzone's option -+m takes, and the list of hosts that mpirun takes.
CLIENTS, HOSTS = "clients.txt", "hosts.txt"

#: Prints from inside a started process where it runs, then becomes the program; and what IOzone calls as its rsh.
RANK, REMOTE = "./rank", "./remote"


def spread(threads: int, hosts: tuple[str, ...]) -> dict[str, list[int]]:
    """Return the threads of each host, dealt out in turn: 32 threads on 16 hosts are 2 on each."""
    return {host: list(range(place, threads, len(hosts))) for place, host in enumerate(hosts)}


def name_hosts(run: Run) -> tuple[str, ...]:
    """Return the names of a run's nodes; stand-ins such as ``{node0}`` while they are not known."""
    return run.hosts or tuple(f"{{node{number}}}" for number in range(run.nodes))


def start_local_ranks(threads: int) -> tuple[str, ...]:
    """Return the words that start the ranks of an MPI program on this machine."""
    return ("mpirun", "--oversubscribe", "-n", str(threads))


def list_hosts(run: Run) -> dict[str, str]:
    """Return the file of hosts that mpirun reads, by its name: a line for each node with its number of ranks."""
    ranks = spread(run.threads, run.hosts)
    return {HOSTS: "".join(f"{host} slots={len(own)}\n" for host, own in ranks.items())}


def start_ranks(starter: str, mpi: str, threads: int, nodes: int, cores: int) -> tuple[str, ...]:
    """Return the words that start the ranks of an MPI program in turn on the nodes of a job.

    Parameters
    ----------
    starter : str
        ``srun`` or ``ssh``.
    mpi : str
        ``pmix``, ``pmi2`` or ``mpirun``.
    threads, nodes : int
        Ranks, and the nodes that they are dealt out to.
    cores : int
        Cores of all these nodes; more ranks share them.
    """
    if starter == "ssh" or mpi == "mpirun":
        return ("mpirun", "--map-by", "node", "--oversubscribe", "-n", str(threads), "--hostfile", HOSTS, RANK)
    # The runner's own step holds cores of the job: without --overlap the ranks would wait for it to end.
    words = ("srun", "--overlap", f"--mpi={mpi}", f"--nodes={nodes}", f"--ntasks={threads}", "--distribution=cyclic")
    return (*words, *(("--overcommit",) if threads > cores else ()), RANK)


def reach(starter: str, hosts: tuple[str, ...]) -> list[str]:
    """Return the words that start one process on each of some hosts; by ssh on the first alone."""
    if starter == "ssh":
        return ["ssh", "-o", "BatchMode=yes", hosts[0]]
    count = len(hosts)
    words = ["srun", "--overlap", "--overcommit", "--quiet", f"--nodes={count}", f"--ntasks={count}"]
    return [*words, "--ntasks-per-node=1", f"--nodelist={','.join(hosts)}"]


def write_scripts(starter: str, mark: str) -> Mapping[str, str]:
    """Return the scripts of a trial's folder, by name.

    Parameters
    ----------
    starter : str
        ``srun`` or ``ssh``.
    mark : str
        A file of the target by which each process tells that it sees the same one.
    """
    number = "${SLURM_PROCID:-${PMIX_RANK:-${OMPI_COMM_WORLD_RANK:-0}}}"
    if starter == "ssh":
        call = 'exec ssh -o BatchMode=yes "$host" "cd \'$PWD\' && ./rank $*"'
    else:
        call = 'exec srun --overlap --overcommit --quiet --nodes=1 --ntasks=1 --nodelist="$host" ./rank sh -c "exec $*"'
    return {
        RANK: (
            "#!/bin/sh\n"
            "# Tells where this process runs and which target it sees, then becomes the program.\n"
            f'printf "coldcache: rank %s on %s sees %s\\n" "{number}" "$(uname -n)" '
            f"\"$(cat '{mark}' 2>/dev/null || echo nothing)\" >&2\n"
            'exec "$@"\n'
        ),
        REMOTE: (
            "#!/bin/sh\n"
            "# What IOzone calls as its remote shell: HOST -n COMMAND.\n"
            "host=$1\n"
            "shift\n"
            'if [ "$1" = -n ]; then shift; fi\n'
            f"{call}\n"
        ),
    }
