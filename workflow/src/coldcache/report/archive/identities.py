"""Find identities in a campaign's files: names of hosts and users, addresses and paths."""

import getpass
import ipaddress
import platform
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from coldcache.campaign.campaign import Campaign, read_hosts
from coldcache.campaign.seal import raw_files
from coldcache.campaign.trial_json import read_descriptions
from coldcache.design.settings import nfs_guest

IDENTITY_KINDS = ("path", "address", "host", "user", "word")

#: Names that identify nobody.
_COMMON = {"root", "localhost", "localdomain", "localhost.localdomain", "user", "nobody", "unknown", ""}
_SYSTEM = re.compile(r"/(usr|bin|sbin|lib|lib64|etc|proc|sys|dev|run|opt)(/|$)")
#: Folders that many systems have, and the guest's.
_COMMON_FOLDERS = {
    *("", "/mnt", "/scratch", "/tmp", "/home", "/root", "/data", "/srv", "/dev", "/dev/shm", "/opt", "/run", "/usr"),
    *("/var", nfs_guest.FOLDER),
}
#: Names of logical volumes that many systems have, which may also be words of the logs.
_COMMON_VOLUMES = {"control", "data", "scratch", "home", "swap", "tmp", "var", "test", "cache", "target", "storage"}
_OWN_ADDRESSES = {"127.0.0.1", "0.0.0.0", "::1", "::"}

_ADDRESS = re.compile(
    rb"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\w|\.\w)|(?<![\w.:])"
    rb"(?:(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}|[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:[0-9A-Fa-f.:]*)(?![\w.:])"
)
_PATH = re.compile(
    rb"(?<![\w.<~])(/(?:[\w.+@%\x80-\xff-]+/)+)[\w.+@%*\x80-\xff-]*|(?<![\w.<~/])(/[\w.+@%\x80-\xff-]+/[\w.+@%\x80-\xff-]+)"
)
#: A network of Lustre, which follows the address of a server: 10.1.2.3@tcp1.
_NETWORK = rb"(?:tcp|o2ib|gni|kfi)\d*"

_HOSTS = (
    re.compile(rb'"hostname"\s*:\s*"([^"]+)"'),
    re.compile(rb"^Machine\s*:\s*\w+ (\S+)", re.MULTILINE),
    re.compile(rb"^hostname=([^,\s]+), be=", re.MULTILINE),
    re.compile(rb"^<([^<>\s]+)> [^\n]*: \(g=\d+\)", re.MULTILINE),
    re.compile(rb"^Linux (\S+) \d+\.\d+", re.MULTILINE),
    re.compile(rb"(?<![\w.])[a-z_][\w.-]*@(?!" + _NETWORK + rb"\b)([A-Za-z][\w.-]*[A-Za-z0-9])"),
    re.compile(rb"(?<![\w./@-])([A-Za-z][\w-]*(?:\.[\w-]+)*):/[\w]"),
)

#: A server in the source of a mount, such as //nas7.site.org/share, gate:/export or mgs1@tcp,mgs2@tcp:/lus.
_SERVER = re.compile(r"(?<![\w.@#-])([A-Za-z][\w.-]*)(?:@" + _NETWORK.decode() + r")?(?=[:,/]|$)")

_USERS = (
    re.compile(rb"/(?:home|Users|users|u)/([A-Za-z_][\w.-]*)"),
    re.compile(rb"(?<![\w.])([a-z_][\w.-]*)@[A-Za-z][\w.-]*"),
)

#: Shortest name to take from a log, as shorter ones may be units or flags; recorded names may be shorter.
_SHORTEST = 3


class Identity(NamedTuple):
    """A name and its replacement."""

    kind: str
    name: str
    replacement: str


def find_identities(campaign: Campaign, folder: Path, hidden: Sequence[str] = ()) -> list[Identity]:
    """Return every name to replace in a campaign, the longest first.

    Parameters
    ----------
    campaign : Campaign
        Its design.
    folder : Path
        Its raw files, which are all searched.
    hidden : sequence of str
        Other words to replace.
    """
    found: dict[str, dict[str, None]] = {
        kind: dict.fromkeys(hidden if kind == "word" else ()) for kind in IDENTITY_KINDS
    }
    found["host"] |= dict.fromkeys(_names_of_host(platform.node()))
    stated = [*campaign.site.clients.hosts, *read_hosts(folder)]
    found["host"] |= dict.fromkeys(name for host in stated for name in _names_of_host(host))
    # A user that the system does not know has no name; Python raises KeyError up to 3.12.
    with suppress(KeyError, OSError):
        found["user"][getpass.getuser()] = None
    for system, _ in read_descriptions(folder):
        found["host"] |= dict.fromkeys(_names_of_host(system.get("host", "")))
    sources = list(_list_recorded(campaign, folder, "source"))
    found["path"] |= dict.fromkeys(_keep_clients(campaign, _list_paths(campaign, folder, sources)))
    for source in sources:
        found["host"] |= dict.fromkeys(name for host in _list_servers(source) for name in _names_of_host(host))
        if (volume := source.removeprefix("/dev/mapper/")) not in (source, *_COMMON_VOLUMES):
            found["word"][volume] = None
    for path in raw_files(folder):
        text = str(path.relative_to(folder)).encode() + b"\n" + path.read_bytes()
        found["address"] |= dict.fromkeys(_list_addresses(text))
        for kind, patterns in (("host", _HOSTS), ("user", _USERS)):
            names = (match[1].decode("utf-8", "replace") for pattern in patterns for match in pattern.finditer(text))
            found[kind] |= dict.fromkeys(name for name in names if len(name) >= _SHORTEST and "." not in name[-1:])
    return _number(found)


