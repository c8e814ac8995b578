"""Shorten the theme's style sheets to what the pages of a report can use."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

#: A brace of a sheet, or what may hold braces without being one.
_PART = re.compile(r"""/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[{}]""", re.S)

#: Comments and statements without a block, which may stand before a rule.
_BEFORE = re.compile(r"(?:\s|/\*.*?\*/|@(?:charset|import|namespace)[^;]*;)*", re.S)

#: An innermost pseudo-class with arguments, or an attribute: neither decides whether a selector can match.
_CONDITION = re.compile(r":[\w-]+\([^()]*\)|\[[^\]]*\]")

_NAME = re.compile(r"[.#]((?:\\.|[\w-])+)")

#: A custom property with its value, which may quote a semicolon.
_PROPERTY = re.compile(r"""(?<![\w-])(--[\w-]+)\s*:(?:"[^"]*"|'[^']*'|[^;{}"'])*;?""")

_USE = re.compile(r"var\(\s*(--[\w-]+)")

#: A word of a script that may be a class or id; scripts of a theme have short words by the thousand.
_WORD = re.compile(r"[\w-]{3,}")

_OF_PAGE = re.compile(r'\b(?:class|id)="([^"]*)"')

#: Rules that hold others.
_GROUPS = ("@media", "@supports", "@layer", "@container")


def shorten_styles(site: Path, more: Iterable[Path], own: Iterable[str]) -> None:
    """Remove rules and custom properties that nothing on a site uses from the theme's style sheets.

    A rule is used if every class and id of one of its selectors is a class or id of a page, or a word of a script,
    which may set it. Fonts are removed: a report uses those of the machine.

    Parameters
    ----------
    site : Path
        The site, with its pages and `_static`.
    more : iterable of Path
        Other pages, or their templates.
    own : iterable of str
        Names of the sheets that stay as they are.
    """
    whole = set(own)
    sheets = {path: path.read_text(encoding="utf-8") for path in sorted(site.glob("_static/**/*.css"))}
    pages = [path.read_text(encoding="utf-8") for path in (*site.rglob("*.html"), *more)]
    scripts = [path.read_text(encoding="utf-8") for path in site.glob("_static/**/*.js")]
    names = {name for page in pages for found in _OF_PAGE.findall(page) for name in found.split()}
    names |= {word for script in scripts for word in _WORD.findall(script)}
    ours = [text for path, text in sheets.items() if path.name in whole]
    short = {path: shorten_rules(text, names) for path, text in sheets.items() if path.name not in whole}
    for path, text in _drop_properties(short, [*ours, *pages, *scripts]).items():
        path.write_text(text, encoding="utf-8")


def shorten_rules(sheet: str, names: set[str]) -> str:
    """Return a style sheet without fonts and without rules whose selectors all need other classes or ids.

    Parameters
    ----------
    sheet : str
        The style sheet; nested rules stay with the rule that holds them.
    names : set of str
        Classes and ids that may be on a page.
    """
    kept = []
    for before, prelude, block in _list_rules(sheet):
        if not prelude:
            kept.append(before)
        elif prelude.startswith(_GROUPS):
            inner = shorten_rules(block, names)
            kept.append(f"{before}{prelude}{{{inner}}}" if inner else before)
        elif prelude.startswith("@"):
            kept.append(before if prelude == "@font-face" else f"{before}{prelude}{{{block}}}")
        else:
            selectors = [selector for selector in _list_selectors(prelude) if _may_match(selector, names)]
            kept.append(f"{before}{','.join(selectors)}{{{block}}}" if selectors else before)
    return "".join(kept)


def _list_rules(sheet: str) -> Iterator[tuple[str, str, str]]:
    """Yield each outermost rule as what stands before it, its prelude and its block; last what stands behind them."""
    depth = begin = opened = 0
    for part in _PART.finditer(sheet):
        if part[0] == "{":
            opened = opened if depth else part.start()
            depth += 1
        elif part[0] == "}":
            depth -= 1
            if not depth:
                before = _BEFORE.match(sheet, begin, opened)
                assert before
                yield before[0].strip(), sheet[before.end() : opened].strip(), sheet[opened + 1 : part.start()]
                begin = part.end()
    yield sheet[begin:].strip(), "", ""


def _list_selectors(prelude: str) -> list[str]:
    """Return the selectors of a list; commas within parentheses and brackets separate none."""
    selectors, depth = [""], 0
    for part in re.split(r"([,()\[\]])", prelude):
        depth += (part in ("(", "[")) - (part in (")", "]"))
        if part == "," and not depth:
            selectors.append("")
        else:
            selectors[-1] += part
    return selectors


def _may_match(selector: str, names: set[str]) -> bool:
    """Return whether each class and id that a selector asks for may be on a page."""
    bare, last = selector, ""
    while bare != last:
        bare, last = _CONDITION.sub("", bare), bare
    return all(name.replace("\\", "") in names for name in _NAME.findall(bare))


def _drop_properties(sheets: dict[Path, str], others: list[str]) -> dict[Path, str]:
    """Return sheets without custom properties that neither they nor other texts use."""
    elsewhere = {name for text in others for name in re.findall(r"--[\w-]+", text)}
    before: dict[Path, str] = {}
    while sheets != before:
        before = sheets
        used = elsewhere.union(*(_USE.findall(text) for text in sheets.values()))
        sheets = {path: _keep_properties(text, used) for path, text in sheets.items()}
    return sheets


def _keep_properties(sheet: str, used: set[str]) -> str:
    return _PROPERTY.sub(lambda found: found[0] if found[1] in used else "", sheet)
