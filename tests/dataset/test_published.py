"""Published values are the documents' numbers with their place and grade; a damaged row is named by file and line."""

from collections import Counter

import pytest

from coldcache.core.errors import CampaignError
from coldcache.dataset.published import read_published

HEAD = "source,item,grade,system,benchmark,workload,operation,threads,statistic,relation,value,unit,note\n"
ROW = "sas-grid,table,table,m5n.large,rhel_iotest.sh,w,read,1,value,=,850.20,MB/s,\n"


@pytest.fixture
def values(root):
    return read_published(root / "config/published/values.csv")


def test_the_values_of_all_five_documents_are_there(values):
    assert Counter(value.source for value in values) == {
        "pixstor-nvme": 36, "sas-grid": 23, "dell-lustre": 18, "anf-nfs": 17, "fsx-metadata": 6,
    }  # fmt: skip


def test_a_value_is_stored_in_its_unit_and_shown_as_printed(values):
    (found,) = [value for value in values if value.system == "m5n.large" and value.operation == "read"]
    assert (found.low, found.high, found.unit, found.printed) == (850.20e6, 850.20e6, "B/s", "850.20 MB/s")
    assert (found.source, found.item, found.grade, found.threads) == ("sas-grid", "table", "table", None)
    (ranged,) = [value for value in values if value.relation == "range" and value.source == "sas-grid"]
    assert (ranged.low, ranged.high, ranged.printed) == (100e6, 125e6, "100-125 MB/s")
    assert {"5060000 IOPS", "547 op/s", "7300000 IOPS"} <= {value.printed for value in values}
    assert {"5,060,000 IOPS", "547 op/s", "7,300,000 IOPS", "850.20 MB/s"} <= {value.shown for value in values}


def test_two_documents_contradict_themselves_in_what_is_kept(values):
    """PixStor's text has reads sustained above 265 K op/s, its table 4 500 K; NFS's 262,144 counts replies, too."""
    reads = {value.item: value.low for value in values if (value.operation, value.statistic) == ("read", "sustained")
             and value.unit == "1/s" and value.workload.startswith("file")}  # fmt: skip
    assert reads == {"fig 5": 265_000, "table 4": 500_000}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("MB/s", "MBs", 'unknown unit "MBs"; did you mean "MB/s"?'),
        ("table,table", "table,tables", 'unknown grade "tables"; did you mean "table"?'),
        ("850.20", "fast", "could not convert string to float: 'fast'"),
        ("MB/s,", "MB/s,at 1 MiB, direct", "14 cells for 13 columns; put a cell with commas into quotes"),
        ("MB/s,", "MB/s", "12 cells for 13 columns; put a cell with commas into quotes"),
    ],
)
def test_a_damaged_row_is_named_by_file_and_line(tmp_path, old, new, message):
    path = tmp_path / "values.csv"
    path.write_text(HEAD + ROW + ROW.replace(old, new))
    with pytest.raises(CampaignError) as refused:
        read_published(path)
    assert str(refused.value) == f"{path}, line 3: {message}"


def test_a_missing_column_is_named(tmp_path):
    path = tmp_path / "values.csv"
    path.write_text("".join(line.replace(",grade", "").replace(",table,table,", ",table,") for line in (HEAD, ROW)))
    with pytest.raises(CampaignError) as refused:
        read_published(path)
    assert str(refused.value) == f"{path}, line 1: no column grade; see {tmp_path}/README.md"


def test_without_a_file_there_are_none(tmp_path):
    assert read_published(tmp_path / "values.csv") == []
