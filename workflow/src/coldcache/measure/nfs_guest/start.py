"""Start a guest that runs a tool on a mount of its own."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from coldcache.design.settings.nfs_guest import Guest
from coldcache.tools.programs import Program
from coldcache.tools.run import Inputs, Run

GUEST_KERNEL = "linux.uml"

_MIB = 2**20


#: The programs that the guest needs, and where it looks for them.
_PROGRAMS = (
    "mount.nfs", "rpc.nfsd", "rpc.mountd", "exportfs", "rpcbind", "modprobe", "ip", "tc", "nsenter", "dmsetup",
    "losetup", "mkfs.ext4", "busybox",
)  # fmt: skip


_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


#: The folder of the guest's memory; a file system on a disk would write it back.
_MEMORY = Path("/dev/shm")


def wrap(guest: Guest, run: Run, inputs: Inputs, command: list[str]) -> list[str]:
    """Return the command line that runs a tool's command in a guest, whose mount lies at the run's directory."""
    size = max(run.file_size * run.threads, inputs.total) / _MIB
    words = ["bash", _find_script(Path.cwd()), f"--at={run.directory}"]
    words += [f"--mount={','.join(guest.mount)}"] if guest.mount else []
    words += [f"--clients={guest.clients}"] if guest.clients > 1 else []
    words += [f"--sysctl={parameter}" for parameter in guest.parameters]
    words += [f"--outage={guest.outage:g}"] if guest.outage else []
    words += [f"--network={guest.network}"] if guest.network else []
    words += [f"--server-network={guest.server_network}"] if guest.server_network else []
    words += [f"--layer={layer}" for layer in guest.layers]
    for names in _abbreviate(inputs):
        words += [f"--input={names}", f"--size={inputs.size}"]
    # The disk is in memory, and the caches of client and server need as much again; so does a cache of the disk.
    copies = 2.4 + 1.1 * ("writecache" in guest.layers)
    words += [f"--disk={round(64 + 1.1 * size)}", f"--memory={round(640 + 8 * guest.clients + copies * size)}"]
    return [*words, "--", *command]


@cache
def _find_script(folder: Path) -> str:
    """Return the path of the script that starts a guest, relative to a folder."""
    return os.path.relpath(Path(__file__).with_name("run.sh"), folder)


def _abbreviate(inputs: Inputs) -> Iterator[str]:
    """Yield the names of each thread's files; names that end in numbers from 0 as one bash brace expansion."""
    for names in inputs.names:
        stem = names[0].removesuffix("0") if names else ""
        if len(names) > 1 and names == tuple(f"{stem}{number}" for number in range(len(names))):
            yield f"{stem}{{0..{len(names) - 1}}}"
        else:
            yield from names


def explain_no_guest() -> str | None:
    """Return why no guest can be started on this system; None where one can."""
    if shutil.which(GUEST_KERNEL) is None:
        return f"{GUEST_KERNEL} is not on PATH; bash envs/setup.sh nfs"
    missing = [program for program in _PROGRAMS if shutil.which(program, path=_PATH) is None]
    if missing:
        return f"{missing[0]} is not installed; bash envs/setup.sh nfs"
    if not os.access(_MEMORY, os.W_OK):
        return f"{_MEMORY}, which holds the guest's memory, is not writable"
    if not _keeps_registers():
        return f"{GUEST_KERNEL} cannot save this processor's registers (AMX); use another machine or a real NFS server"
    return None


@cache
def _keeps_registers() -> bool:
    """Return whether a guest can start: Linux 6.1 ends where a process has more than 2,696 B of registers."""
    if " amx_tile" not in Path("/proc/cpuinfo").read_text():
        return True
    words = "mem=64M root=/dev/root rootfstype=hostfs rootflags=/ ro init=/usr/bin/uname con=null con0=null,fd:1 quiet"
    # The end of its first process ends the guest with a panic; what failed before is on the console.
    console = subprocess.run(
        [GUEST_KERNEL, *words.split()], env={**os.environ, "PATH": _PATH, "TMPDIR": str(_MEMORY)},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False,
    ).stdout  # fmt: skip
    return b"ptrace set fp regs failed" not in console


def describe_kernel() -> dict[str, str]:
    """Return the kind and the kernel of the guest; raises `ToolError` as `Program.ask_version`."""
    return {"kind": "User-Mode Linux", "kernel": Program(GUEST_KERNEL).ask_version("--version", r"^([0-9]+\.[0-9.]+)")}
