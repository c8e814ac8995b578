"""Extract the text of files: words of pages and figures, and text in packed formats."""

import base64
import io
import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import xarray as xr
from PIL import Image

#: A PNG image in base64, as pages and notebooks embed it; its signature never changes.
IMAGE = rb"iVBORw0KGgo[A-Za-z0-9+/]*={0,2}"

#: Attributes of HTML and SVG that only describe the look of an element.
_LOOKS = {"class", "style", "d", "points", "transform", "viewbox"}

#: Elements that do not end a word.
_WITHIN_WORDS = {"mark", "wbr"}

#: Errors of files that are not in the format that their first bytes claim.
_UNREADABLE = (OSError, ValueError, KeyError, SyntaxError, RuntimeError, Image.DecompressionBombError)


class FilePart(NamedTuple):
    """A part of a file.

    Attributes
    ----------
    text : bytes
        Its bytes.
    is_said : bool
        Whether they are readable text. Packed bytes and markup are not; their text is in separate parts.
    """

    text: bytes
    is_said: bool


def is_packed(content: bytes) -> bool:
    """Return whether a file has a packed format, in which no bytes may be replaced."""
    return content.startswith((_NETCDF, _PNG))


def list_parts(content: bytes) -> Iterator[FilePart]:
    """Yield the readable text of a file, and its raw bytes if they are packed or markup.

    A file of unknown format, or one that violates its format, is text as a whole.
    """
    start = content[:16].lower()
    try:
        if content.startswith(_NETCDF):
            texts = list(_read_netcdf(content))
        elif content.startswith(_PNG):
            texts = list(_read_png(content))
        elif start.startswith((b"<!doctype html", b"<?xml", b"<svg")):
            texts = list(_read_markup(content))
        else:
            yield from _list_words(content)
            return
    except _UNREADABLE:
        yield FilePart(content, is_said=True)
        return
    yield FilePart(content, is_said=False)
    for text in texts:
        yield from _list_words(text)


def _list_words(text: bytes) -> Iterator[FilePart]:
    """Yield the parts of embedded images, and then the text without them."""
    for image in re.findall(IMAGE, text):
        digits = image.rstrip(b"=")
        yield from list_parts(base64.b64decode(digits + b"A" * (-len(digits) % 4)))
    yield FilePart(re.sub(IMAGE, b"\n", text), is_said=True)


_NETCDF = b"\x89HDF\r\n\x1a\n"


def _read_netcdf(content: bytes) -> Iterator[bytes]:
    """Yield every text in a NetCDF file: names, attributes and values."""
    with TemporaryDirectory(prefix="coldcache-") as folder:
        path = Path(folder, "dataset.nc")
        path.write_bytes(content)
        with xr.open_datatree(path, engine="h5netcdf") as tree:
            for group in tree.subtree:
                yield _write_lines([group.path, *group.dims, *_list_items(group.attrs)])
                for name, variable in group.variables.items():
                    yield _write_lines([name, *_list_items(variable.attrs)])
                    if variable.dtype.kind in "OUST":
                        yield _write_lines(set(variable.values.ravel()))


_PNG = b"\x89PNG\r\n\x1a\n"


def _read_png(content: bytes) -> Iterator[bytes]:
    """Yield the metadata of an image: texts and private chunks."""
    with Image.open(io.BytesIO(content), formats=["PNG"]) as image:
        image.load()
        yield _write_lines(_list_items(image.info))
        yield from (chunk[1] for chunk in getattr(image, "private_chunks", []))


def _read_markup(content: bytes) -> Iterator[bytes]:
    """Yield the text of a page or figure, and its attributes except those that only describe looks."""
    words = _Words()
    words.feed(content.decode("utf-8", "surrogateescape"))
    words.close()
    for said in ("".join(words.texts), "\n".join(words.attributes)):
        yield said.encode("utf-8", "surrogateescape")


class _Words(HTMLParser):
    """Collects the text and the attributes of markup."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.attributes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [value for name, value in attrs if value and name not in _LOOKS]
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _WITHIN_WORDS:
            self.texts.append("\n")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.texts.append(f"\n{data}\n")

    def handle_decl(self, decl: str) -> None:
        self.handle_comment(decl)

    def handle_pi(self, data: str) -> None:
        self.handle_comment(data)

    def unknown_decl(self, data: str) -> None:
        self.handle_comment(data)


def _list_items(items: Any) -> Iterator[Any]:
    for name, value in items.items():
        yield from (name, value)


def _write_lines(values: Iterable[Any]) -> bytes:
    plain = (getattr(value, "tolist", lambda value=value: value)() for value in values)
    return b"\n".join(value if isinstance(value, bytes) else str(value).encode() for value in plain)
