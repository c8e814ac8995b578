"""What a cell displays: figures, tables and lines one after the other, or sentences."""

from collections.abc import Iterable
from html import escape
from typing import Any


class Display:
    """Figures, tables and lines of text, displayed one after the other.

    Parameters
    ----------
    parts : iterable
        Pictures, tables and texts; None, empty texts and tables without a row are left out.
    """

    def __init__(self, parts: Iterable[Any]):
        there = (part for part in parts if part is not None and not (isinstance(part, str) and not part))
        self.parts = [part for part in there if not getattr(part, "is_empty", False)]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        bundles = [_show_line(part) if isinstance(part, str) else part._repr_mimebundle_() for part in self.parts]
        return {kind: "\n".join(bundle[kind] for bundle in bundles) for kind in ("text/plain", "text/html")}


class Sentences:
    """Sentences in Markdown, displayed as a paragraph each.

    Parameters
    ----------
    sentences : iterable of str or None
        None and empty ones are left out.
    """

    def __init__(self, sentences: Iterable[str | None]):
        self.sentences = [sentence for sentence in sentences if sentence]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        text = "\n\n".join(self.sentences)
        return {"text/plain": text, "text/markdown": text}


def _show_line(text: str) -> dict[str, str]:
    return {"text/plain": text, "text/html": f'<p class="coldcache-absent">{escape(text)}</p>'}
