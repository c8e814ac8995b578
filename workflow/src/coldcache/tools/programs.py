"""Programs on PATH: where they are, which package has them, and their versions."""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from coldcache.core.errors import ToolError


@dataclass(frozen=True, slots=True)
class Program:
    """A program that is looked up on PATH.

    Attributes
    ----------
    name : str
        Its name on PATH.
    package : str or None
        Debian's package of it; None if Debian has none.
    """

    name: str
    package: str | None = None

    def is_installed(self) -> bool:
        """Return whether the program is on PATH."""
        return shutil.which(self.name) is not None

    def require(self) -> str:
        """Return the path of the program.

        Raises
        ------
        ToolError
            If it is not on PATH; the message names the command that installs it.
        """
        path = shutil.which(self.name)
        if path is None:
            remedy = f"install it: apt-get install {self.package}" if self.package else "load the module that has it"
            raise ToolError(f"{self.name} is not on PATH; {remedy}")
        return path

    def ask_version(self, argument: str, pattern: str) -> str:
        """Return the version that the program prints; one process asks only once.

        Parameters
        ----------
        argument : str
            The argument that makes it print its version.
        pattern : str
            A regular expression whose first group is the version.

        Raises
        ------
        ToolError
            If the program is missing, does not answer within 10 s, or prints no version.
        """
        return _ask_version(self, argument, pattern)


@cache
def _ask_version(program: Program, argument: str, pattern: str) -> str:
    path = program.require()
    # Inside a job an MPI program would think that it is a rank, and would end without the others.
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "PMI_", "PMIX_"))}
    try:
        answer = subprocess.run(
            [path, argument], capture_output=True, text=True, errors="replace", timeout=10, check=False,
            stdin=subprocess.DEVNULL, env=alone,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"{program.name} {argument} does not answer within 10 s") from error
    match = re.search(pattern, answer.stdout + answer.stderr)
    if match is None:
        raise ToolError(f"{program.name} {argument} prints no version")
    return match[1]


QEMU_NBD = Program("qemu-nbd", "qemu-utils")
MPIRUN = Program("mpirun", "openmpi-bin")


def ask_mpi_version(program: Program, argument: str, pattern: str) -> str | None:
    """Return the version of a program of MPI as `Program.ask_version`; None where only its logs state it.

    Raises
    ------
    ToolError
        If mpirun is missing, or the program does not print a help with its own name.
    """
    MPIRUN.require()
    try:
        return program.ask_version(argument, pattern)
    except ToolError:
        # Another program may have the name.
        program.ask_version("-h", rf"(?i)(?:usage:|synopsis) \S*({program.name})")
        return None


#: Programs that tools and settings start besides the tools themselves, by name.
HELPERS = {program.name: program for program in (QEMU_NBD, MPIRUN)}


def identify_builds(programs: Iterable[Program]) -> dict[str, str]:
    """Return the SHA-256 of each installed program by name: two builds of one version may differ in speed."""
    builds = {}
    for program in programs:
        path = shutil.which(program.name)
        # An executable file may be unreadable.
        with suppress(OSError):
            if path:
                builds[program.name] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return builds
