"""Start processes on several nodes: placement, launch commands, and the files that these need in a trial's folder.

A tool that runs on several nodes starts in the folder of its trial, so its command line names these files without a
path.
"""

from collections.abc import Mapping

from coldcache.tools.run import Run

#: The list of clients for IOzone's option -+m, and the list of hosts for mpirun.
CLIENTS, HOSTS = "clients.txt", "hosts.txt"

#: A script that prints where its process runs and then becomes the program, and one that IOzone calls as its rsh.
RANK, REMOTE = "./rank", "./remote"

#: What reaches the clients of a scale model, which are all on this machine, and the variable that names one of them.
MODEL, CLIENT = "model", "COLDCACHE_CLIENT"


def deal_out(threads: int, hosts: tuple[str, ...]) -> dict[str, list[int]]:
    """Return the threads of each host, dealt out in turn: 32 threads on 16 hosts give 2 to each."""
    return {host: list(range(place, threads, len(hosts))) for place, host in enumerate(hosts)}


def name_hosts(run: Run) -> tuple[str, ...]:
    """Return the names of a run's nodes; placeholders such as ``{node0}`` while they are unknown."""
    return run.hosts or tuple(f"{{node{number}}}" for number in range(run.nodes))


def start_local_ranks(threads: int) -> tuple[str, ...]:
    """Return the words that start the ranks of an MPI program on this machine."""
    return ("mpirun", "--oversubscribe", "-n", str(threads))


def name_addresses(run: Run) -> dict[str, str]:
    """Return the address of each host: its name; of a model's clients, which have none, an own one of this machine."""
    if run.starter != MODEL:
        return {host: host for host in run.hosts}
    return {host: f"127.0.0.{number}" for number, host in enumerate(run.hosts, start=1)}


def list_hosts(run: Run) -> dict[str, str]:
    """Return the file of hosts that mpirun reads, by its name: a line for each node with its number of ranks."""
    ranks = deal_out(run.threads, run.hosts)
    return {HOSTS: "".join(f"{host} slots={len(own)}\n" for host, own in ranks.items())}


def start_ranks(starter: str, mpi: str, threads: int, nodes: int, cores: int) -> tuple[str, ...]:
    """Return the words that start the ranks of an MPI program in turn on the nodes of a job.

    Parameters
    ----------
    starter : str
        ``srun``, ``ssh`` or ``model``.
    mpi : str
        ``pmix``, ``pmi2`` or ``mpirun``.
    threads, nodes : int
        Ranks, and the nodes that share them.
    cores : int
        Cores of all these nodes; more ranks than cores share them.
    """
    if starter == MODEL:
        return (*start_local_ranks(threads), RANK)
    if starter == "ssh" or mpi == "mpirun":
        return ("mpirun", "--map-by", "node", "--oversubscribe", "-n", str(threads), "--hostfile", HOSTS, RANK)
    # The runner's own step occupies cores of the job: without --overlap the ranks would wait for its end.
    words = ("srun", "--overlap", f"--mpi={mpi}", f"--nodes={nodes}", f"--ntasks={threads}", "--distribution=cyclic")
    return (*words, *(("--overcommit",) if threads > cores else ()), RANK)


def reach(starter: str, hosts: tuple[str, ...]) -> list[str]:
    """Return the words that start one process on each of some hosts; ssh only reaches the first."""
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
        A file of the target, whose content proves that each process sees the same target.
    """
    number = "${SLURM_PROCID:-${PMIX_RANK:-${OMPI_COMM_WORLD_RANK:-0}}}"
    if starter == "ssh":
        call = 'exec ssh -o BatchMode=yes "$host" "cd \'$PWD\' && ./rank $*"'
    else:
        call = 'exec srun --overlap --overcommit --quiet --nodes=1 --ntasks=1 --nodelist="$host" ./rank sh -c "exec $*"'
    return {
        RANK: (
            "#!/bin/sh\n"
            "# Print where this process runs and which target it sees, then become the program.\n"
            f'printf "coldcache: rank %s on %s sees %s\\n" "{number}" "$(uname -n)" '
            f"\"$(cat '{mark}' 2>/dev/null || echo nothing)\" >&2\n"
            'exec "$@"\n'
        ),
        REMOTE: (
            "#!/bin/sh\n"
            "# IOzone's remote shell, called as: HOST -n COMMAND.\n"
            "host=$1\n"
            "shift\n"
            'if [ "$1" = -n ]; then shift; fi\n'
            f"{call}\n"
        ),
    }
