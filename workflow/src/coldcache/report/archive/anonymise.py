"""Replace names in every file of a campaign, and search an archive to prove that none is left."""

import html
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

from coldcache.campaign.seal import SUMS, is_sealed, raw_files, write_sums
from coldcache.core.errors import ColdCacheError
from coldcache.core.program_files import PROGRAM
from coldcache.dataset.reader import open_records
from coldcache.report.archive.file_texts import IMAGE, FilePart, is_packed, list_parts
from coldcache.report.archive.identities import Identity

#: Text that is never replaced: names of the kernel, which a host may share, and images in base64. A name with a dot,
#: such as vm.site.org, goes before it.
_KEPT = rb"/proc/sys/[\w/]*|(?<![\w.])vm\.[a-z_]+|" + IMAGE

#: Where a path begins: not within a longer one, but after an option such as -F or a line break in JSON.
_AT_START = rb"(?:(?<![\w.~-])|(?<=-[A-Za-z])|(?<=\\[nrt]))"

#: Packages whose files a report copies unchanged.
_STYLES = ("sphinx", "pydata_sphinx_theme", "myst_nb")

#: Sphinx writes this file only from names of colours.
_COLOURS = "report/_static/pygments.css"

#: Sphinx's word list of all pages. The pages are searched themselves; the list splits names of the kernel.
_WORD_LIST = "report/searchindex.js"

#: Packed bytes are searched only for names of at least this length. A gigabyte contains a given word of six letters,
#: in any case, by chance in one of 4,000 archives (1e9 (2 / 256)^6 = 2.3e-4); a word of two letters 61,000 times.
_LONG = 6

#: Columns of records that must be the same in the anonymised logs.
_STATED = ["repetition", "operation", "metric", "statistic", "value", "unit", "verdict", "codes", "cold", "length"]


class AnonymityError(ColdCacheError):
    """A name that cannot be replaced without changing values in logs, or that is left."""


def make_replacer(identities: Sequence[Identity]) -> Callable[[bytes], bytes]:
    """Return a function that replaces every name in some bytes, encoded as UTF-8 or escaped in JSON."""
    written = {form: identity for identity in identities for form in _forms_in_files(identity.name)}
    pattern = _pattern(sorted(written, key=len, reverse=True), written)
    by_lower_case = {form.lower(): identity.replacement.encode() for form, identity in written.items()}

    def replace(match: re.Match[bytes]) -> bytes:
        return by_lower_case.get(match[0].lower(), match[0])

    return lambda text: pattern.sub(replace, text)


def _forms_in_files(name: str) -> set[bytes]:
    return {name.encode(), json.dumps(name)[1:-1].encode()}


def _pattern(forms: Sequence[bytes], identities: dict[bytes, Identity]) -> re.Pattern[bytes]:
    """Return a pattern for names as whole words, and for paths whatever follows them."""
    dotted: list[bytes] = []
    plain: list[bytes] = []
    for form in forms:
        if identities[form].kind == "path":
            start = _AT_START if identities[form].name.count("/") == 1 else b""
            part = start + re.escape(form) + rb"(?![\w])"
        else:
            part = rb"(?i:(?<![A-Za-z0-9])" + re.escape(form) + rb"(?![A-Za-z0-9]))"
        (dotted if b"." in form else plain).append(part)
    return re.compile(b"|".join([*dotted, _KEPT, *plain]))


def anonymise(folder: Path, target: Path, identities: Sequence[Identity]) -> None:
    """Copy a campaign's raw files with every name replaced in contents and file names, and renew its seal."""
    replace = make_replacer(identities)
    for path in raw_files(folder):
        copy = target / replace(str(path.relative_to(folder)).encode()).decode()
        copy.parent.mkdir(parents=True, exist_ok=True)
        _write_replaced(path.read_bytes(), copy, replace)
    if is_sealed(folder):
        write_sums(target)


def replace_in_place(folders: Iterable[Path], identities: Sequence[Identity]) -> None:
    """Replace every name in the files of some folders of an archive."""
    if identities:
        replace = make_replacer(identities)
        for path in (path for folder in folders for path in folder.rglob("*") if path.is_file()):
            _write_replaced(path.read_bytes(), path, replace)


