from markdown_it import MarkdownIt
from markupsafe import Markup

from coldcache.report.site.html import (
    code,
    entries,
    escape_html,
    escape_markdown,
    facts,
    join,
    join_last,
    link,
    table,
    trials_table,
)

HOSTILE = "# <b>*rw*</b> `x` [a](b) {{c}} 1. --n_n | & $y$ \\ ~~z~~"


def test_markdown_shows_every_sign_as_it_is():
    shown = MarkdownIt("commonmark").render(str(escape_markdown(HOSTILE)))
    assert shown == f"<p>{HOSTILE.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')}</p>\n"


def test_text_over_lines_stays_on_one():
    assert escape_markdown("one\n# two\n\n```") == "one \\# two \\`\\`\\`"
    assert escape_html("one\n```\ntwo") == "one &#96;&#96;&#96; two"


def test_markup_is_not_escaped_again():
    assert escape_markdown(Markup("*a*")) == "*a*"
    assert escape_html(Markup("<i>a</i>")) == "<i>a</i>"
    assert link(code("a<b"), "../x.csv") == '<a href="../x.csv"><code>a&lt;b</code></a>'


def test_a_list_of_mount_options_may_break_after_each_comma():
    assert escape_html("rw,relatime,a<b") == "rw,<wbr>relatime,<wbr>a&lt;b"
    assert escape_html("1,024 of 2,048") == "1,024 of 2,048"


def test_parts_are_escaped_one_by_one():
    assert join(["<a>", Markup("<i>b</i>")], " & ") == "&lt;a&gt; &amp; <i>b</i>"


def test_an_address_cannot_leave_its_quotes():
    assert link("x", '"><script>') == '<a href="&#34;&gt;&lt;script&gt;">x</a>'


def test_facts_are_rows_with_a_heading_each():
    assert str(facts([("Kernel", "6.1"), ("Host", "<vm>")])) == (
        '\n```{raw} html\n<div class="coldcache-scroll"><table class="coldcache-table coldcache-facts">\n'
        '<tr><th scope="row">Kernel</th><td>6.1</td></tr>\n'
        '<tr><th scope="row">Host</th><td>&lt;vm&gt;</td></tr>\n'
        "</table></div>\n```\n"
    )


def test_numbers_stand_to_the_right():
    assert str(table(("Sweep", "Trials"), [("random", 3)], numbers=("Trials",))) == (
        '\n```{raw} html\n<div class="coldcache-scroll"><table class="coldcache-table">'
        '<thead><tr><th scope="col">Sweep</th><th scope="col" class="number">Trials</th></tr></thead><tbody>\n'
        '<tr><td>random</td><td class="number">3</td></tr>\n'
        "</tbody></table></div>\n```\n"
    )


def test_rows_of_a_group_stand_under_its_name():
    shown = str(trials_table(("Case", "Reason"), [("one", ("a", "b")), ("one", ("c", "d")), ("two", ("e", "f"))]))
    assert shown.count('<tbody>\n<tr><th scope="rowgroup" colspan="2">one</th></tr>\n<tr><td>a</td>') == 1
    assert shown.count("rowgroup") == 2
    assert shown.count("</tbody>") == 2


def test_a_list_in_columns_shows_each_entry_as_it_is():
    assert entries(["a<b", link("c", "d.html")]) == (
        '<ul class="coldcache-entries"><li>a&lt;b</li><li><a href="d.html">c</a></li></ul>'
    )


def test_the_last_of_several_parts_is_joined_by_and():
    parts = [Markup("<i>a</i>"), "b<", "c"]
    assert [join_last(parts[:count]) for count in range(4)] == [
        "", "<i>a</i>", "<i>a</i> and b&lt;", "<i>a</i>, b&lt; and c",
    ]  # fmt: skip
