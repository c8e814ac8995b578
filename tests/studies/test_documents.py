"""At full scale the command lines are the documents' own, argument for argument, for every thread count.

Expected words are those of the documents: dell-lustre appendix A and table 3; pixstor-nvme, the commands of its four
sections and table 3; fsx-metadata, "running MDTest". Where a document leaves the size to a variable, its rule in the
text decides: 2 TB and 1 TB divided by threads (dell-lustre, 4.1 and 4.2), 256 GiB below 16 threads and 4,096 GiB
divided by threads from there on (pixstor-nvme).
"""

import json
import subprocess
import sys

import pytest

from coldcache.__main__ import main

#: dell-lustre, table 3: threads, files per directory, directories per thread, files in all.
DELL_TABLE_3 = """\
1 3125 320 1000000
2 3125 160 1000000
4 3125 80 1000000
8 3125 40 1000000
12 3125 27 1012500
16 3125 20 1000000
24 3125 14 1050000
32 3125 10 1000000
48 3125 7 1050000
64 3125 5 1000000
72 3125 5 1125000
96 3125 4 1200000
120 3125 3 1125000
128 3125 3 1200000
144 3125 3 1350000
168 3125 2 1050000
192 3125 2 1200000
216 3125 2 1350000
240 3125 2 1500000"""

#: pixstor-nvme, table 3: threads, directories per thread, files in all.
PIXSTOR_TABLE_3 = """\
1 2048 2097152
2 1024 2097152
4 512 2097152
8 256 2097152
16 128 2097152
32 64 2097152
64 32 2097152
128 16 2097152
256 8 2097152
512 4 2097152"""

DELL_MPI = "mpirun -np {n} -rr --hostfile /share/mdt_clients/mdtlist.{n} /share/mdtest/mdtest.intel"
PIXSTOR_IOR = (
    "mpirun --allow-run-as-root -np {n} --hostfile my_hosts.{n} --mca btl_openib_allow_ib 1 --mca pml ^ucx "
    "--oversubscribe --prefix /mmfs1/perftest/ompi /mmfs1/perftest/lanl_ior/bin/ior -a POSIX -v -i 1 -d 3 -e -k "
    "-o /mmfs1/perftest/tst.file {test} -s 1 -t 8m -b {size}G"
)
PIXSTOR_MDTEST = (
    "mpirun --allow-run-as-root -np {n} --hostfile my_hosts.{n} --prefix /mmfs1/perftest/ompi "
    "--mca btl_openib_allow_ib 1 /mmfs1/perftest/lanl_ior/bin/mdtest -v -d /mmfs1/perftest/ -i 1 -b {dirs} -z 1 -L "
    "-I 1024 -y -u -t -F -w 4K -e 4K"
)
FSX = (
    "mpirun --mca plm_rsh_num_concurrent 800 --mca routed_radix 800 --mca routed direct --map-by node "
    "--mca btl_tcp_if_include eth0 -np 800 /opt/parallelcluster/shared/bin/mdtest -F -v -n 4000 -i 3 -u "
    "-d /fsx/mdtestFiles"
)


def rows(table):
    return [tuple(int(word) for word in line.split()) for line in table.splitlines()]


@pytest.fixture
def plan(root, monkeypatch, capsys):
    """Return what `plan --full --format jsonl` prints of one sweep: each case once."""
    monkeypatch.chdir(root)

    def expand(study, sweep=None, *more, site=None):
        site = site or f"{study.partition('-')[0]}-testbed"
        assert main(["plan", "--study", study, "--site", site, "--format", "jsonl", *more]) == 0
        trials = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        return [trial for trial in trials if trial["repetition"] == 0 and sweep in (None, trial["sweep"])]

    return expand


def by_threads(trials, operation=None):
    chosen = [trial for trial in trials if operation in (None, trial["factors"]["operation"])]
    found = {trial["factors"]["threads"]: " ".join(trial["argv"]) for trial in chosen}
    assert len(found) == len(chosen)
    return dict(sorted(found.items()))


