"""A comparison as Markdown begins with its finding."""

from pathlib import Path


def test_the_page_begins_with_the_finding(compare):
    compare("before", "after", "--markdown=ci/summary.md")
    summary = Path("ci/summary.md").read_text()
    assert summary.startswith("# Comparison of before and after\n\nafter against before, 4 cases: 1 worse by more than")
