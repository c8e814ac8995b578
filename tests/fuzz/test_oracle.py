"""The oracle agrees with what readers make of captured logs, and contradicts them where one thing is changed."""

import importlib.util
import sys
from pathlib import Path

import pytest

from coldcache.tools import read_log

HERE = Path(__file__).parents[2] / "fuzz"
SPECIMENS = HERE.parent / "tests/specimens"


@pytest.fixture(scope="module")
def oracle():
    specification = importlib.util.spec_from_file_location("oracle", HERE / "oracle.py")
    module = importlib.util.module_from_spec(specification)
    sys.modules["oracle"] = module
    specification.loader.exec_module(module)
    return module


def load(name):
    log = SPECIMENS.joinpath(name).read_bytes()
    return log, read_log(log, name)


NAMES = ["fio-3.33-mixed.json", "iozone-3.489-dell-i0-t4.log", "ior-4.0.0-rep3.txt", "mdtest-400-dellF.txt"]


@pytest.mark.parametrize("name", [*NAMES, "rhel_iotest-k8s-0.1.00-fr_FR.log", "elbencho-1.9-1.csv", "ior-3.3.0.json"])
def test_records_of_captured_logs_stand(oracle, name):
    log, records = load(name)
    assert oracle.find_contradiction(records, log) == ""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "change", [{"value": 1.0}, {"operation": "stat"}, {"statistic": "p42", "metric": "count"}], ids=str
)
def test_each_record_that_is_changed_is_contradicted(oracle, name, change):
    log, records = load(name)
    if "statistic" in change:
        # A figure on a line of its own without a table has its statistic in words that the oracle does not weigh.
        records = [record for record in records if record.statistic in ("max", "min", "mean", "stddev")]
        records = [record for record in records if not record.printed.endswith("MiB/sec")]
    assert records
    for record in records:
        assert oracle.find_contradiction([record._replace(**change)], log), record


@pytest.mark.parametrize(
    ("printed", "exact"),
    [("1 227,00", "1227"), ("1.038,00", "1038"), ("1’080.00", "1080"), ("843.75", "843.75"), ("5e-3", "0.005")],
)
def test_numbers_of_every_locale_are_read_exactly(oracle, printed, exact):
    assert oracle.read_number(printed) == oracle.Fraction(exact)
