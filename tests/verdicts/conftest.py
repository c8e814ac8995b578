from pathlib import Path

import pytest
from observations import load_observation

from coldcache.verdicts.judge import judge


@pytest.fixture
def trial(measured):
    """Return a function that gives a valid trial by its key, with some fields of its outcome altered."""

    def load(key, **altered):
        found = load_observation(Path("raw/tiny") / key, shortest_run=0.001)
        assert judge(found).verdict == "valid", judge(found)
        return found._replace(outcome=found.outcome._replace(**altered))

    return load
