"""The tiny campaign, collected."""

from pathlib import Path

import pytest

from coldcache.dataset.collect import collect


@pytest.fixture
def collected(measured):
    """Return a function that collects the tiny campaign and returns its dataset."""

    def run() -> Path:
        collect("tiny", Path("results/tiny"))
        return Path("results/tiny/dataset.nc")

    return run
