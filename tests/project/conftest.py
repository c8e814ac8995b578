"""A folder with what a fresh clone has."""

import shutil

import pytest


@pytest.fixture
def clone(root, tmp_path, monkeypatch, project):
    """A folder with what a fresh clone has, and the tiny study and its site beside the shipped ones."""
    folder = tmp_path / "clone"
    folder.mkdir()
    for name in ("Snakefile", "environment.yml", "pyproject.toml"):
        shutil.copy(root / name, folder)
    for name in ("workflow", "config", "notebooks", "profiles", "slurm", ".binder"):
        shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    shutil.copy(project / "config/studies/tiny.yaml", folder / "config/studies")
    shutil.copy(project / "config/sites/here.yaml", folder / "config/sites")
    for name in ("raw", "docs"):
        (folder / name).mkdir()
    for name in ("raw/reference", "docs/twelve-rules.md"):
        (folder / name).symlink_to(root / name)
    monkeypatch.chdir(folder)
    return folder
