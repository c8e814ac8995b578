"""Whether this machine can run a model: each thing that is missing, with the command that cures it."""

import os
import shutil
import stat
from pathlib import Path

from coldcache.measure.model.groups import ROOT, VERSION

#: The program that shows that a package of Debian or Ubuntu is there, as in envs/model.txt.
PACKAGES = {
    "ceph-mon": "ceph-mon",
    "ceph-osd": "ceph-osd",
    "ceph-mds": "ceph-mds",
    "ceph-fuse": "ceph-fuse",
    "crushtool": "ceph-base",
    "monmaptool": "ceph-base",
    "ip": "iproute2",
    "tc": "iproute2",
    "nsenter": "util-linux",
    "unshare": "util-linux",
    "losetup": "mount",
}


def list_obstacles() -> list[str]:
    """Return a line for each thing that is missing; none where a model can be started."""
    found = []
    if os.geteuid():
        found.append("the model needs root: run it by sudo")
    missing = sorted({package for program, package in PACKAGES.items() if shutil.which(program) is None})
    if missing:
        found.append(f"missing: {', '.join(missing)}: apt-get install --no-install-recommends {' '.join(missing)}")
    if not _is_device("/dev/fuse"):
        found.append("/dev/fuse is missing: modprobe fuse; in a container: start it with --device /dev/fuse")
    if not _is_device("/dev/loop-control"):
        found.append("/dev/loop-control is missing: modprobe loop; in a container: start it with --privileged")
    if not os.geteuid() and not _has_controllers():
        found.append(f"{ROOT} has no control groups for cpu and io that can be written: start the machine with them")
    return found


def _is_device(path: str) -> bool:
    try:
        return stat.S_ISCHR(Path(path).stat().st_mode)
    except OSError:
        return False


def _has_controllers() -> bool:
    if VERSION == 1:
        return all(os.access(ROOT / name, os.W_OK) for name in ("blkio", "cpu", "cpuacct"))
    try:
        controllers = (ROOT / "cgroup.controllers").read_text().split()
    except OSError:
        return False
    return {"cpu", "io"} <= set(controllers) and os.access(ROOT / "cgroup.subtree_control", os.W_OK)
