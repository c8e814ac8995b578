"""The sentinel of a study that has none of its own, on a site that asks for one."""

from coldcache.core.errors import DesignError
from coldcache.core.units import parse_bytes, parse_seconds, show_bytes
from coldcache.core.yaml_mistakes import name_place
from coldcache.design.site import SITES, Site
from coldcache.design.study import Sentinel, Study, Sweep

#: The sweep that it adds.
NAME = "sentinel"

#: Its tool.
TOOL = "fio"

#: What it keeps on the target, and how long it reads.
_SIZE, _SECONDS = "64 MiB", "1.2 s"

_SWEEP = {
    "title": "Reads of 1 MiB from one file, repeated through the campaign",
    "tools": [TOOL],
    "operations": ["read"],
    "seconds": _SECONDS,
    "keeps_sizes": True,
    "factors": {
        "threads": [1],
        "transfer_size": ["1 MiB"],
        "file_layout": ["file-per-thread"],
        "file_size": {"aggregate": _SIZE, "lasts": _SECONDS, "round": "down"},
        "direct_io": ["where-possible"],
    },
}


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
        If the limits of the site, which bind a study that does not scale, leave no room for it.
    """
    if not site.sentinel or not is_installed or study.sentinel or NAME in study.sweeps:
        return study
    if study.scale == "fixed":
        _refuse_no_room(site)
    sweeps = {**study.sweeps, NAME: Sweep.model_validate(_SWEEP)}
    return study.model_copy(update={"sweeps": sweeps, "sentinel": Sentinel(sweep=NAME, every=50)})


def _refuse_no_room(site: Site) -> None:
    limits, short = site.limits, ""
    if parse_bytes(_SIZE) > limits.bytes:
        short = f"its file has {_SIZE}, limits.bytes allows {show_bytes(limits.bytes)}"
    elif parse_seconds(_SECONDS) >= limits.seconds:
        short = f"it reads for {_SECONDS}, limits.seconds ends it after {limits.seconds:g} s"
    if short:
        cause = f"sentinel: {short}: raise it, or set sentinel to false"
        raise DesignError(name_place(SITES / f"{site.site}.yaml", cause))
