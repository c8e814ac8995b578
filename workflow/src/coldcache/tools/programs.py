"""Programs on PATH, and what they say of their version."""

import hashlib
import os
import re
import shutil
import subprocess
from contextlib import suppress
from functools import cache
from pathlib import Path

from coldcache.core.errors import ToolError

#: Debian's package of each program, for the message that names it.
PACKAGES = {
    "fio": "fio", "iozone": "iozone3", "qemu-nbd": "qemu-utils", "mdtest": None, "ior": None, "mpirun": "openmpi-bin",
}  # fmt: skip


def is_installed(program: str) -> bool:
    """Return whether a program is on PATH."""
    return shutil.which(program) is not None


def require(program: str) -> str:
    """Return the path of a program.

    Raises
    ------
    ToolError
        If it is not on PATH; the message names the package and the command that installs it.
    """
    path = shutil.which(program)
    if path is None:
        package = PACKAGES.get(program)
        remedy = f"install it: apt-get install {package}" if package else "load the module that has it"
        raise ToolError(f"{program} is not on PATH; {remedy}")
    return path


@cache
def ask_version(program: str, argument: str, pattern: str) -> str:
    """Return what a program says of its version.

    Parameters
    ----------
    program : str
        Name on PATH.
    argument : str
        The argument that makes it print its version.
    pattern : str
        A regular expression whose first group is the version.

    Raises
    ------
    ToolError
        If the program is missing, does not answer within 10 s, or prints no version.
    """
    path = require(program)
    # Inside a job an MPI program would take itself for a rank, and end without its fellows.
    alone = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "PMI_", "PMIX_"))}
    try:
        answer = subprocess.run(
            [path, argument], capture_output=True, text=True, errors="replace", timeout=10, check=False,
            stdin=subprocess.DEVNULL, env=alone,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"{program} {argument} does not answer within 10 s") from error
    match = re.search(pattern, answer.stdout + answer.stderr)
    if match is None:
        raise ToolError(f"{program} {argument} prints no version")
    return match[1]


def identify_builds() -> dict[str, str]:
    """Return the SHA-256 of each known program on PATH: two builds of one version may differ in speed."""
    builds = {}
    for program, path in ((program, shutil.which(program)) for program in PACKAGES):
        # What may be run need not be readable.
        with suppress(OSError):
            if path:
                builds[program] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return builds
