"""Every rule says in words what it found, and every flag has a remedy."""

from coldcache.report.site.flags import FLAGS, REMEDIES, RULE_MEANINGS, VOIDS
from coldcache.verdicts.judge import RULES


def test_every_rule_has_a_meaning_and_every_suspect_one_a_remedy():
    assert all(RULE_MEANINGS[rule].endswith(".") for rule, _, _ in RULES)
    assert {rule for rule, verdict, _ in RULES if verdict == "suspect"} == set(FLAGS)
    assert {rule for rule, verdict, _ in RULES if verdict == "void"} == set(VOIDS)
    assert set(FLAGS) < set(REMEDIES) <= set(RULE_MEANINGS)


def test_remedies_are_plain_text():
    assert REMEDIES["too-short"] == REMEDIES["coarse-clock"] == "raise file_size"
    assert not any("`" in remedy for remedy in REMEDIES.values())
