"""`compare` prints the finding last, and writes the same page as Markdown and for the report."""

import re
from pathlib import Path

import pytest

from coldcache.core.errors import CampaignError
from coldcache.report.comparison.terminal import print_comparison

#: The case that is slowed down.
NAMED = "paced/transfers operation=random-read,threads=2"


def test_a_slowdown_by_a_fifth_is_named_and_nothing_else(compare):
    status, said, error = compare("before", "after")
    assert (status, error) == (1, "")
    lines = said.splitlines()
    assert "The campaigns state no difference, so no cause can be named." in lines
    assert lines[-1].startswith("after against before, 4 cases: 1 worse by more than 5 %, 0 better by more than 5 %, ")
    ratio = re.search(rf" Worse: {NAMED}: rate \d+/s → \d+/s, (\d\.\d+) \(", lines[-1])
    assert float(ratio[1]) == pytest.approx(0.8, rel=0.05)
    assert lines[-1].count(" → ") == 1


def test_the_page_of_a_comparison_waits_among_the_results_of_the_last_campaign(compare):
    compare("before", "after", "--page", "--markdown=summary.md")
    assert Path("results/after/comparison.md").read_text() == Path("summary.md").read_text()


@pytest.mark.parametrize("place", [0, 1])
def test_a_folder_is_no_output_and_is_refused_before_anything_is_read(tmp_path, place):
    files = [tmp_path if place == 0 else None, tmp_path if place == 1 else None]
    with pytest.raises(CampaignError) as refused:
        print_comparison(["gone", "lost"], 0.05, "", *files)
    assert str(refused.value) == f"compare: {tmp_path} is a folder; name a file in it"


def test_a_file_that_cannot_be_written_costs_no_finding(compare):
    Path("file").touch()
    status, said, error = compare("before", "after", "--junit=file/junit.xml")
    assert (status, error) == (1, "coldcache: file: File exists\n")
    assert said.splitlines()[-1].startswith("after against before, 4 cases: 1 worse by more than 5 %")
