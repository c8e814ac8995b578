"""Studies that run any command end in a report whose figures lead to the bytes of the command's log."""

import csv
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from coldcache.measure.model.feasibility import list_obstacles
from coldcache.measure.model.place import open_place
from coldcache.measure.model.stop import stop

ROOT = Path(__file__).parents[2]
PAGES = [(ROOT / f"docs/{name}.md").read_text() for name in ("run-any-command", "command-examples")]

#: The studies of the pages, by id.
STUDIES = {
    re.search(r"^study: (.+)$", block, re.MULTILINE)[1]: block
    for block in re.findall(r"^```yaml\n(.*?)^```$", "".join(PAGES), re.MULTILINE | re.DOTALL)
    if "\nstudy: " in block
}

#: Not on the pages: files that a program writes by itself, several figures in a log, and a status other than 0.
STRESS = """
study: stress
title: Stress
question: How fast does stress-ng write?
repetitions: 1
sweeps:
  hdd:
    title: Writes by stress-ng
    tool: command
    command: stress-ng --hdd {threads} --hdd-bytes {file_size:M} --hdd-opts wr-seq -t {seconds} --metrics-brief
      --yaml {folder}/result.yaml --temp-path {folder}
    seconds: 1
    operations: [write]
    factors: {threads: [1, 2], file_size: [8 MiB]}
    keep: ["*.yaml"]
    success: {exit_codes: [0], text: successful run}
    patterns:
      rate: {operation: write, metric: throughput, unit: MB/s, regex: '([0-9.]+) MB/sec write rate'}
  file:
    title: The same from the file that it writes
    tool: command
    command: stress-ng --hdd 1 --hdd-bytes 8M -t {seconds} --metrics-brief --yaml result.yaml --temp-path .
    seconds: 1
    operations: [write]
    factors: {}
    log: result.yaml
    patterns:
      rate: {operation: write, metric: rate, unit: ops/s, regex: 'bogo-ops-per-second-real-time: ([0-9.]+)'}
"""


