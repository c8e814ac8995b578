"""Thumbnails: drawings of figures without text, as small as their size on a page allows."""

import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, fromstring

from markupsafe import escape

from coldcache.core.errors import ColdCacheError

#: The folder of thumbnails in a report.
THUMBNAIL_FOLDER = "thumbnails"

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"

#: Elements that draw something, and attributes that say where.
_DRAWN = ("g", "a", "defs", "clipPath", "path", "use", "rect", "circle", "line", "polyline", "image")
_PLACES = ("d", "x", "y", "width", "height", "r", "cx", "cy", "x1", "y1", "x2", "y2", "points", "transform")

_NUMBER = re.compile(r"-?\d*\.\d+(?:e[+-]?\d+)?|-?\d+e[+-]?\d+")
_REFERENCE = re.compile(r"(?:^|(?<=url\())#([\w.:-]+)")


class ThumbnailError(ColdCacheError):
    """A figure that is no SVG drawing."""


def write_thumbnails(names: Iterable[str], results: Path, report: Path) -> None:
    """Write the thumbnail of each named figure of a campaign into its report.

    Raises
    ------
    ThumbnailError
        If a figure is no SVG drawing.
    """
    folder = report / THUMBNAIL_FOLDER
    for name in sorted(set(names)):
        figure = results / "figures" / f"{name}.svg"
        folder.mkdir(exist_ok=True)
        try:
            thumbnail = shrink_drawing(figure.read_text(encoding="utf-8"))
        except ParseError as error:
            raise ThumbnailError(f"{figure} is no SVG drawing ({error}): execute the notebook that saves it") from None
        (folder / figure.name).write_text(thumbnail, encoding="utf-8")


def shrink_drawing(drawing: str) -> str:
    """Return an SVG drawing without text, links and names, at a precision of one unit.

    Marks that fall on the same spot are drawn once, so that its size has a bound for any number of trials.

    Raises
    ------
    ParseError
        If the drawing is not XML.
    """
    root = fromstring(drawing)
    shrinker = _Shrinker(root)
    body = "".join(map(shrinker.show, root))
    common = " ".join(style.text or "" for style in root.iter(f"{_SVG}style"))
    rules = "".join(f".{name}{{{style}}}" for style, name in shrinker.classes.items())
    styles = escape(_tighten(common + rules, ":;{},"))
    view = root.get("viewBox", f"0 0 {root.get('width', '0')} {root.get('height', '0')}")
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{escape(view)}"><style>{styles}</style>{body}</svg>\n'


class _Shrinker:
    """Shows elements of one drawing.

    Attributes
    ----------
    ids : dict of str to str
        A short id for each one that something refers to.
    classes : dict of str to str
        A short class for each style.
    """

    def __init__(self, root: Element) -> None:
        values = (value for element in root.iter() for value in element.attrib.values())
        named = dict.fromkeys(name for value in values for name in _REFERENCE.findall(value))
        self.ids = {name: f"i{number}" for number, name in enumerate(named)}
        self.classes: dict[str, str] = {}
        self._marks: set[str] = set()

    def show(self, element: Element, digits: int = 0) -> str:
        """Return an element with what it holds; an empty text where nothing is drawn."""
        tag = element.tag.removeprefix(_SVG) if isinstance(element.tag, str) else ""
        if tag not in _DRAWN:
            return ""
        # A mark is drawn in its own small unit, and moved to its spot.
        inner = "".join(self.show(child, 1 if tag == "defs" else digits) for child in element)
        attributes = self._show_attributes(element, tag, digits)
        if tag in ("g", "a", "defs") and (not inner or not (attributes or tag == "defs")):
            return inner
        shown = f"<{tag}{attributes}>{inner}</{tag}>" if inner else f"<{tag}{attributes}/>"
        if tag == "use":
            if shown in self._marks:
                return ""
            self._marks.add(shown)
        return shown

    def _show_attributes(self, element: Element, tag: str, digits: int) -> str:
        found = {name: element.get(name, "") for name in _PLACES if element.get(name)}
        for name in ("d", "points", *(("x", "y") if tag == "use" else ())):
            if name in found:
                rounded = _NUMBER.sub(lambda number: _round(number[0], digits), found[name])
                found[name] = _tighten(rounded, "A-Za-z,")
        if (name := element.get("id", "")) in self.ids:
            found["id"] = self.ids[name]
        if style := element.get("style"):
            found["class"] = self.classes.setdefault(self._refer(style), f"c{len(self.classes)}")
        if clip := element.get("clip-path"):
            found["clip-path"] = self._refer(clip)
        if address := element.get(_LINK, element.get("href")) if tag in ("use", "image") else None:
            found["href"] = self._refer(address) if address.startswith("#") else address
        return "".join(f' {name}="{escape(value)}"' for name, value in found.items())

    def _refer(self, value: str) -> str:
        return _REFERENCE.sub(lambda found: f"#{self.ids.get(found[1], found[1])}", value)


def _round(number: str, digits: int) -> str:
    return f"{round(float(number), digits) + 0:g}" if abs(float(number)) < 1e5 else number


def _tighten(text: str, signs: str) -> str:
    """Return text without spaces beside some signs, and with single spaces elsewhere."""
    return re.sub(rf"\s*([{signs}])\s*", r"\1", " ".join(text.split()))
