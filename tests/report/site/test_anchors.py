"""Every number of a table has an id of its own."""

from markupsafe import Markup

from coldcache.report.site.anchors import link_here, name_tables, number_cells


def test_cells_are_numbered_by_row_and_column_of_their_table():
    table = '<table id="table-a"><tr><th>x</th></tr><tr><td>1</td><td class="n">2</td></tr><tr><td>3</td></tr></table>'
    assert number_cells(table) == (
        '<table id="table-a"><tr><th>x</th></tr><tr><td id="table-a.1.1">1</td><td id="table-a.1.2" class="n">2</td>'
        '</tr><tr><td id="table-a.2.1">3</td></tr></table>'
    )


def test_a_table_without_an_id_and_cells_with_one_stay_as_they_are():
    for table in ("<table><tr><td>1</td></tr></table>", '<table id="b"><tr><td id="c">1</td></tr></table>'):
        assert number_cells(table) == table


def test_a_link_to_a_figure_says_what_it_leads_to():
    assert link_here("figure-a", "figure") == (
        '<a class="coldcache-here" href="#figure-a" aria-label="Link to this figure">#</a>'
    )


def test_a_value_that_is_a_table_is_named_after_itself():
    named = name_tables({"of_all": Markup('<table class="x"></table>'), "text": "<table class=", "n": 3})
    assert named == {"of_all": '<table id="table-of-all" class="x"></table>', "text": "<table class=", "n": 3}
