"""Every rule says in words what it found, and every flag has a remedy."""

from coldcache.report.site.flags import DOUBTS, FLAGS, RULE_MEANINGS, VOIDS, find_remedy
from coldcache.verdicts.judge import RULES


def test_every_rule_has_a_meaning_and_every_suspect_one_a_remedy():
    assert all(RULE_MEANINGS[rule].endswith(".") for rule, _, _ in RULES)
    assert {rule for rule, verdict, _ in RULES if verdict == "suspect"} == set(FLAGS)
    assert {rule for rule, verdict, _ in RULES if verdict == "void"} == set(VOIDS)
    assert set(DOUBTS) < set(RULE_MEANINGS)
    assert all(find_remedy(rule) for rule in (*DOUBTS, "not-run"))


def test_what_was_imported_is_not_measured_again():
    assert find_remedy("too-short") == find_remedy("coarse-clock") == "raise `seconds` or `file_size`"
    assert find_remedy("too-short", is_imported=True) == "import logs of longer runs"
    assert find_remedy("two-modes", is_imported=True) == find_remedy("two-modes")
    assert find_remedy("another") == ""
