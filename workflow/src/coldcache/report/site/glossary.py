"""Terms of the glossary on the pages: the first use of each on a page says what it means when it is pointed at."""

import re
from collections.abc import Collection, Mapping
from html import escape, unescape
from pathlib import Path

#: Terms that pages also use in their everyday sense.
_PLAIN = frozenset({
    "block", "factor", "finding", "level", "operation", "record", "round", "scale", "setting", "site", "target",
})  # fmt: skip

_ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \|$", re.M)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_MARK = re.compile(r"[`*]")
_TAG = re.compile(r"(<[^>]*>)")

#: Elements whose text stays as it is.
_KEPT = frozenset({
    "a", "abbr", "button", "caption", "code", "dt", "figure", "h1", "h2", "h3", "mark", "math", "pre", "script",
    "small", "style", "summary", "svg", "th",
})  # fmt: skip


def read_glossary(path: Path) -> dict[str, str]:
    """Return the meaning of each term in the tables of a page of Markdown, without markup."""
    text = path.read_text(encoding="utf-8")
    text = _MARK.sub("", _LINK.sub(r"\1", text))
    rows = [(word, meaning) for word, meaning in _ROW.findall(text) if word not in ("word", "---")]
    return {word: meaning for words, meaning in rows for word in words.split(", ")}


def explain_terms(html: str, glossary: Mapping[str, str]) -> str:
    """Return a page of which the article explains each term where it is used first.

    Parameters
    ----------
    html : str
        The page; its text outside of ``<article>`` stays as it is.
    glossary : mapping of str to str
        The meaning of each term in the singular.
    """
    begin, end = html.find("<article"), html.rfind("</article>")
    if begin < 0:
        return html
    left = {word: meaning for word, meaning in glossary.items() if word not in _PLAIN}
    term = _find_any(left)
    parts, kept = _TAG.split(html[begin:end]), 0
    for place, part in enumerate(parts):
        if part.startswith("<"):
            name = re.match(r"</?([a-z0-9]*)", part)
            if name and name[1] in _KEPT and not part.endswith("/>"):
                kept += -1 if part.startswith("</") else 1
        elif left and part.strip() and not kept:
            count = len(left)
            parts[place] = _explain(part, term, left)
            if len(left) < count:
                term = _find_any(left)
    return html[:begin] + "".join(parts) + html[end:]


def _find_any(terms: Collection[str]) -> re.Pattern[str]:
    """Return what finds each of some terms, in the singular or the plural."""
    words = "|".join(sorted(map(re.escape, terms), key=len, reverse=True))
    return re.compile(rf"\b({words})(?:s|es)?\b(?!\.\d)", re.I)


def _explain(text: str, term: re.Pattern[str], left: dict[str, str]) -> str:
    """Return a text with the terms that are left, and remove those found."""

    def mark(found: re.Match[str]) -> str:
        meaning = left.pop(found[1].lower(), None) or left.pop(found[1], None)
        return f'<abbr title="{escape(unescape(meaning))}">{found[0]}</abbr>' if meaning else found[0]

    return term.sub(mark, text)
