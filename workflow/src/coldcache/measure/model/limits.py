"""Limits of targets, metadata servers and links: put in force, and read back from the kernel."""

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from coldcache.core.yaml_models import explain
from coldcache.design.model.specification import CLIENT_VALUES, MODEL_LIMITS, Specification
from coldcache.measure.model.clients import read_client_value, remount_clients
from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.groups import VERSION, folder_of, write_limit
from coldcache.measure.model.network import limit_link, read_link
from coldcache.measure.model.place import Place, read_specification, write_specification

Value = TypeVar("Value")

#: What the kernel sends at most in one request by default, in KiB (BLK_DEF_MAX_SECTORS).
_LARGEST_REQUEST = 1280

_CACHES = {True: "write back", False: "write through"}


def limit_all(place: Place, specification: Specification) -> None:
    """Put every limit in force."""
    for target in range(1, specification.targets + 1):
        limit_target(place, specification, target)
    for server in range(specification.metadata_servers + specification.standby_servers):
        limit_metadata(place, server, specification.metadata_cpu)
    for node in range(1, specification.storage_nodes + 1):
        limit_link(place, f"oss{node}", specification.node_rate)
    for client in range(1, specification.clients + 1):
        limit_link(place, f"c{client}", specification.client_rate, specification.network_delay)