@pytest.mark.parametrize(("operation", "test"), [("write", 0), ("read", 1)])
def test_dell_moves_2_tb_in_sequence_with_its_own_words(plan, operation, test):
    threads = [n for n, *_ in rows(DELL_TABLE_3)] + [256]
    found = by_threads(plan("dell-lustre", "sequential", "--full"), operation)
    assert found == {
        n: f"iozone -i {test} -c -e -w -r 1024K -I -s {2 * 10**12 // n // 2**20}M -t {n} -+n -+m /root/list.{n}"
        for n in threads
    }


def test_dell_moves_1_tb_at_random_with_its_own_words(plan):
    found = by_threads(plan("dell-lustre", "random", "--full"))
    assert found == {
        n: f"iozone -i 2 -w -c -O -I -r 4K -s {10**12 // n // 4096 * 4}K -t {n} -+n -+m /root/list.{n}"
        for n, *_ in rows(DELL_TABLE_3)
    }


@pytest.mark.parametrize(("sweep", "flag"), [("files", "-F"), ("directories", "-D")])
def test_dells_table_of_mdtest_is_rebuilt_number_for_number(plan, sweep, flag):
    trials = plan("dell-lustre", sweep, "--full")
    factors = [trial["factors"] for trial in trials]
    rebuilt = [
        (given["threads"], given["items_per_directory"], given["directories_per_thread"], trial["items"])
        for given, trial in zip(factors, trials, strict=True)
    ]
    assert sorted(rebuilt) == rows(DELL_TABLE_3)
    assert by_threads(trials) == {
        n: f"{DELL_MPI.format(n=n)} -v -d /mnt/lustre/perf_test24-1M -i 8 -b {dirs} -z 1 -L -I {files} -y -u -t {flag}"
        for n, files, dirs, _ in rows(DELL_TABLE_3)
    }


@pytest.mark.parametrize(
    ("sweep", "dirs", "files", "items"),
    [("few-directories", 5, 3125, 1_000_000), ("many-directories", 25, 624, 998_400)],
)
def test_dell_spreads_files_over_few_and_many_directories(plan, sweep, dirs, files, items):
    (trial,) = plan("dell-lustre", sweep, "--full")
    assert trial["items"] == items
    words = f"{DELL_MPI} -v -d /mnt/lustre/perf_test24-1M -i 8 -b {dirs} -z 1 -L -I {files} -y -u -t -F"
    assert " ".join(trial["argv"]) == words.replace("{n}", "64")


