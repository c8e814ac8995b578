"""What the pages show of datasets with invented rates is what they showed: each text, number, line and colour."""

import os
from pathlib import Path

import pytest
from invented_outputs import ALL, digest, find_dataset, read_digests


@pytest.fixture(scope="session")
def datasets(tmp_path_factory):
    # A run of many mutants, which change no dataset, keeps one of each for all of them.
    return Path(os.environ.get("COLDCACHE_INVENTED") or tmp_path_factory.mktemp("invented-outputs"))


@pytest.mark.slow
@pytest.mark.parametrize("shown", ALL, ids=str)
def test_a_page_shows_the_same_of_an_invented_dataset(shown, datasets):
    assert digest(shown, find_dataset(datasets, shown)) == read_digests()[str(shown)]


def test_every_digest_is_of_a_page():
    assert set(read_digests()) == {str(shown) for shown in ALL}
