"""`parse` over many logs: the lines of each in the order of the logs, on all cores, without libraries of figures."""

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


def test_a_reader_that_is_killed_is_reported(monkeypatch):
    monkeypatch.setattr(parse, "_read", lambda log: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(ColdCacheError) as refusal:
        print_records(LOGS)
    assert str(refusal.value) == "a process that was reading logs was killed, perhaps for lack of memory"