@pytest.mark.parametrize(
    ("sweep", "operation", "words"),
    [
        ("sequential", "write", "iozone -i0 -c -e -w -r 8M -s {size}G -t {n} -+n -+m ./threadlist"),
        ("sequential", "read", "iozone -i1 -c -e -w -r 8M -s {size}G -t {n} -+n -+m ./threadlist"),
        ("random-create", None, "iozone -i0 -I -c -e -w -r 8M -s {size}G -t {n} -+n -+m ./nvme_threadlist"),
        ("random", None, "iozone -i2 -I -c -O -w -r 4k -s {size}G -t {n} -+n -+m ./nvme_threadlist"),
        ("shared-file", "write", PIXSTOR_IOR.replace("{test}", "-w")),
        ("shared-file", "read", PIXSTOR_IOR.replace("{test}", "-r")),
    ],
)
def test_pixstor_moves_twice_the_memory_with_its_own_words(plan, sweep, operation, words):
    last = 9 if sweep == "shared-file" else 10
    threads = [2**power for power in range(last + 1)]
    found = by_threads(plan("pixstor-nvme", sweep, "--full"), operation)
    assert found == {n: words.format(n=n, size=256 if n < 16 else 4096 // n) for n in threads}


def test_pixstors_table_of_mdtest_is_rebuilt_number_for_number(plan):
    trials = plan("pixstor-nvme", "metadata", "--full")
    rebuilt = [(t["factors"]["threads"], t["factors"]["directories_per_thread"], t["items"]) for t in trials]
    assert sorted(rebuilt) == rows(PIXSTOR_TABLE_3)
    assert by_threads(trials) == {n: PIXSTOR_MDTEST.format(n=n, dirs=dirs) for n, dirs, _ in rows(PIXSTOR_TABLE_3)}


def test_fsx_runs_800_ranks_at_each_provisioned_level(plan):
    trials = plan("fsx-metadata", "metadata-iops", "--full")
    levels = {(t["factors"]["metadata_iops"], t["factors"]["throughput_tier"]) for t in trials}
    assert levels == {(12000, 250000000), (12000, 1000000000), (192000, 250000000), (192000, 1000000000)}
    assert {" ".join(trial["argv"]) for trial in trials} == {FSX}
    assert {trial["items"] for trial in trials} == {3_200_000}


def test_sas_runs_one_stream_per_physical_core_of_each_instance(plan):
    found = {
        trial["factors"]["instance_type"]: trial["factors"]["threads"]
        for trial in plan("sas-grid", "instance-types", "--full")
    }
    sizes = {"large": 1, "xlarge": 2, "2xlarge": 4, "4xlarge": 8, "8xlarge": 16}
    assert found == {f"{family}.{size}": n for family in ("m5n", "r5n") for size, n in sizes.items()}


#: Sweeps that no document measured.
EXTRA_SWEEPS = {
    "network-delay", "server-cache", "iops-limit", "client-memory", "file-per-rank", "metadata-bound-others",
    "metadata-others", "stripes-others",
}  # fmt: skip


@pytest.mark.parametrize("study", ["dell-lustre", "pixstor-nvme", "fsx-metadata", "sas-grid", "anf-nfs"])
def test_a_full_plan_names_the_item_and_why_it_does_not_run(plan, study):
    trials = plan(study, None, "--full")
    assert trials
    # What no document measured serves none of its tables and figures.
    assert {trial["sweep"] for trial in trials if not trial["item"]} <= EXTRA_SWEEPS
    site = f"{study.partition('-')[0]}-testbed"
    assert {trial["runs_here"] for trial in trials} == {f"the site {site} is described for plans only"}


def test_a_plan_loads_nothing_that_takes_longer_than_itself(root):
    words = "import sys; from coldcache.__main__ import main; status = main(sys.argv[1:])"
    check = "sys.exit(status or ' '.join({'scipy', 'pandas', 'xarray', 'matplotlib'} & sys.modules.keys()) or 0)"
    asked = ["plan", "--study", "anf-nfs", "--site", "anf-testbed", "--full", "--format", "jsonl"]
    command = [sys.executable, "-c", f"{words}; {check}", *asked]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_here_studies_keep_within_the_limits_and_say_what_cannot_run(plan):
    for study in ("dell-lustre", "pixstor-nvme", "fsx-metadata", "sas-grid"):
        trials = plan(study, site="local")
        assert all(trial["bytes"] <= 2 * 2**30 for trial in trials)
        assert any(trial["runs_here"] is True for trial in trials), study
    reasons = {trial["sweep"]: trial["runs_here"] for trial in plan("dell-lustre", site="local")}
    assert reasons["osts"] == "needs several OSTs, which the site local does not offer"
    assert reasons["sequential"] is reasons["write-cache-random"] is True
    reasons = {trial["sweep"]: trial["runs_here"] for trial in plan("anf-nfs", site="local")}
    assert reasons.pop("tuned") == (
        "needs a client whose processor changes its frequency, which the site local does not offer"
    )
    assert reasons.pop("mtu") == "needs a link whose frames have a length, which the site local does not offer"
    assert set(reasons.values()) == {True}


@pytest.mark.parametrize("sweep", ["write-mode", "wsize"])
def test_files_whose_calls_are_counted_keep_their_size_here(plan, sweep):
    trials = plan("anf-nfs", sweep, site="local")
    assert {trial["bytes"] for trial in trials} == {2**30}
    assert all("--runtime=600000ms" in trial["argv"] for trial in trials)