def _names_of_host(name: str) -> Iterator[str]:
    """Yield a host's full name and its first label."""
    yield name
    if "." in name and not name[0].isdigit():
        yield name.partition(".")[0]


def _list_servers(source: str) -> list[str]:
    """Return the servers that the source of a mount names; a device or a kind of file system names none."""
    if source.startswith("//"):
        return _SERVER.findall(source[2:].partition("/")[0])
    servers, colon, _ = source.partition(":/")
    return _SERVER.findall(servers) if colon and not servers.startswith("/") else []


def _list_addresses(text: bytes) -> Iterator[str]:
    for match in _ADDRESS.finditer(text):
        address = match[0].decode()
        if re.fullmatch(r"(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}", address):
            yield address
            continue
        try:
            ipaddress.ip_address(address)
        except ValueError:
            continue
        if address not in _OWN_ADDRESSES:
            yield address


def _list_paths(campaign: Campaign, folder: Path, sources: Iterable[str]) -> Iterator[str]:
    """Yield the folders that the design and the trials name, and those of paths in logs."""
    stated = [name for key in ("path", "mount_point") for name in _list_recorded(campaign, folder, key)]
    stated += [study.origin.folder for study in campaign.foreign]
    for source in sources:
        # A share is a path as a whole; of other sources, what the server exports is one.
        stated.append(source if source.startswith("//") else source[source.find(":/") + 1 :] if ":/" in source else "")
    here = [str(Path.cwd())]
    with suppress(RuntimeError):
        here.append(str(Path.home()))
    stated += [name for name in here if name.count("/") > 1 and not _is_system(name)]
    own = {name.rstrip("/") for name in stated if name.startswith("/")} - _COMMON_FOLDERS
    yield from own
    for path in raw_files(folder):
        for match in _PATH.finditer(path.read_bytes()):
            name = (match[1] or match[2]).decode("utf-8", "replace").rstrip("/")
            if name.count("/") > 1 and not _is_system(name) and not _is_below(name, own):
                yield name


def _keep_clients(campaign: Campaign, paths: Iterable[str]) -> Iterator[str]:
    """Yield paths, with the folder of the site's scale model for those in it: its clients are known by their names."""
    model = Path(campaign.site.target.path).parents[1] if campaign.site.model else None
    for path in paths:
        if model is None or not Path(path).is_relative_to(model):
            yield path
        elif str(model) not in _COMMON_FOLDERS:
            yield str(model)


def _list_recorded(campaign: Campaign, folder: Path, key: str) -> dict[str, None]:
    """Return what the design and the trials state of the target, each once."""
    recorded = [target.get(key) for _, target in read_descriptions(folder)]
    stated = [getattr(campaign.site.target, key), *recorded]
    return dict.fromkeys(name for name in stated if isinstance(name, str))


def _is_system(name: str) -> bool:
    return bool(_SYSTEM.match(name))


def _is_below(name: str, folders: Iterable[str]) -> bool:
    """Return whether the program created a folder below one that is replaced already."""
    return any(name == folder or name.startswith(f"{folder}/coldcache") for folder in folders)


def _number(found: dict[str, dict[str, None]]) -> list[Identity]:
    """Return names with their replacements, numbered by kind in the order found."""
    replacements: dict[str, str] = {}
    identities = []
    for kind in IDENTITY_KINDS:
        names = [name for name in found[kind] if name.lower() not in _COMMON | replacements.keys()]
        numbered: dict[str, str] = {}
        for name in sorted(names) if kind == "path" else names:
            # A host with and without its domain is the same host.
            key = name.lower().partition(".")[0] if kind == "host" and not name[0].isdigit() else name
            word = "/anonymous/path" if kind == "path" else kind
            replacement = numbered.setdefault(key, f"{word}-{len(numbered) + 1}")
            if replacements.setdefault(name.lower(), replacement) is replacement:
                identities.append(Identity(kind, name, replacement))
    return sorted(identities, key=lambda identity: (-len(identity.name), identity.name))
