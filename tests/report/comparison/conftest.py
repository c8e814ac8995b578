"""`compare` run on a copy of two campaigns, the second slower in one case."""

import shutil
from pathlib import Path

import pytest

from coldcache import __main__ as program

#: Two campaigns of one study; the second read with two threads at 80 of 100 transfers a second.
SLOWDOWN = Path(__file__).parents[2] / "specimens/slowdown"


@pytest.fixture
def compare(tmp_path, monkeypatch, capsys):
    """Run `compare` in a folder with a copy of the campaigns, once they have been changed."""
    shutil.copytree(SLOWDOWN, tmp_path / "raw")
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        status = program.main(["compare", *arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run