def _write_replaced(content: bytes, path: Path, replace: Callable[[bytes], bytes]) -> None:
    path.write_bytes(content if is_packed(content) else replace(content))


def check_records(before: Path, after: Path, raw: Path, identities: Sequence[Identity]) -> int:
    """Check that anonymised logs state the same values as the originals, and return the number of records.

    Parameters
    ----------
    before, after : Path
        The `dataset.nc` of the original and of the anonymised campaign.
    raw : Path
        The anonymised raw files that the records of `after` refer to.
    identities : sequence of Identity
        The replaced names.

    Raises
    ------
    AnonymityError
        If a value differs, or the bytes of a record are not the number that it states.
    """
    old, new = open_records(before), open_records(after)
    if len(old) != len(new) or not old[_STATED].equals(new[_STATED]):
        words = ", ".join(f'"{identity.name}"' for identity in identities if identity.kind != "path")
        raise AnonymityError(
            f"replacing names changes values in the logs: one of {words} may also be a word of the logs, or "
            f"{before} may be older than they are"
        )
    for log, rows in new[new.offset >= 0].groupby("log"):
        text = (raw / str(log)).read_bytes()
        for offset, length, printed in zip(rows.offset, rows.length, rows.printed, strict=True):
            number = text[offset : offset + length].decode("utf-8", "replace")
            if number not in printed:
                raise AnonymityError(f"{log}: {number!r} is where {printed!r} should be; nothing is written")
    return len(new)


def search(archive: Path, identities: Sequence[Identity]) -> tuple[int, int]:
    """Search an archive for names: text for every name, and packed bytes for long names.

    Files of the program and of the site's style are skipped if they equal the installed ones byte for byte.

    Returns
    -------
    int
        Number of files searched.
    int
        Number of files skipped.

    Raises
    ------
    AnonymityError
        If a name is left; the message says which and where.
    """
    forms = {form: identity for identity in identities for form in _forms_anywhere(identity.name)}
    find_any = _make_finder(forms)
    find_long = _make_finder({form: identity for form, identity in forms.items() if len(form) >= _LONG})
    installed = _list_installed()
    searched = left_out = 0
    with zipfile.ZipFile(archive) as packed:
        for entry in packed.infolist():
            content, parts = packed.read(entry), [FilePart(entry.filename.encode(), is_said=True)]
            if sha256(content).digest() in installed or entry.filename.endswith(_COLOURS):
                left_out += 1
            else:
                searched += 1
                parts += [FilePart(content, False)] if entry.filename.endswith(_WORD_LIST) else list_parts(content)
            for part in parts:
                if name := (find_any if part.is_said else find_long)(part.text):
                    raise AnonymityError(f"{entry.filename} still contains {name!r}; nothing is written")
    return searched, left_out


def _make_finder(forms: dict[bytes, Identity]) -> Callable[[bytes], str | None]:
    """Return a function that finds the first name in a text, or None; names of the kernel do not count."""
    pattern = _pattern(sorted(forms, key=len, reverse=True), forms)
    names = {form.lower() for form in forms}

    def find(text: bytes) -> str | None:
        return next((match[0].decode() for match in pattern.finditer(text) if match[0].lower() in names), None)

    return find


def _forms_anywhere(name: str) -> set[bytes]:
    encoded = {form.encode() for form in (html.escape(name), quote(name), quote(name, safe=""))}
    return _forms_in_files(name) | encoded | {name.encode("utf-16-le"), name.encode("utf-16-be")}


def _list_installed() -> set[bytes]:
    """Return the checksums of this program's files, and of those that a report copies unchanged."""
    folders = [PROGRAM / name for name in ("workflow", "envs", "profiles", "slurm", "docs")]
    specs: list[Any] = [find_spec(name) for name in _STYLES]
    folders += [Path(spec.submodule_search_locations[0]) for spec in specs if spec]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    files += [
        path for path in PROGRAM.iterdir() if path.is_file() and path.suffix in (".md", ".toml", ".cff", ".yml", "")
    ]
    files += [path for path in (PROGRAM / "config/published").glob("*") if path.is_file()]
    return {sha256(path.read_bytes()).digest() for path in files if path.name != SUMS}
