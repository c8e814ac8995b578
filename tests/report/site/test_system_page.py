"""The page on the system shows every recorded value in full."""

from html_pages import Page


def test_options_that_fill_a_screen_are_cut_on_the_first_page_only(render_hostile):
    report = render_hostile()
    assert "lowerdir=/layers/39" not in Page(report / "index.html").text
    assert "lowerdir=/layers/39" in Page(report / "system.html").text
