"""The table at the top of a trial's page has no row without a value."""

from types import SimpleNamespace

from coldcache.core.outcome import Outcome
from coldcache.report.site.trial_facts import list_main_facts


def test_a_log_that_states_no_levels_has_no_row_of_them():
    trial = SimpleNamespace(reasons="", codes="", verdict="valid", proof=None)
    outcome = Outcome("old", "cloudwatch", "only", 0, ("write",), {}, "cloudwatch")
    assert [name for name, _ in list_main_facts(trial, outcome)] == ["Verdict", "Tool"]
    stated = [
        value for name, value in list_main_facts(trial, outcome._replace(factors={"threads": 4})) if name == "Levels"
    ]
    assert stated == ["threads 4"]