def limit_target(place: Place, specification: Specification, target: int) -> None:
    """Limit rates, number and size of the requests to a target's device, and say whether it has a write cache."""
    device = _number_of(place, target)
    rates = {"read": specification.target_rate, "write": specification.write_rate}
    iops = specification.target_iops
    folder = folder_of(place.name, "targets", "blkio")
    if VERSION == 1:
        for way, rate in rates.items():
            write_limit(folder / f"blkio.throttle.{way}_bps_device", f"{device} {round(rate or 0)}")
            write_limit(folder / f"blkio.throttle.{way}_iops_device", f"{device} {round(iops or 0)}")
    else:
        words = [f"{way[0]}bps={round(rate) if rate else 'max'}" for way, rate in rates.items()]
        words += [f"{way[0]}iops={round(iops) if iops else 'max'}" for way in rates]
        write_limit(folder / "io.max", f"{device} {' '.join(words)}")
    queue = _queue_of(place, target)
    write_limit(queue / "write_cache", _CACHES[specification.write_cache])
    size = specification.request_size
    write_limit(queue / "max_sectors_kb", str(_largest_request(queue) if size is None else size // 1024))


def read_target(place: Place, target: int) -> dict[str, float | bool | None]:
    """Return the limits of a target's device as the kernel has them: B/s, 1/s, B, and whether it has a write cache."""
    device = _number_of(place, target)
    folder = folder_of(place.name, "targets", "blkio")
    found: dict[str, float | bool | None] = {}
    for way in ("read", "write"):
        for unit, name in (("bps", "rate"), ("iops", "iops")):
            if VERSION == 1:
                lines = (folder / f"blkio.throttle.{way}_{unit}_device").read_text().splitlines()
                value = {line.split()[0]: line.split()[1] for line in lines}.get(device, "0")
            else:
                lines = (folder / "io.max").read_text().splitlines()
                words = next((line.split()[1:] for line in lines if line.split()[0] == device), [])
                value = dict(word.split("=") for word in words).get(f"{way[0]}{unit}", "max")
            found[f"{way}_{name}"] = None if value in ("0", "max") else float(value)
    queue = _queue_of(place, target)
    found["write_cache"] = (queue / "write_cache").read_text().strip() == _CACHES[True]
    size = int((queue / "max_sectors_kb").read_text())
    found["request_size"] = None if size == _largest_request(queue) else 1024.0 * size
    return found


def _largest_request(queue: Path) -> int:
    """Return the largest request of a device if nothing limits it, in KiB."""
    return min(_LARGEST_REQUEST, int((queue / "max_hw_sectors_kb").read_text()))


def limit_metadata(place: Place, server: int, share: float | None) -> None:
    """Limit the processor time of a metadata server to a share of one core.

    The period is the shortest in which the share is 1 ms or more: a server that has used its share waits for the next.
    """
    period, quota = 10_000, -1
    if share is not None:
        quota = round(share * period)
        if quota < 1000:
            quota, period = 1000, round(1000 / share)
    folder = folder_of(place.name, f"mds{server}", "cpu")
    if VERSION == 1:
        # The kernel refuses a period in which the quota before would be too large.
        write_limit(folder / "cpu.cfs_quota_us", "-1")
        write_limit(folder / "cpu.cfs_period_us", str(period))
        write_limit(folder / "cpu.cfs_quota_us", str(quota))
    else:
        write_limit(folder / "cpu.max", f"{'max' if quota < 0 else quota} {period}")


def read_metadata(place: Place, server: int) -> float | None:
    """Return the share of one core that the kernel grants a metadata server; None for no limit."""
    folder = folder_of(place.name, f"mds{server}", "cpu")
    if VERSION == 1:
        quota, period = ((folder / f"cpu.cfs_{key}_us").read_text().strip() for key in ("quota", "period"))
    else:
        quota, period = (folder / "cpu.max").read_text().split()
    return None if quota in ("-1", "max") else int(quota) / int(period)


def read_model_limits(place: Place) -> dict[str, object]:
    """Return every limit in force, by the keys of the specification, as kernel and clients report them.

    Raises
    ------
    ModelError
        If two targets, servers or links of one kind differ, or one cannot be read.
    """
    specification = read_specification(place)
    found: dict[str, object] = {}
    targets = {number: read_target(place, number) for number in range(1, specification.targets + 1)}
    only = _only("targets", targets)
    for key, name in (("target_rate", "read_rate"), ("target_iops", "read_iops")):
        found[key] = only[name]
    for key in ("write_cache", "write_rate", "request_size"):
        found[key] = only[key]
    servers = range(specification.metadata_servers + specification.standby_servers)
    found["metadata_cpu"] = _only("metadata servers", {n: read_metadata(place, n) for n in servers})
    nodes = {n: read_link(place, f"oss{n}") for n in range(1, specification.storage_nodes + 1)}
    found["node_rate"], _ = _only("storage nodes", nodes)
    links = {n: read_link(place, f"c{n}") for n in range(1, specification.clients + 1)}
    found["client_rate"], found["network_delay"] = _only("clients", links)
    found["client_cache"] = read_client_value(place, 1, "client_oc") == "true"
    for key, option in (
        ("client_cache_size", "client_oc_size"),
        ("client_dirty", "client_oc_max_dirty"),
        ("read_ahead", "client_readahead_max_bytes"),
    ):
        found[key] = int(read_client_value(place, 1, option))
    return found


def set_limit(place: Place, key: str, value: object) -> object:
    """Put one limit in force while the model is up; return it as it is read back.

    Raises
    ------
    ModelError
        If the key is no limit, its value is out of bounds, or another value is read back.
    """
    if key not in MODEL_LIMITS + CLIENT_VALUES:
        raise ModelError(
            f"{key} is no limit of a model that is up: choose one of {', '.join(MODEL_LIMITS + CLIENT_VALUES)}"
        )
    before = read_specification(place)
    try:
        specification = before.change(**{key: value})
    except ValidationError as error:
        raise ModelError(explain(error, {key: value})) from error
    write_specification(place, specification)
    try:
        if key in CLIENT_VALUES:
            remount_clients(place)
        else:
            limit_all(place, specification)
    except ModelError:
        write_specification(place, before)
        limit_all(place, before)
        raise
    found = read_model_limits(place)
    asked = {
        **specification.model_dump(), "write_rate": specification.write_rate, "client_dirty": specification.unwritten,
    }  # fmt: skip
    for name, read in found.items():
        if not is_same(asked[name], read):
            raise ModelError(f"{name}: {asked[name]} was set, {read} is in force")
    return found.get(key, value)


def is_same(asked: object, read: object) -> bool:
    """Test whether a value that was read back is the one that was asked for, but for the kernel's rounding of 1 %."""
    if isinstance(asked, bool) or asked is None or read is None:
        return asked == read
    return abs(float(str(asked)) - float(str(read))) <= 0.01 * float(str(asked))


def _only(what: str, values: dict[int, Value]) -> Value:
    first, *others = values.values()
    if any(other != first for other in others):
        raise ModelError(f"{what} have different limits: {values}; set the limit again")
    return first


def _number_of(place: Place, target: int) -> str:
    return (Path("/sys/class/block") / place.device_of(target).name / "dev").read_text().strip()


def _queue_of(place: Place, target: int) -> Path:
    return Path("/sys/class/block") / place.device_of(target).name / "queue"
