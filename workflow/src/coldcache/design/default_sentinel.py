"""The sentinel of a study that has none of its own, on a site that asks for one."""

from coldcache.design.site import Site
from coldcache.design.study import Sentinel, Study, Sweep

#: The sweep that it adds.
NAME = "sentinel"

#: Its tool.
TOOL = "fio"

_SWEEP = {
    "title": "Reads of 1 MiB from one file, repeated through the campaign",
    "tools": [TOOL],
    "operations": ["read"],
    "seconds": "1.2 s",
    "keeps_sizes": True,
    "factors": {
        "threads": [1],
        "transfer_size": ["1 MiB"],
        "file_layout": ["file-per-thread"],
        "file_size": {"aggregate": "64 MiB", "lasts": "1.2 s", "round": "down"},
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
    """
    if not site.sentinel or not is_installed or study.sentinel or NAME in study.sweeps:
        return study
    sweeps = {**study.sweeps, NAME: Sweep.model_validate(_SWEEP)}
    return study.model_copy(update={"sweeps": sweeps, "sentinel": Sentinel(sweep=NAME, every=50)})
