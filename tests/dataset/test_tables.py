"""Each row of the long table points to the bytes that state its value."""

from dataclasses import replace
from pathlib import Path

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.trials import collect_trials
from coldcache.core.records import UNIT_OF_METRIC
from coldcache.dataset.reader import open_records
from coldcache.dataset.tables import tabulate_records

RAW = Path("raw/tiny")


@pytest.fixture(scope="module")
def reference(root):
    folder = root / "raw/reference"
    campaign = replace(read_campaign(folder), name=str(folder))
    return tabulate_records(collect_trials(campaign)), folder


def test_each_row_points_to_the_bytes_that_state_its_value(collected):
    table = open_records(collected())
    assert len(table) > 18 * 10
    for row in table.itertuples():
        log = (RAW / row.log).read_bytes()
        number = log[row.offset : row.offset + row.length].decode()
        assert row.printed.startswith(number)
        scale = {"I/Os": 1, "IOPS": 1, "B/s": 1, "KiB/s": 1024, "ms": 1e-3, "ns": 1e-9}[row.printed.split()[1]]
        assert row.value == pytest.approx(float(number) * scale, rel=1e-12)
        assert row.unit == UNIT_OF_METRIC[row.metric]
        assert row.log == f"{row.study}/{row.sweep}/{row.case}/r{row.repetition}/stdout.txt"


def test_the_reference_campaign_is_collected_to_the_exact_figure(reference):
    table, folder = reference
    seen = set()
    rows = table[table.metric.isin(["throughput", "rate"]) & (table.statistic == "value") & (table.share == "")]
    # A script's log states how long it took, from which its rate follows.
    rows = rows[(rows.verdict != "void") & ~rows.printed.str.endswith(" s")]
    for row in rows.itertuples():
        log = (folder / row.log).read_bytes()
        number = float(log[row.offset : row.offset + row.length])
        unit = {"kB/sec": 1024, "MiB/s": 2**20}.get(row.printed.rpartition(" ")[2], 1)
        assert row.value == number * unit
        seen.add((row.sweep, row.tool))
    assert len({sweep for sweep, _ in seen}) == 27
    assert table.drop_duplicates(["sweep", "case", "repetition"]).verdict.ne("missing").all()


def test_rows_share_their_texts_and_factors_of_no_trial_take_no_memory(reference):
    table, _ = reference
    quick = table[table.study == "quick"]
    trials = len(quick.drop_duplicates(["case", "sweep", "repetition"]))
    assert len({id(text) for text in quick.case.array.to_numpy()}) <= trials < len(quick) / 10
    unstated = [name for name in table if table[name].isna().all() and table[name].dtype == object]
    assert unstated and {table[name].to_numpy().strides for name in unstated} == {(0,)}
    changed = table.copy()
    changed.loc[changed.index[0], unstated[0]] = 8
    assert table[unstated[0]].isna().all()
