"""`parse` over many logs: the lines of each in the order of the logs, on all cores, without libraries of figures."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from coldcache.core.errors import ColdCacheError
from coldcache.tools import read_file
from coldcache.workflow.commands import parse
from coldcache.workflow.commands.parse import print_records

SPECIMENS = Path(__file__).parents[2] / "specimens"
LOGS = sorted(SPECIMENS.glob("*-*"))


def test_reading_logs_loads_no_library_of_figures_tables_or_statistics():
    code = (
        "import sys; from coldcache.__main__ import main; main(['parse', *sys.argv[1:]]);"
        "names = ('matplotlib', 'pandas', 'xarray', 'scipy', 'numpy', 'pydantic', 'yaml', 'multiprocessing');"
        "print([name for name in names if name in sys.modules], file=sys.stderr)"
    )
    logs = [path for path in LOGS if path.name.startswith(("fio-3.33-group", "iozone-3.489-i0-t1", "ior-4.0.0",
                                                           "mdtest-400", "rhel_iotest"))]  # fmt: skip
    assert len(logs) > 10
    ran = subprocess.run([sys.executable, "-c", code, *logs], capture_output=True, text=True, timeout=60, check=False)
    assert ran.stdout.count("\n") > 100
    assert ran.stderr.splitlines()[-1] == "[]"


def test_the_standard_library_alone_reads_every_log_but_series():
    ours = Path(parse.__file__).parents[3]
    code = f"import sys; sys.path.insert(0, {str(ours)!r}); from coldcache.__main__ import main; main(sys.argv[1:])"
    # Neither the environment's packages nor the user's.
    alone = [sys._base_executable, "-I", "-S", "-c", code, "parse", *map(str, LOGS)]
    bare = subprocess.run(alone, capture_output=True, text=True, timeout=200, check=False)
    whole = subprocess.run(
        [sys.executable, "-m", "coldcache", *alone[5:]], capture_output=True, text=True, timeout=200, check=False
    )
    assert "Traceback" not in bare.stderr
    lacking = [line for line in bare.stderr.splitlines() if line.endswith("this Python lacks: pip install numpy")]
    series = {line.split(": ")[1] for line in lacking}
    assert series
    assert all(Path(log).name.startswith("fio-") and log.endswith(".log") for log in series)
    kept = [line for line in whole.stdout.splitlines() if json.loads(line)["log"] not in series]
    assert bare.stdout.splitlines() == kept
    assert len(kept) > 8_500


def test_many_logs_give_the_lines_of_each_in_their_order(capsys, monkeypatch):
    assert print_records(LOGS) == 2
    on_all_cores = capsys.readouterr()
    monkeypatch.setattr(parse, "_MANY", len(LOGS) + 1)
    assert print_records(LOGS) == 2
    assert capsys.readouterr() == on_all_cores
    printed = [json.loads(line)["log"] for line in on_all_cores.out.splitlines()]
    assert list(dict.fromkeys(printed)) == [str(log) for log in LOGS if str(log) in printed]
    refused = [line.split(": ")[1] for line in on_all_cores.err.splitlines()]
    assert refused == [str(log) for log in LOGS if str(log) not in printed]


def test_a_log_of_many_records_is_printed_in_portions(capsys, monkeypatch):
    log = SPECIMENS / "fio-3.33-json-plus.json"
    records = read_file(log)
    monkeypatch.setattr(parse, "_RECORDS", 10)
    assert print_records([log]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["offset"] for line in lines] == [record.offset for record in records]


def test_large_logs_among_many_are_printed_in_their_place(capsys, monkeypatch):
    assert print_records(LOGS) == 2
    expected = capsys.readouterr()
    monkeypatch.setattr(parse, "_LARGEST", 5000)
    assert print_records(LOGS) == 2
    assert capsys.readouterr() == expected


def test_csv_states_what_json_lines_state(capsys):
    logs = [SPECIMENS / "ior-4.0.0-rep3.txt", SPECIMENS / "iozone-3.489-auto.log"]
    assert print_records(logs) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert print_records(logs, "csv") == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [
        (row["log"], row["operation"], float(row["value"]), int(row["offset"]), row["printed"]) for row in rows
    ] == [(line["log"], line["operation"], line["value"], line["offset"], line["printed"]) for line in lines]
    assert rows[-1]["factors"] == (
        "threads=1;transfer_size=65536;file_size=1048576;file_layout=file-per-thread;direct_io=False"
    )
    assert (rows[0]["repetition"], rows[-1]["repetition"]) == ("0", "")


def test_a_table_says_once_what_all_figures_share(capsys):
    logs = [SPECIMENS / "iozone-3.489-auto.log", SPECIMENS / "nothing.txt", SPECIMENS / "fio-3.33-normal.txt"]
    assert print_records(logs, "table") == 2
    printed = capsys.readouterr()
    assert printed.err.count("\n") == 1
    first, second, *_ = printed.out.split("\n\n")
    assert first.splitlines() == [
        f"{logs[0]} (iozone 3.489; threads=1, transfer_size=64 KiB, file_size=1 MiB, file_layout=file-per-thread, "
        "direct_io=False)",
        "  operation  figure      value      printed          of  caveats",
        "  write      throughput  4.31 GB/s  4211554 kB/sec",
        "  rewrite    throughput  2.25 GB/s  2197132 kB/sec",
        "  read       throughput  13.4 GB/s  13102174 kB/sec",
        "  reread     throughput  11.5 GB/s  11249091 kB/sec",
    ]
    assert ["write", "elapsed", "5.00", "ms", "5", "msec"] in map(str.split, second.splitlines())


def test_a_reader_that_is_killed_is_reported(monkeypatch):
    monkeypatch.setattr(parse, "_read", lambda log, form: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(ColdCacheError) as refusal:
        print_records(LOGS)
    assert str(refusal.value) == "a process that was reading logs was killed, perhaps for lack of memory"
