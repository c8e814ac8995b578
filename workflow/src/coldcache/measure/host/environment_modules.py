"""Load the environment modules that a site names (Lmod, Environment Modules), as a login shell does."""

import os
import subprocess
from collections.abc import Sequence

from coldcache.core.errors import DesignError

#: The list of the loaded modules, which both implementations keep.
LOADED = "LOADEDMODULES"

#: Variables of the shell itself.
_OF_THE_SHELL = ("_", "SHLVL", "PWD", "OLDPWD", "COLDCACHE_PATH")

_BETWEEN = b"\0\0"
_NO_MODULE, _NOT_LOADED = 97, 98

# /etc/profile replaces PATH, so it is put back before anything is loaded.
_SCRIPT = f"""
export PATH="$COLDCACHE_PATH"
type module >/dev/null 2>&1 || exit {_NO_MODULE}
env -0
printf '\\0'
module load "$@" >&2 || exit {_NOT_LOADED}
env -0
"""

#: How long a shell may take to load them, in s.
_SECONDS = 60


def load_modules(names: Sequence[str]) -> None:
    """Load environment modules into this process, and so into all that it starts; none that are loaded already.

    Parameters
    ----------
    names : sequence of str
        Such as ``ior/4.0.0``; none does nothing.

    Raises
    ------
    DesignError
        If there is no command ``module``, or one of them is not loaded afterwards.
    """
    missing = [name for name in names if not _is_loaded(name)]
    if not missing:
        return
    environment = {**os.environ, "COLDCACHE_PATH": os.environ.get("PATH", os.defpath)}
    try:
        answer = subprocess.run(
            ["bash", "-lc", _SCRIPT, "bash", *missing], capture_output=True, timeout=_SECONDS, check=False,
            env=environment, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DesignError(f"a login shell cannot load {', '.join(missing)}: {error}") from error
    said = " ".join(answer.stderr.decode(errors="replace").split())[:200]
    if answer.returncode == _NO_MODULE:
        raise DesignError(
            f"this machine has no command module, which would load {', '.join(missing)}; "
            "install Lmod or Environment Modules, or remove the key"
        )
    before, _, after = answer.stdout.partition(_BETWEEN)
    if answer.returncode == 0:
        known = _read(before)
        os.environ.update({name: value for name, value in _read(after).items() if known.get(name) != value})
    for name in missing:
        if not _is_loaded(name):
            raise DesignError(f'"{name}" was not loaded{f": {said}" if said else ""}; see module avail')


def list_loaded() -> list[str]:
    """Return the environment modules that are loaded in this process, sorted."""
    return sorted(filter(None, os.environ.get(LOADED, "").split(":")))


def _is_loaded(name: str) -> bool:
    """Return whether a module is loaded; one that is named without its version is, whatever its version."""
    return any(loaded == name or loaded.startswith(f"{name}/") for loaded in list_loaded())


def _read(variables: bytes) -> dict[str, str]:
    pairs = (os.fsdecode(pair).partition("=") for pair in variables.split(b"\0") if b"=" in pair)
    return {name: value for name, _, value in pairs if name not in _OF_THE_SHELL and not name.startswith("BASH_FUNC_")}
