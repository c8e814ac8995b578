"""A missing program is refused with the command that installs it; versions come from the programs themselves."""

import hashlib
import shutil
from pathlib import Path

import pytest

from coldcache.core.errors import ToolError
from coldcache.tools.programs import Program, identify_builds

SHELL, MISSING = Program("sh"), Program("no-such-program", "its-package")


def test_a_missing_program_names_its_package():
    assert not MISSING.is_installed()
    with pytest.raises(ToolError, match=r"^no-such-program is not on PATH; install it: apt-get install its-package$"):
        MISSING.require()
    with pytest.raises(ToolError, match=r"^no-such-program is not on PATH; load the module that has it$"):
        Program("no-such-program").require()


def test_a_program_states_its_version():
    assert Program("bash").ask_version("--version", r"version ([0-9]+\.[0-9]+)")[0].isdigit()
    with pytest.raises(ToolError, match=r"^bash --version prints no version$"):
        Program("bash").ask_version("--version", "no such words")


def test_only_installed_programs_have_a_build():
    digest = hashlib.sha256(Path(shutil.which("sh")).read_bytes()).hexdigest()
    assert identify_builds([SHELL, MISSING]) == {"sh": digest}
