"""`python -m coldcache check`: print what a campaign can do on a site, and why the rest is not possible."""

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, get_args

from coldcache.core.errors import DesignError, TargetError, ToolError
from coldcache.core.units import show_bytes
from coldcache.core.vocabulary import SETTINGS
from coldcache.design.site import Cold, Site, read_site
from coldcache.design.study import ColdMethod
from coldcache.measure.cluster.check import check_in_job, check_nodes, needs_job
from coldcache.measure.cold import why_not_cold
from coldcache.measure.host.counters import choose_counters, read_counters
from coldcache.measure.host.environment_modules import list_loaded, load_modules
from coldcache.measure.host.mounts import Mount, count_free_inodes, find_mount
from coldcache.measure.host.page_cache import evict, measure_residency
from coldcache.measure.host.sudo import why_no_root
from coldcache.measure.lease import find_holder
from coldcache.measure.settings.block import is_left
from coldcache.measure.settings.registry import why_not
from coldcache.measure.target import LOCK, WORK, check_target, takes_direct_io
from coldcache.tools import TOOLS, find_tool
from coldcache.tools.programs import HELPERS
from coldcache.workflow.colours import print_line
from coldcache.workflow.configuration import SITES, complete, required

#: Size of the unnamed file that tests eviction, in B.
_PROBE = 2**20


class CheckResult(NamedTuple):
    """Whether a site offers something that a campaign may need, and why not, or by what means."""

    what: str
    possible: bool
    why: str

    def line(self) -> str:
        """Return the result as one line of text."""
        return f"{'yes' if self.possible else 'no ':3}  {self.what:26}  {self.why}".rstrip()


def print_check(name: str | None, target: str | None) -> int:
    """Print what is possible on a site; what is None is as `config/config.yaml` has it. Leave nothing behind.

    Parameters
    ----------
    name : str or None
        The site's id.
    target : str or None
        A folder to check instead of the site's; empty for the site's.

    Returns
    -------
    int
        0 if something can be measured, else 1.

    Raises
    ------
    DesignError
        If the site or `config/config.yaml` cannot be read.
    """
    chosen = complete({"site": name, "target": target})
    name, target = required(chosen, "site"), chosen.get("target") or ""
    site = read_site(SITES, name, target)
    if needs_job(site.clients):
        return check_in_job(site.clients, [name, "--target", target])
    usable = [*_check_target(site), *_check_modules(site)]
    tools = [_check_tool(tool) for tool in TOOLS]
    if site.clients.launcher != "local" and usable[0].possible:
        programs = [tool.TRAITS.program.name for tool in TOOLS.values()]
        usable += [CheckResult(*result) for result in check_nodes(site.clients, _existing(site), programs)]
    for finding in [*usable, *_check_cold(site), *_check_settings(site), *tools]:
        print_line(finding.line(), (r"^yes", "green"), (r"^no ", "bold red"))
    return 0 if all(finding.possible for finding in usable) and any(finding.possible for finding in tools) else 1


def _check_modules(site: Site) -> Iterator[CheckResult]:
    """Load the environment modules of a site, which the tools need."""
    if not site.clients.modules:
        return
    try:
        load_modules(site.clients.modules)
    except DesignError as error:
        yield CheckResult("environment modules", False, str(error))
    else:
        yield CheckResult("environment modules", True, ", ".join(list_loaded()))


def _existing(site: Site) -> Path:
    folder = Path(site.target.path).absolute()
    while not folder.is_dir():
        folder = folder.parent
    return folder


def _check_target(site: Site) -> Iterator[CheckResult]:
    """Yield the results that decide whether the target can be measured at all."""
    try:
        check_target(site, [])
        status = os.statvfs(_existing(site))
        free = show_bytes(status.f_bavail * status.f_frsize)
        count = count_free_inodes(status)
        inodes = "" if count is None else f", {count:,} inodes"
        yield CheckResult(
            "target", True, f"{site.target.path}, {_describe_mount(find_mount(_existing(site)))}; {free}{inodes} free"
        )
    except TargetError as error:
        yield CheckResult("target", False, str(error))
    work = Path(site.target.path).absolute() / WORK
    yield _check_lock(work)
    if is_left(work):
        yield CheckResult(
            "settings as before", True, "a killed run left some changed; the next start puts them back first"
        )


def _describe_mount(mount: Mount) -> str:
    return f"{mount.filesystem} on {mount.source}"


def _check_lock(work: Path) -> CheckResult:
    holder = find_holder(work)
    if holder:
        return CheckResult("lock", False, f"the target is held by {holder}")
    try:
        descriptor = os.open(work / LOCK, os.O_RDONLY)
    except OSError:
        return CheckResult("lock", True, "nobody measures the target")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(descriptor, 512, 0).decode(errors="replace").strip("\0 ")
        return CheckResult("lock", False, f"the target is being measured by {owner}")
    finally:
        os.close(descriptor)
    return CheckResult("lock", True, "nobody measures the target")


def _check_cold(site: Site) -> Iterator[CheckResult]:
    folder = _existing(site)
    direct = takes_direct_io(folder)
    yield CheckResult("direct I/O", direct, "" if direct else "the file system takes no O_DIRECT")
    evicted = _why_not_evicted(folder)
    yield CheckResult("cold by eviction", not evicted, evicted or "")
    for method in get_args(ColdMethod):
        if method in ("drop-caches", "remount"):
            reason = why_not_cold(Cold(method=method), folder)
            yield CheckResult(f"cold by {method}", not reason, reason or "")
    if site.cold.commands:
        reason = why_not_cold(site.cold, folder)
        yield CheckResult("cold by commands", not reason, reason or " ".join(site.cold.commands[0]))
    mount = find_mount(folder)
    counters = choose_counters(mount, site.target.network)
    counted = read_counters(counters) is not None and not counters.doubt
    lack = counters.doubt or counters.why_not
    why = f"{counters.kind} of {mount.source}" if counted else f"{lack}; no read is proved cold"
    yield CheckResult(f"counters of the {counters.crossing}", counted, why)


def _why_not_evicted(folder: Path) -> str | None:
    """Return why the pages of a file cannot be evicted, tried on an unnamed file; None if they can."""
    try:
        descriptor = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o600)
    except OSError as error:
        return f"eviction cannot be tested on an unnamed file: {error.strerror}"
    try:
        os.write(descriptor, bytes(_PROBE))
        os.fsync(descriptor)
        probe = Path(f"/proc/self/fd/{descriptor}")
        evict([probe])
        left = measure_residency([probe])
    except OSError as error:
        return str(error.strerror)
    finally:
        os.close(descriptor)
    return f"{show_bytes(left.resident)} of {show_bytes(left.bytes)} stay in memory" if left.resident else None


def _check_settings(site: Site) -> Iterator[CheckResult]:
    for program, setting in SETTINGS.items():
        try:
            yield CheckResult(f"{setting.factor} by {program}", True, HELPERS[program].require())
        except ToolError as error:
            yield CheckResult(f"{setting.factor} by {program}", False, str(error))
    for factor, kind in site.settings.items():
        reason = why_not(kind, _existing(site))
        yield CheckResult(f"{factor} by the site", not reason, reason or f"{kind.kind}")
    reason = why_no_root()
    yield CheckResult("root", not reason, reason or "")


def _check_tool(name: str) -> CheckResult:
    try:
        return CheckResult(name, True, str(find_tool(name).version()))
    except ToolError as error:
        return CheckResult(name, False, str(error))
