"""IOzone, IOR and mdtest run on four clients of a real model: each process tells on which, and each link carries bytes.

IOR and mdtest are in no package of Debian's; where they are not on PATH their tests are skipped.
"""

import os
import shutil
import subprocess

import pytest

from coldcache.core.records import Record
from coldcache.measure.cluster.ask_nodes import write_mark
from coldcache.measure.cluster.launch import Launch
from coldcache.measure.model import trial_files
from coldcache.measure.model.clients import remount_clients
from coldcache.measure.model.counters import read_model_counters, subtract
from coldcache.measure.model.groups import list_members
from coldcache.tools.ior import command as ior
from coldcache.tools.iozone import command as iozone
from coldcache.tools.launchers import MODEL, start_ranks
from coldcache.tools.mdtest import command as mdtest
from coldcache.tools.run import Run

MIB = 1 << 20
HOSTS = ("c1", "c2", "c3", "c4")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(90)]


@pytest.fixture
def measure(model, tmp_path):
    """Return a function that runs a tool on the clients: its log's records, what moved, and who ran where."""

    def run_tool(tool, run):
        if shutil.which(tool.TRAITS.program.name) is None:
            pytest.skip(f"needs {tool.TRAITS.program.name}")
        work = model.mount_of(1) / "coldcache"
        work.mkdir(exist_ok=True)
        word, folder = write_mark(work), work / tool.TRAITS.program.name
        run = run._replace(directory=str(folder), nodes=4, starter=MODEL, hosts=HOSTS)
        if tool.TRAITS.is_mpi:
            run = run._replace(launcher=start_ranks(MODEL, "pmix", run.threads, 4, 2))
        trial_files.lay_out_on_model(model, folder, tool.inputs(run), tool, run)
        remount_clients(model)
        launch = Launch(tool, run, tmp_path, work, os.environ)
        before = read_model_counters(model)
        with launch.ready(), (tmp_path / "stderr.txt").open("wb") as said:
            done = subprocess.run(
                tool.argv(run), cwd=launch.folder(), env=launch.environment(), stdout=subprocess.PIPE, stderr=said,
                timeout=80, check=False,
            )  # fmt: skip
        assert done.returncode == 0, (tmp_path / "stderr.txt").read_text()
        told = launch.describe()
        assert launch.find_fault(told, word) is None
        assert list_members(model.name, "ranks") == set()
        return tool.read(done.stdout), subtract(read_model_counters(model), before), told["nodes"]

    return run_tool


def rates(records: list[Record], metric: str = "throughput") -> dict[str, float]:
    chosen = (record for record in records if record.metric == metric)
    return {record.operation: record.value for record in chosen if record.statistic in ("value", "mean")}


def transfers(operation, threads=4, file_size=4 * MIB, layout="file-per-thread"):
    return Run((operation,), "", threads, transfer_size=MIB, file_size=file_size, file_layout=layout)


@pytest.mark.parametrize("operation", ["write", "read"])
def test_iozone_starts_its_processes_on_four_clients(measure, operation):
    # Past the caches, so that no process is done before the last has begun, at which IOzone ends the test.
    run = transfers(operation)._replace(transfer_size=MIB // 8, direct_io=True)
    records, moved, nodes = measure(iozone, run)
    assert nodes == {host: {"processes": 1} for host in HOSTS}
    links = moved.sent if operation == "write" else moved.received
    # The test ends when the first process is done: the others have moved almost all of their file.
    assert min(links[host] for host in HOSTS) >= 2 * MIB
    assert rates(records)[operation] > 0


def test_iozones_random_test_starts_its_processes_twice(measure):
    run = Run(("random-write", "random-read"), "", 4, transfer_size=4096, file_size=MIB // 4, direct_io=True)
    records, _, nodes = measure(iozone, run)
    assert nodes == {host: {"processes": 2} for host in HOSTS}
    found = {record.operation for record in records if record.metric == "throughput"}
    assert found == {"random-write", "random-read"}


@pytest.mark.parametrize("layout", ["shared-file", "file-per-thread"])
def test_ranks_of_ior_write_and_read_through_four_clients(measure, layout):
    for operation in ("write", "read"):
        records, moved, nodes = measure(ior, transfers(operation, layout=layout))
        assert nodes == {host: {"processes": 1, "ranks": [rank]} for rank, host in enumerate(HOSTS)}
        links = moved.sent if operation == "write" else moved.received
        assert min(links[host] for host in HOSTS) >= 4 * MIB
        # Each target has a stripe or a file.
        crossed = [moved.targets[target].written_bytes + moved.targets[target].read_bytes for target in range(1, 5)]
        assert min(crossed) >= 4 * MIB
        assert 0 < rates(records)[operation] < 1.1 * 4e7


def test_ranks_of_mdtest_make_and_remove_their_files_through_four_clients(measure):
    phases = ("file-create", "file-stat", "file-remove")
    folders = tuple(f"f{client}" for client in (1, 2, 3, 4))
    records, moved, nodes = measure(mdtest, Run(phases, "", 8, files=20, subfolders=folders))
    assert nodes == {host: {"processes": 2, "ranks": [rank, rank + 4]} for rank, host in enumerate(HOSTS)}
    assert set(phases) <= set(rates(records, "rate"))
    assert sum(counts["create"] for counts in moved.requests.values()) == 8 * 20
    assert sum(counts["unlink"] for counts in moved.requests.values()) == 8 * 20
