"""Put what a study needs beside the package's modules into the wheel, as `coldcache/program/`: see pyproject.toml."""

from pathlib import Path
from shutil import copy2, copytree, ignore_patterns

from setuptools import setup
from setuptools.command.build_py import build_py

#: The workflow, its templates, and the studies, sites, claims and notebooks that come with the program.
SHIPPED = (
    "Snakefile", "workflow/Snakefile", "workflow/rules", "workflow/report", "config", "notebooks",
    "docs/twelve-rules.md", "docs/glossary.md", "profiles", "slurm", "environment.yml", "envs/requirements.lock",
    "CITATION.cff", "LICENSE",
)  # fmt: skip


class BuildWithProgram(build_py):
    """Build the package, and copy `SHIPPED` into it; an editable install finds them in the clone."""

    def run(self) -> None:
        """Build as setuptools does, then copy."""
        super().run()
        for name in () if self.editable_mode else SHIPPED:
            place = Path(self.build_lib, "coldcache/program", name)
            place.parent.mkdir(parents=True, exist_ok=True)
            if Path(name).is_dir():
                copytree(name, place, dirs_exist_ok=True, ignore=ignore_patterns("__pycache__", ".ipynb_checkpoints"))
            else:
                copy2(name, place)


setup(cmdclass={"build_py": BuildWithProgram})
