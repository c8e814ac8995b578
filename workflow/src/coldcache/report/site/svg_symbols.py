"""Letters that the figures of one page share: each drawing brings its own outlines of them, half of its bytes."""

import re

#: The outline of a letter, and a place that shows it; figures put a name of their own in front of the letter's.
_OUTLINE = re.compile(r'<path id="f[0-9a-f]{10}-(DejaVuSans[\w-]*)"(.*?)/>', re.S)
_PLACE = re.compile(r'(xlink:href="#)f[0-9a-f]{10}-(DejaVuSans[\w-]*")')


class Glyphs:
    """The letters of one page: the first figure that needs one brings its outline, later ones refer to it."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def share(self, html: str) -> str:
        """Return a part of the page, the next one, without outlines that stand before it already."""
        return _PLACE.sub(r"\1\2", _OUTLINE.sub(self._keep, html))

    def _keep(self, match: re.Match[str]) -> str:
        name, outline = match.groups()
        if name in self._known:
            return ""
        self._known.add(name)
        return f'<path id="{name}"{outline}/>'
