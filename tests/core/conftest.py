"""What the tests of YAML files share."""

from pathlib import Path

import pytest

from coldcache.core.errors import DesignError


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def written(content):
        path = Path("given.yaml")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


@pytest.fixture
def refusal():
    """Return the one line with which a function refuses its arguments."""

    def refused(read, *arguments):
        with pytest.raises(DesignError) as found:
            read(*arguments)
        assert "\n" not in str(found.value)
        return str(found.value)

    return refused
