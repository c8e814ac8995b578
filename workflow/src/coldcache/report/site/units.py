"""Numbers on the pages: a line never breaks between a number and its unit, nor between ``fig`` and its number."""

import re

#: What stays as it is: elements whose text is literal, and tags with attributes.
_KEPT = r"<(?P<name>code|pre|script|style|svg|title)\b.*?</(?P=name)>|<[^/][^>]*>"

_UNIT = r"(?:%|(?:[kKMGT]i?)?B(?:/s)?|[kMGT1]?/s|op/s|IOPS|[nµm]?s|min|h)(?![\w/])"

#: A blank between a number, which may be a link, or a dash in its place, and its unit; or before the number of an item.
_BLANK = re.compile(rf"(?P<kept>{_KEPT})|(?<=[\d–])(?P<ends>(?:</\w+>)*) (?={_UNIT})|(?<=\bfig|\bsec) (?=\d)", re.S)


def keep_units(html: str) -> str:
    """Return a page in which no-break spaces join numbers with their units.

    Parameters
    ----------
    html : str
        The page; the text of code, scripts, drawings and its title stays as it is.
    """
    return _BLANK.sub(lambda found: found["kept"] or f"{found['ends'] or ''}\N{NO-BREAK SPACE}", html)
