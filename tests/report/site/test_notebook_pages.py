"""Executed notebooks as pages: what is shown of their cells."""

from coldcache.report.site.notebook_pages import _drop_empty_sections


def markdown(source):
    return {"cell_type": "markdown", "source": source}


def code(*outputs):
    return {"cell_type": "code", "source": "", "outputs": list(outputs)}


def test_a_heading_over_nothing_is_left_out_and_one_over_an_output_stays():
    shown = {"output_type": "display_data", "data": {"text/plain": "1"}}
    title, empty, full, prose = (
        markdown("# Why?"),
        markdown(["## Over threads\n"]),
        markdown("## Table"),
        markdown("a\nb"),
    )
    cells = [title, code(), empty, code(), code(), full, code(), code(shown), prose, code()]
    assert _drop_empty_sections(cells) == [title, code(), code(), code(), full, code(), code(shown), prose, code()]
