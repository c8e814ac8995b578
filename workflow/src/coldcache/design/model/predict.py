"""What a sweep should give by the model's limits alone, before anything is measured.

Every figure follows from one rule: work lasts as long as the part that has the most of it to do. The parts are targets,
the links of storage nodes and of clients, and the processors of metadata servers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from coldcache.design.model.specification import Specification
from coldcache.design.model.stripes import Layout, deal_stripes
from coldcache.design.settings.model import ModelSetting, split_levels

Direction = Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class Prediction:
    """A rate in B/s or 1/s, and the part that bounds it; None where no limit does."""

    rate: float | None
    bound: str


def predict_throughput(
    specification: Specification,
    threads: int,
    layout: Layout,
    direction: Direction,
    clients: int | None = None,
    *,
    shared: bool = False,
    direct: int | None = None,
) -> Prediction:
    """Return the throughput of threads that move as much each.

    Parameters
    ----------
    specification : Specification
        The model's limits.
    threads : int
        Dealt out over the clients in turns.
    layout : Layout
        The stripes of the files, dealt out over the targets as `deal_stripes` does.
    direction : {"read", "write"}
        Which limit of a target counts.
    clients : int, optional
        How many of the clients take part; all by default.
    shared : bool
        Whether all threads share one file; else each has one of its own.
    direct : int, optional
        B of each transfer where these bypass the clients' caches, so that a thread has no more under way.

    Returns
    -------
    Prediction
        All bytes over the time until the last thread ends, in B/s.

    Notes
    -----
    With t threads of s stripes over N targets and a rate r of each, the target with the most stripes has
    m = ceil(t s / N) of them, and the throughput is t s r / m: it rises with the threads until t s = N, and is at N r
    whenever N divides t s. A thread that reads has `read_ahead` bytes under way, and so at most as many stripes; past
    the caches it has one transfer under way.
    """
    used = clients or specification.clients
    ahead = layout.stripe_count
    if direct is not None or direction == "read":
        ahead = min(ahead, max(1, (direct or specification.read_ahead) // layout.stripe_size))
    load: dict[str, float] = {}
    places = deal_stripes(1, layout) * threads if shared else deal_stripes(threads, layout)
    for thread, targets in enumerate(places):
        _add(load, f"link of client c{thread % used + 1}", 1.0)
        for target in targets:
            share = 1 / len(targets)
            _add(load, f"target {target}", share)
            _add(load, f"link of storage node {specification.node_of(target)}", share)
    target_rate = specification.target_rate if direction == "read" else specification.write_rate
    if ahead < layout.stripe_count:
        load["what a thread has under way"] = 1 / ahead
    rates = {"target": target_rate, "what": target_rate, "link of client": specification.client_rate}
    rates["link of storage node"] = specification.node_rate
    return _bound(load, rates, float(threads))


def predict_requests(
    specification: Specification, threads: int, layout: Layout, direction: Direction, request_size: int
) -> Prediction:
    """Return how many requests per second threads get that read or write at random places, past every cache.

    Parameters
    ----------
    specification : Specification
        The model's limits.
    threads : int
        Each has one request under way.
    layout : Layout
        The stripes of the files.
    direction : {"read", "write"}
        Which limit of a target counts.
    request_size : int
        B, at most one stripe, so that each request goes to one target.

    Returns
    -------
    Prediction
        In 1/s; an upper bound, as a thread that waits leaves its target idle.
    """
    targets = {target for stripes in deal_stripes(threads, layout) for target in stripes}
    busy = min(len(targets), threads)
    rate = specification.target_rate if direction == "read" else specification.write_rate
    bounds = {
        "requests of the targets": None if specification.target_iops is None else specification.target_iops * busy,
        "rate of the targets": None if rate is None else rate * busy / request_size,
        "delay of the network": (threads / (2 * specification.network_delay) if specification.network_delay else None),
    }
    return _lowest(bounds)


def predict_case(
    specification: Specification, settings: Mapping[str, ModelSetting], operation: str, levels: Mapping[str, Any]
) -> Prediction:
    """Return what a case of a sweep should give: transfers in B/s, random ones past the caches in 1/s.

    Parameters
    ----------
    specification : Specification
        The model's limits where no factor changes them.
    settings : mapping
        What the levels of a factor change.
    operation : str
        ``write``, ``read``, ``random-write`` or ``random-read``; others have no prediction.
    levels : mapping
        The level of each factor of the case.
    """
    direction: Direction
    if operation in ("write", "random-write"):
        direction = "write"
    elif operation in ("read", "random-read"):
        direction = "read"
    else:
        return _lowest({})
    stated, changed = split_levels(settings, levels)
    layout = {"targets": specification.targets, **stated}
    threads, clients = int(levels.get("threads", 1)), int(levels["nodes"]) if "nodes" in levels else None
    shared = levels.get("file_layout") == "shared-file"
    if shared and len(layout) == 1 and layout["targets"] == specification.targets:
        # A file that all share lies on all targets where no factor says otherwise.
        layout["stripe_count"] = specification.targets
    direct = int(levels["transfer_size"]) if levels.get("direct_io") and "transfer_size" in levels else None
    if operation.startswith("random"):
        changed_model = specification.change(**changed)
        return predict_requests(changed_model, threads, Layout(**layout), direction, direct) if direct else _lowest({})
    return predict_throughput(
        specification.change(**changed), threads, Layout(**layout), direction, clients, shared=shared, direct=direct
    )


def _add(load: dict[str, float], part: str, share: float) -> None:
    load[part] = load.get(part, 0.0) + share


def _bound(load: dict[str, float], rates: dict[str, float | None], work: float) -> Prediction:
    bounds: dict[str, float | None] = {}
    for part, share in load.items():
        rate = next(rate for kind, rate in rates.items() if part.startswith(kind))
        bounds[part] = None if rate is None else work / share * rate
    return _lowest(bounds)


def _lowest(bounds: dict[str, float | None]) -> Prediction:
    known = {part: rate for part, rate in bounds.items() if rate is not None}
    if not known:
        return Prediction(None, "nothing but the machine")
    part = min(known, key=lambda part: known[part])
    return Prediction(known[part], part)
