"""Names replaced in every byte of a campaign, and a search through an archive that proves that none is left."""

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
from coldcache.dataset.reader import open_records
from coldcache.report.archive.file_texts import IMAGE, FilePart, is_packed, list_parts
from coldcache.report.archive.identities import Identity

#: What is no name: those of the kernel, which a host's may equal, and the letters that stand for the dots of an image.
_KEPT = rb"/proc/sys/[\w/]*|(?<![\w.])vm\.[a-z_]+|" + IMAGE

#: Packages whose files a report takes along as they are.
_STYLES = ("sphinx", "pydata_sphinx_theme", "myst_nb")

#: Written by Sphinx from the names of colours alone.
_COLOURS = "report/_static/pygments.css"

#: Sphinx's list of the words of all pages, each of which is searched; here a kernel's name is taken apart.
_WORD_LIST = "report/searchindex.js"

#: Shortest name that packed bytes are searched for as they are. A gigabyte of them holds a given word of six letters,
#: in whichever case, by chance in one of 4,000 archives (1e9 (2 / 256)^6 = 2.3e-4); one of two letters 61,000 times.
_LONG = 6

#: Columns of records that an anonymised log states as the original does.
_STATED = ["repetition", "operation", "metric", "statistic", "value", "unit", "verdict", "codes", "cold", "length"]


class AnonymityError(ColdCacheError):
    """A name that cannot be replaced without changing what logs state, or that is left."""


def make_replacer(identities: Sequence[Identity]) -> Callable[[bytes], bytes]:
    """Return a function that replaces every name in some bytes, all at once, as UTF-8 and as JSON writes them."""
    written = {form: identity for identity in identities for form in _forms_in_files(identity.name)}
    pattern = _pattern(sorted(written, key=len, reverse=True), written)
    by_lower_case = {form.lower(): identity.replacement.encode() for form, identity in written.items()}

    def replace(match: re.Match[bytes]) -> bytes:
        return by_lower_case.get(match[0].lower(), match[0])

    return lambda text: pattern.sub(replace, text)


def _forms_in_files(name: str) -> set[bytes]:
    return {name.encode(), json.dumps(name)[1:-1].encode()}


def _pattern(forms: Sequence[bytes], identities: dict[bytes, Identity]) -> re.Pattern[bytes]:
    """Return what finds names that stand by themselves; a path is found in front of whatever follows it."""
    parts = [_KEPT]
    for form in forms:
        if identities[form].kind == "path":
            parts.append(re.escape(form) + rb"(?![\w])")
        else:
            parts.append(rb"(?i:(?<![A-Za-z0-9])" + re.escape(form) + rb"(?![A-Za-z0-9]))")
    return re.compile(b"|".join(parts))


def anonymise(folder: Path, target: Path, identities: Sequence[Identity]) -> None:
    """Copy a campaign's raw files with every name replaced, in them and in their own names; its seal is made anew."""
    replace = make_replacer(identities)
    for path in raw_files(folder):
        copy = target / replace(str(path.relative_to(folder)).encode()).decode()
        copy.parent.mkdir(parents=True, exist_ok=True)
        _write_replaced(path.read_bytes(), copy, replace)
    if is_sealed(folder):
        write_sums(target)


def replace_in_place(folders: Iterable[Path], identities: Sequence[Identity]) -> None:
    """Replace every name in the files of some folders, which are copies of the archive's own."""
    if identities:
        replace = make_replacer(identities)
        for path in (path for folder in folders for path in folder.rglob("*") if path.is_file()):
            _write_replaced(path.read_bytes(), path, replace)


def _write_replaced(content: bytes, path: Path, replace: Callable[[bytes], bytes]) -> None:
    path.write_bytes(content if is_packed(content) else replace(content))


def check_records(before: Path, after: Path, raw: Path, identities: Sequence[Identity]) -> int:
    """Make sure that anonymised logs state what the original ones do, and return how many records were checked.

    Parameters
    ----------
    before, after : Path
        Each campaign's `dataset.nc`.
    raw : Path
        The anonymised raw files, into which the records of `after` point.
    identities : sequence of Identity
        What was replaced.

    Raises
    ------
    AnonymityError
        If a value differs, or the bytes of a record are not the number that it printed before.
    """
    old, new = open_records(before), open_records(after)
    if len(old) != len(new) or not old[_STATED].equals(new[_STATED]):
        words = ", ".join(f'"{identity.name}"' for identity in identities if identity.kind != "path")
        raise AnonymityError(
            f"the logs state something else once names are replaced: is one of {words} also a word of the logs, or "
            f"{before} older than they are?"
        )
    for log, rows in new[new.offset >= 0].groupby("log"):
        text = (raw / str(log)).read_bytes()
        for offset, length, printed in zip(rows.offset, rows.length, rows.printed, strict=True):
            number = text[offset : offset + length].decode("utf-8", "replace")
            if number not in printed:
                raise AnonymityError(f"{log}: {number!r} stands where {printed!r} is meant; nothing is written")
    return len(new)


def search(archive: Path, identities: Sequence[Identity]) -> tuple[int, int]:
    """Search an archive for names: all that its files say for every name, packed bytes for long names as they are.

    Files of the program itself and of the site's style are the same for everybody, and are left out where they are
    byte for byte what is installed here.

    Returns
    -------
    int
        Files that were searched.
    int
        Files that were left out.

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
                    raise AnonymityError(f"{entry.filename} would still hold {name!r}; nothing is written")
    return searched, left_out


def _make_finder(forms: dict[bytes, Identity]) -> Callable[[bytes], str]:
    """Return what finds the first name in a text, empty where there is none; the kernel's own names are none."""
    pattern = _pattern(sorted(forms, key=len, reverse=True), forms)
    names = {form.lower() for form in forms}

    def find(text: bytes) -> str:
        return next((match[0].decode() for match in pattern.finditer(text) if match[0].lower() in names), "")

    return find


def _forms_anywhere(name: str) -> set[bytes]:
    encoded = {form.encode() for form in (html.escape(name), quote(name), quote(name, safe=""))}
    return _forms_in_files(name) | encoded | {name.encode("utf-16-le"), name.encode("utf-16-be")}


def _list_installed() -> set[bytes]:
    """Return the sums of this program's files, and of those that a report takes along as they are."""
    project = Path.cwd()
    folders = [project / name for name in ("workflow", "envs", "slurm", "docs")]
    specs: list[Any] = [find_spec(name) for name in _STYLES]
    folders += [Path(spec.submodule_search_locations[0]) for spec in specs if spec]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    files += [
        path for path in project.iterdir() if path.is_file() and path.suffix in (".md", ".toml", ".cff", ".yml", "")
    ]
    files += [path for path in (project / "raw/published").glob("*") if path.is_file()]
    return {sha256(path.read_bytes()).digest() for path in files if path.name != SUMS}
