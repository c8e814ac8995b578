"""What the cluster is told once its targets are up: where the objects of each pool lie."""

from coldcache.design.model.specification import Specification
from coldcache.measure.model.calls import call
from coldcache.measure.model.monitor import Monitor
from coldcache.measure.model.place import Place

#: The pool in which Ceph finds a place for each object, over all targets; pool ``ostN`` is on target N alone.
SPREAD = "osts"
_GROUPS = 128

#: The beginning of the names of pools over the first targets: ``first2`` is on targets 1 and 2.
FIRST = "first"


def write_rules(specification: Specification) -> str:
    """Return the map by which Ceph places objects (CRUSH, text form): a rule per target, and one over all."""
    numbers = range(1, specification.targets + 1)
    lines = [f"device {number} osd.{number}" for number in range(specification.targets + 1)]
    lines += ["type 0 osd", "type 1 root", "root all {", "id -1", "alg straw2", "hash 0"]
    lines += [f"item osd.{number} weight 1.000" for number in numbers] + ["}"]
    for last in numbers[:-1]:
        lines += [f"root {FIRST}{last} {{", f"id {-1 - last}", "alg straw2", "hash 0"]
        lines += [f"item osd.{number} weight 1.000" for number in range(1, last + 1)] + ["}"]
    rules = {"mdt": "step take osd.0", **{f"ost{number}": f"step take osd.{number}" for number in numbers}}
    rules |= {f"{FIRST}{n}": f"step take {FIRST}{n}\nstep choose firstn 0 type osd" for n in numbers[:-1]}
    rules[SPREAD] = "step take all\nstep choose firstn 0 type osd"
    for number, (name, steps) in enumerate(rules.items()):
        lines += [f"rule {name} {{", f"id {number}", "type replicated", "min_size 1", "max_size 10", steps]
        lines += ["step emit", "}"]
    return "\n".join(lines) + "\n"


def make_pools(place: Place, specification: Specification, monitor: Monitor) -> None:
    """Make the pools and the file system."""
    text, binary = place.folder / "etc/crush.txt", place.folder / "etc/crush"
    text.write_text(write_rules(specification))
    call("crushtool", "-c", text, "-o", binary)
    monitor.order("osd setcrushmap", binary.read_bytes())
    monitor.order("osd set-require-min-compat-client", version="luminous")
    for flag in ("noout", "noscrub", "nodeep-scrub"):
        monitor.order("osd set", key=flag)
    numbers = range(1, specification.targets + 1)
    data = {**{f"ost{number}": 1 for number in numbers}, SPREAD: _GROUPS}
    for name, groups in {"metadata": 8, "mdt": 8, **data}.items():
        make_pool(monitor, name, groups, rule="mdt" if name == "metadata" else name)
    monitor.order("fs new", fs_name="pfs", metadata="metadata", data="mdt")
    for name in data:
        monitor.order("fs add_data_pool", fs_name="pfs", pool=name)
    monitor.order("fs set", fs_name="pfs", var="max_mds", val=str(specification.metadata_servers))


def ensure_first_pool(monitor: Monitor, targets: int) -> None:
    """Make the pool over the first targets, where it is missing."""
    name = f"{FIRST}{targets}"
    if name not in {pool["poolname"] for pool in monitor.order("osd lspools")}:
        make_pool(monitor, name, 16 * targets, rule=name)
        monitor.order("fs add_data_pool", fs_name="pfs", pool=name)


def make_pool(monitor: Monitor, name: str, groups: int, rule: str) -> None:
    """Make a pool of so many groups of objects, placed by a rule."""
    monitor.order("osd pool create", pool=name, pg_num=groups, pgp_num=groups, pool_type="replicated", rule=rule)


def count_active(monitor: Monitor) -> int:
    """Return how many metadata servers have a rank and serve it."""
    (system,) = monitor.order("fs dump")["filesystems"]
    return sum(server["state"] == "up:active" for server in system["mdsmap"]["info"].values())
