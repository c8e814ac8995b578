"""Style sheets of a report keep the rules that its pages and scripts can use, and lose the others."""

import re
from pathlib import Path

import pydata_sphinx_theme
import pytest

from coldcache.report.site.styles import shorten_rules, shorten_styles

THEME = Path(pydata_sphinx_theme.__file__).parent / "theme/pydata_sphinx_theme/static/styles/pydata-sphinx-theme.css"


@pytest.mark.parametrize(
    ("sheet", "short"),
    [
        (".used,.other{a:b}", ".used{a:b}"),
        (".used .other{a:b}p{c:d}", "p{c:d}"),
        ("#used:hover>a{a:b}#other{a:b}", "#used:hover>a{a:b}"),
        (".used:not(.other),p:is(.other,.used){a:b}", ".used:not(.other),p:is(.other,.used){a:b}"),
        ('[data-mode="a,.b"].other,[data-mode="{"].used{a:b}', '[data-mode="{"].used{a:b}'),
        (r".us\ed{a:b}", r".us\ed{a:b}"),
        ("@media print{.other{a:b}}@media (width>9px){.used{a:b}.other{a:b}}", "@media (width>9px){.used{a:b}}"),
        ("@keyframes turn{12.5%{a:b}}", "@keyframes turn{12.5%{a:b}}"),
        ('@font-face{src:url("big.woff2")}p{content:"}"}', 'p{content:"}"}'),
        ('@charset "UTF-8";/*! licence {} */.other{a:b}', '@charset "UTF-8";/*! licence {} */'),
        ('p{a:b}\n@import "x.css";', 'p{a:b}@import "x.css";'),
    ],
)  # fmt: skip
def test_a_rule_stays_where_its_classes_and_ids_are_used(sheet, short):
    assert shorten_rules(sheet, {"used"}) == short


@pytest.fixture
def site(tmp_path):
    (tmp_path / "_static/styles").mkdir(parents=True)
    (tmp_path / "index.html").write_text('<p class="of-page" id="here">')
    (tmp_path / "_static/menu.js").write_text('menu.classList.add("is-open"); f("no")')
    (tmp_path / "_static/own.css").write_text(".nowhere { color: var(--shade) }")
    (tmp_path / "_static/styles/theme.css").write_text(
        ":root{--shade:red;--link:var(--blue);--blue:#00f;--left:1px;--of-left:var(--left)}"
        ".of-page{color:var(--link)}#here{a:b}.is-open{a:b}.no{a:b}.of-template{a:b}.nowhere{a:b}"
    )
    return tmp_path


def test_names_of_pages_templates_and_scripts_count_and_own_sheets_stay_whole(site, tmp_path):
    (tmp_path / "template").write_text('<a class="of-template {{ more }}">')
    shorten_styles(site, [tmp_path / "template"], ["own.css"])
    assert (site / "_static/styles/theme.css").read_text() == (
        ":root{--shade:red;--link:var(--blue);--blue:#00f;}"
        ".of-page{color:var(--link)}#here{a:b}.is-open{a:b}.of-template{a:b}"
    )
    assert (site / "_static/own.css").read_text() == ".nowhere { color: var(--shade) }"


def test_every_rule_of_the_theme_stays_if_every_name_is_used():
    theme = THEME.read_text()
    names = {name.replace("\\", "") for name in re.findall(r"[.#]((?:\\.|[\w-])+)", theme)}
    assert shorten_rules(theme, names).count("{") == theme.count("{") - theme.count("@font-face{") > 3000
    assert len(shorten_rules(theme, set())) < len(theme) / 8
