"""A project with a report, and the program run in it."""

import pytest

from coldcache import __main__ as program


@pytest.fixture
def run(capsys):
    """Run a subcommand; return its exit status and what it says."""

    def call(*arguments):
        status = program.main(list(arguments))
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


@pytest.fixture
def project(complete):
    """A folder with a study of its own, its logs and its report."""
    return complete
