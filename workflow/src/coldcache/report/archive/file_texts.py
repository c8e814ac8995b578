"""What files say: the words of a page, and the texts that packed bytes stand for."""

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

#: A PNG image as a page or a notebook holds it: in base64 its signature is always the same.
IMAGE = rb"iVBORw0KGgo[A-Za-z0-9+/]*={0,2}"

#: Attributes of HTML and SVG that say how an element looks, and nothing else.
_LOOKS = {"class", "style", "d", "points", "transform", "viewbox"}

#: Elements in whose middle a word goes on.
_WITHIN_WORDS = {"mark", "wbr"}

#: Raised where a file is not of the format that its first bytes claim.
_UNREADABLE = (OSError, ValueError, KeyError, SyntaxError, RuntimeError, Image.DecompressionBombError)


class FilePart(NamedTuple):
    """A part of a file.

    Attributes
    ----------
    text : bytes
        What stands in it.
    is_said : bool
        Whether these are words. Packed bytes and markup are none: their words are parts of their own.
    """

    text: bytes
    is_said: bool


def is_packed(content: bytes) -> bool:
    """Return whether a file is of a packed format, so that none of its bytes may be replaced by others."""
    return content.startswith((_NETCDF, _PNG))


def list_parts(content: bytes) -> Iterator[FilePart]:
    """Yield what a file says, and its bytes as they are where they are packed or markup.

    Of a format that is not known here, every byte is a word; so it is where a file breaks the format that it claims.
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
    """Yield a text without the images in it, and what these say."""
    for image in re.findall(IMAGE, text):
        digits = image.rstrip(b"=")
        yield from list_parts(base64.b64decode(digits + b"A" * (-len(digits) % 4)))
    yield FilePart(re.sub(IMAGE, b"\n", text), is_said=True)


_NETCDF = b"\x89HDF\r\n\x1a\n"


def _read_netcdf(content: bytes) -> Iterator[bytes]:
    """Yield every text that a NetCDF file holds: names, attributes and values."""
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
    """Yield what stands in an image beside its dots: texts, and what cameras and other programs noted."""
    with Image.open(io.BytesIO(content), formats=["PNG"]) as image:
        image.load()
        yield _write_lines(_list_items(image.info))
        yield from (chunk[1] for chunk in getattr(image, "private_chunks", []))


def _read_markup(content: bytes) -> Iterator[bytes]:
    """Yield the words of a page or figure: its text, and its attributes but for those of looks."""
    words = _Words()
    words.feed(content.decode("utf-8", "surrogateescape"))
    words.close()
    for said in ("".join(words.texts), "\n".join(words.attributes)):
        yield said.encode("utf-8", "surrogateescape")


class _Words(HTMLParser):
    """What markup says, apart from the names of its elements."""

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