def run(clone, study, text):
    """Run a study in a clone and return its verdicts, its records, and the campaign's folder."""
    (clone / f"config/studies/{study}.yaml").write_text(text)
    (clone / "target").mkdir()
    command = ["snakemake", "--cores", "2", "--config", "campaign=own", f"studies={study}", "site=here"]
    done = subprocess.run(
        [*command, f"target={clone / 'target'}"], capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    with (clone / "results/own/verdicts.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def needs(program):
    return pytest.mark.skipif(not shutil.which(program), reason=f"apt-get install {program}")


@pytest.mark.slow
def test_dd_of_the_page_ends_in_a_figure_whose_numbers_lead_to_the_log(clone):
    text = STUDIES["dd-writes"].replace("[1 GiB]", "[16 MiB]").replace("repetitions: 6", "repetitions: 2")
    verdicts = run(clone, "dd-writes", text)
    assert [row["verdict"] for row in verdicts] == ["valid"] * 8
    report = clone / "results/own/report"
    page = (report / "dd-writes/every-sweep.html").read_text()
    assert 'data-name="dd-writes-writes-sweep"' in page
    assert re.search(r"Tool: dd [0-9.]+\.", page)
    trial = clone / "raw/own/dd-writes/writes/transfer_size=65536,direct_io=true/r0"
    outcome = json.loads((trial / "trial.json").read_text())
    assert outcome["argv"] == ["dd", "if=/dev/zero", "of=./t0", "bs=65536", "count=256", "conv=fsync", "oflag=direct"]
    printed = re.search(r" s, ([0-9.]+) [kMG]B/s$", (trial / "stdout.txt").read_text(), re.MULTILINE)[1]
    shown = (report / "trials" / trial.relative_to(clone / "raw/own")).with_suffix(".html").read_text()
    assert re.search(rf'<mark id="[^"]*write-throughput[^"]*" class="foremost"[^>]*>{re.escape(printed)}</mark>', shown)
    rows = (clone / "results/own/tables/dd-writes-writes-cases.csv").read_text().splitlines()
    assert rows[0].startswith("operation,transfer_size (B),direct_io,median (B/s)")
    assert len(rows) == 5
    assert not list((clone / "target").rglob("t0"))


@needs("sysbench")
@pytest.mark.slow
def test_sysbench_of_the_page_reads_files_that_are_laid_out_and_proved_cold(clone):
    text = STUDIES["sysbench-reads"].replace("repetitions: 6", "repetitions: 1").replace("2 s", "1 s")
    verdicts = run(clone, "sysbench-reads", text.replace("[64 MiB]", "[8 MiB]"))
    assert [row["case"] for row in verdicts] == [
        f"operation={operation},threads={threads}" for operation in ("random-read", "read") for threads in (1, 2)
    ]
    assert {row["verdict"] for row in verdicts} == {"valid"}
    assert {row["cold"] for row in verdicts} <= {"cold", "unproved"}
    with (clone / "results/own/cold.csv").open(newline="") as file:
        assert {row["file_bytes"] for row in csv.DictReader(file)} == {str(8 * 2**20), str(16 * 2**20)}
    page = (clone / "results/own/report/sysbench-reads/every-sweep.html").read_text()
    assert page.count('<figure class="coldcache-figure"') == 2


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_rados_bench_of_the_page_writes_through_a_script_to_the_targets_of_a_model(coldcache, project, monkeypatch):
    if obstacles := list_obstacles():
        pytest.skip("; ".join(obstacles))
    with tempfile.TemporaryDirectory(prefix="model-", dir="/var/tmp") as folder:
        place = open_place(Path(folder) / "m")
        script = re.search(r"^```text\n(#!/bin/sh\n# rados-on-model.*?)^```$", PAGES[1], re.MULTILINE | re.DOTALL)[1]
        script = script.replace("model-[0-9a-f]*-c1", place.namespace("c1"))
        program = project / "bin/rados-on-model"
        program.parent.mkdir()
        program.write_text(script.replace("/var/tmp/coldcache-model", str(place.folder)))
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
        site = (ROOT / "config/sites/model.yaml").read_text().replace("/var/tmp/coldcache-model", str(place.folder))
        site = site.replace("targets: 8\n", "targets: 2\n").replace("site: model\n", "site: two\n")
        Path("config/sites/two.yaml").write_text(site.replace("  - 8 storage targets\n", ""))
        text = STUDIES["rados-objects"].replace("repetitions: 6", "repetitions: 1").replace("20 s", "2 s")
        Path("config/studies/rados-objects.yaml").write_text(text.replace("[1, 4, 16]", "[4]"))
        try:
            done = coldcache(
                "measure", "--campaign=own", "--studies=rados-objects", "--site=two", "--block=rados-objects.objects",
                "--manifest=done.json",
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
        finally:
            stop(place)
    assert coldcache("collect", "--campaign=own", "--results=results/own").returncode == 0
    with Path("results/own/verdicts.csv").open(newline="") as file:
        assert {row["verdict"] for row in csv.DictReader(file)} <= {"valid", "suspect"}
    (path,) = Path("raw/own").rglob("trial.json")
    outcome = json.loads(path.read_text())
    assert outcome["argv"] == ["rados-on-model", "bench", "2", "write", "--pool", "osts", "-t", "4", "-b", "1048576"]
    log = path.with_name("stdout.txt").read_text()
    written = int(re.search(r"Total writes made: +([0-9]+)", log)[1]) << 20
    moved = {name: outcome["counters"]["after"][name] - outcome["counters"]["before"][name] for name in TARGETS}
    assert min(moved.values()) > 0
    assert sum(moved.values()) >= written > 0


@needs("stress-ng")
def test_stress_ng_leaves_its_files_beside_the_log_that_is_read(coldcache, project):
    Path("config/studies/stress.yaml").write_text(STRESS)
    for sweep in ("hdd", "file"):
        done = coldcache(
            "measure", "--campaign=own", "--studies=stress", "--site=here", f"--block=stress.{sweep}",
            f"--manifest=results/own/blocks/{sweep}.json",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    done = coldcache("collect", "--campaign=own", "--results=results/own")
    assert (done.returncode, done.stderr) == (0, "")
    with Path("results/own/verdicts.csv").open(newline="") as file:
        assert {row["verdict"] for row in csv.DictReader(file)} <= {"valid", "suspect"}
    folders = sorted(path.parent for path in Path("raw/own").rglob("trial.json"))
    assert len(folders) == 3
    for folder in folders:
        assert {path.name for path in folder.iterdir()} == {"trial.json", "stdout.txt", "stderr.txt", "result.yaml"}


#: What the devices of the model's targets took.
TARGETS = ("target1.written_bytes", "target2.written_bytes")

#: Rules about what else the machine did meanwhile.
LOAD = ("busy-machine", "foreign-load", "foreign-transfers", "suspended")


def without_load(codes: list[str], reasons: list[str]) -> tuple[str, str]:
    """Return the rules that flagged a trial with their reasons, without those about other load on the machine."""
    kept = [(code, reason) for code, reason in zip(codes, reasons, strict=True) if code not in LOAD]
    return " ".join(code for code, _ in kept), "; ".join(reason for _, reason in kept)


def test_what_fails_is_void_with_its_reason(coldcache, project):
    commands = {
        "status": "dd if=/dev/zero of={file} bs=1 count=1 conv=no-such",
        "nothing": "dd if=/dev/zero of={file} bs=1 count=1 status=none",
        "text": "dd if=/dev/zero of={file} bs=4096 count=1",
        "accepted": "sh -c 'echo 1 B/s; exit 3'",
    }
    sweeps = "".join(
        f"  {name}:\n    title: T\n    tool: command\n    command: {command}\n    operations: [write]\n"
        f"    factors: {{}}\n    success: {{exit_codes: [0, 3], text: [{'no such text' if name == 'text' else ''}]}}\n"
        "    patterns:\n      rate: {operation: write, metric: throughput, unit: B/s, regex: '([0-9.]+) [MGk]?B/s'}\n"
        for name, command in commands.items()
    )
    Path("config/studies/own.yaml").write_text(f"study: own\ntitle: T\nquestion: Q\nrepetitions: 1\nsweeps:\n{sweeps}")
    for name in commands:
        done = coldcache(
            "measure", "--campaign=own", "--studies=own", "--site=here", f"--block=own.{name}",
            f"--manifest=results/own/blocks/{name}.json",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert coldcache("collect", "--campaign=own", "--results=results/own").returncode == 0
    with Path("results/own/reasons.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    found = {row["sweep"]: without_load(row["codes"].split(), row["reasons"].split("; ")) for row in rows}
    reasons = {sweep: reason for sweep, reason in found.items() if reason != ("", "")}
    nothing = "pattern rate finds nothing in output: ([0-9.]+) [MGk]?B/s"
    assert reasons == {
        "status": ("exit-status log-refused", f"exit status 1; {nothing}"),
        "nothing": ("log-refused", nothing),
        "text": ("log-refused", '"no such text" is not in output, which a success states'),
    }


def test_a_command_repeats_until_it_is_known_and_watches_for_drift(coldcache, project):
    Path("config/studies/own.yaml").write_text("""
study: own
title: T
question: Q
repetitions: 5
repeat_until: {relative_width: 1000, most: 12}
sentinel: {sweep: probe, every: 3}
sweeps:
  probe:
    title: One file
    tool: command
    command: dd if=/dev/zero of={file} bs={transfer_size} count={transfers}
    operations: [write]
    factors: {transfer_size: [64 KiB], file_size: [1 MiB]}
    patterns:
      seconds: {operation: write, metric: elapsed, unit: s, regex: 'copied, ([0-9.e-]+) s'}
      rate: {operation: write, metric: throughput, unit: printed, regex: '(?P<value>[0-9.]+) (?P<unit>[kMG]?B/s)$'}
""")
    text = Path("config/studies/own.yaml").read_text()
    sweep = text[text.index("  probe:") :].replace("  probe:", "  writes:")
    Path("config/studies/own.yaml").write_text(text + sweep)
    done = coldcache(
        "measure", "--campaign=own", "--studies=own", "--site=here", "--block=own.writes", "--manifest=done.json"
    )
    assert done.returncode == 0, done.stderr
    assert coldcache("collect", "--campaign=own", "--results=results/own").returncode == 0
    (host,) = json.loads(Path("raw/own/hosts.json").read_text()).values()
    assert host["programs"]["dd"] == hashlib.sha256(Path(shutil.which("dd")).read_bytes()).hexdigest()
    with Path("results/own/repetitions.csv").open(newline="") as file:
        assert [(row["sweep"], row["trials"], row["reason"]) for row in csv.DictReader(file)] == [
            ("writes", "9", "narrow enough")
        ]
    with Path("results/own/drift.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 2
    assert all(float(row["figure"]) > 0 and row["unit"] == "B/s" for row in rows)
