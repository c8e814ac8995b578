"""The sentinel of a study that has none of its own, on a site that asks for one."""

from coldcache.core.errors import DesignError
from coldcache.core.units import parse_bytes, parse_seconds, show_bytes, state_bytes
from coldcache.core.yaml_mistakes import name_place
from coldcache.design.site import SITES, Site
from coldcache.design.study import Sentinel, Study, Sweep

#: The sweep that it adds.
NAME = "sentinel"

#: Its tool.
TOOL = "fio"

#: What it keeps on the target, what it reads at a time, and how long it reads.
_SIZE, _TRANSFER, _SECONDS = "64 MiB", "1 MiB", "1.2 s"


def with_sentinel(study: Study, site: Site, *, is_installed: bool) -> Study:
    """Return a study with a sentinel if its site asks for one; a study that has one keeps it.

    Parameters
    ----------
    study : Study
        A study of a single case has nothing to watch over, and stays as it is.
    site : Site
        Where it runs.
    is_installed : bool
        Whether the sentinel's tool is installed.

    Raises
    ------
    DesignError
        If the limits of the site leave no room for it. Where a study scales down, its file does, too, to one transfer.
    """
    if not site.sentinel or not is_installed or study.sentinel or NAME in study.sweeps:
        return study
    scales, size = study.scale == "site", _SIZE
    if scales and site.limits.bytes < parse_bytes(_SIZE):
        whole = site.limits.bytes // parse_bytes(_TRANSFER)
        size = state_bytes(max(1, whole) * parse_bytes(_TRANSFER))
    _refuse_no_room(site, size, minds_seconds=not scales)
    sweeps = {**study.sweeps, NAME: _make_sweep(size)}
    return study.model_copy(update={"sweeps": sweeps, "sentinel": Sentinel(sweep=NAME, every=50)})


def _make_sweep(size: str) -> Sweep:
    factors = {
        "threads": [1],
        "transfer_size": [_TRANSFER],
        "file_layout": ["file-per-thread"],
        "file_size": {"aggregate": size, "lasts": _SECONDS, "round": "down"},
        "direct_io": ["where-possible"],
    }
    stated = {
        "title": "Reads of 1 MiB from one file, repeated through the campaign",
        "tools": [TOOL],
        "operations": ["read"],
        "seconds": _SECONDS,
        "keeps_sizes": True,
        "factors": factors,
    }
    return Sweep.model_validate(stated)


def _refuse_no_room(site: Site, size: str, *, minds_seconds: bool) -> None:
    limits, short = site.limits, ""
    if parse_bytes(size) > limits.bytes:
        short = f"its file has {size}, limits.bytes allows {show_bytes(limits.bytes)}"
    elif minds_seconds and parse_seconds(_SECONDS) >= limits.seconds:
        short = f"it reads for {_SECONDS}, limits.seconds ends it after {limits.seconds:g} s"
    if short:
        cause = f"sentinel: {short}: raise it, or set sentinel to false"
        raise DesignError(name_place(SITES / f"{site.site}.yaml", cause))
