"""The first number of a finding leads to what it was computed from."""

import pytest

from coldcache.report.site.finding_links import link_finding


@pytest.mark.parametrize(
    ("text", "linked"),
    [
        ("up to 0.8, 95 % of them", 'up to <a href="x.html">0.8</a>, 95 % of them'),
        ("1,500 metadata IOPS", '<a href="x.html">1,500</a> metadata IOPS'),
        ("No plateau.", "No plateau."),
    ],
)
def test_a_link_holds_the_number_without_what_follows(text, linked):
    assert link_finding(text, {}, [], "x.html") == linked
