"""Numbers of a table lead to the trials of their row, else to the sweep of the table, else nowhere."""

from coldcache.report.site.number_links import find_sweep, link_numbers

HEAD = "<thead><tr><th>threads</th><th>median</th><th>low (95 %)</th><th>published</th></tr></thead>"


def make_table(*cells):
    row = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<table id="table-x" data-name="s-w-rate">{HEAD}<tbody><tr>{row}</tr></tbody></table>'


def test_a_link_to_trials_serves_the_figures_of_its_row_and_no_level():
    found = link_numbers(make_table("4", '<a href="../trials/s/w/c/index.html#m">2 MB/s</a>', "1 MB/s", "3 MB/s"))
    assert '<td><a class="coldcache-quiet" href="../trials/s/w/c/index.html#m">1 MB/s</a></td>' in found
    assert "<td>4</td>" in found and "<td>3 MB/s</td>" in found


def test_a_row_without_a_link_leads_to_the_sweep_of_its_table():
    found = link_numbers(make_table("4", "2 MB/s", "none", ""), lambda name: f"page of {name}")
    assert '<td><a class="coldcache-quiet" href="page of s-w-rate">2 MB/s</a></td>' in found
    assert "<td>none</td>" in found
    plain = make_table("4", "2 MB/s", "1 MB/s", "")
    assert link_numbers(plain) == plain


def test_a_number_of_a_document_leads_to_its_line():
    found = link_numbers(make_table("fig 1", "–", "–", "about 7 GB/s"), None, lambda item, text: f"{item}: {text}")
    assert '<a class="coldcache-quiet" href="fig 1: about 7 GB/s">about 7 GB/s</a>' in found


def test_a_row_of_another_width_and_a_table_without_headings_stay_as_they_are():
    for html in (make_table("4", "2 MB/s"), '<table id="table-x"><tr></tr></table>'):
        assert link_numbers(html, lambda _: "page") == html


def test_the_longest_name_of_a_sweep_wins():
    sweeps = ["s/w", "s/w-cache", "t/w"]
    assert find_sweep("s-w-cache-rate", sweeps) == "s/w-cache"
    assert find_sweep("s-w", sweeps) == "s/w"
    assert find_sweep("s-wide-rate", sweeps) is None
