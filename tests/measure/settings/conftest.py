"""Programs that replace those of systems that are not here."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def stand_in(tmp_path, monkeypatch) -> Callable[[str, str], Path]:
    """Put a shell script first on PATH by the name of a program that needs root; return the folder in which it lies."""

    def put(name: str, script: str) -> Path:
        if os.geteuid():
            pytest.skip(f"{name} needs root")
        folder = tmp_path / "bin"
        folder.mkdir()
        (folder / name).write_text(script.format(folder=folder))
        (folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        return folder

    return put
