"""A project with a report, and the program run in it."""

import shutil

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
def project(reported, root):
    """A project with a report, and with the program beside it as a clone has it."""
    for name in ("Snakefile", "Makefile", "pyproject.toml", "LICENSE"):
        shutil.copy(root / name, reported)
    shutil.copytree(root / "envs", reported / "envs")
    return reported
