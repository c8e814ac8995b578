"""Share outlines of letters between the figures of a page; they are half the bytes of each figure."""

import re

#: The outline of a letter, and a reference to it; each figure prefixes the name of the letter with its own id.
_OUTLINE = re.compile(r'<path id="f[0-9a-f]{10}-(DejaVuSans[\w-]*)"(.*?)/>', re.S)
_PLACE = re.compile(r'(xlink:href="#)f[0-9a-f]{10}-(DejaVuSans[\w-]*")')


class Glyphs:
    """The letters of one page: the first figure that uses a letter defines its outline, later ones refer to it."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def share(self, html: str) -> str:
        """Return the next part of the page without outlines that an earlier part defines."""
        return _PLACE.sub(r"\1\2", _OUTLINE.sub(self._keep, html))

    def _keep(self, match: re.Match[str]) -> str:
        name, outline = match.groups()
        if name in self._known:
            return ""
        self._known.add(name)
        return f'<path id="{name}"{outline}/>'
