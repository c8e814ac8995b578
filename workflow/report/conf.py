"""Sphinx configuration of a report; `coldcache.report.site.render` adds the title and the paths of the pages."""

from sphinx.application import Sphinx

from coldcache.report.site.search_words import SearchWords

project = "Cold Cache"
root_doc = "index"
extensions = ["myst_nb"]
language = "en"
# Keep options such as --direct=1 as typed.
smartquotes = False

# Notebooks are already executed, and their figures are SVG: nothing runs, and nothing is fetched from a network.
nb_execution_mode = "off"
nb_remove_code_source = True
nb_output_stderr = "remove"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
myst_enable_extensions = ["attrs_block", "attrs_inline", "deflist"]
myst_heading_anchors = 2
# A notebook's title is the title of its page; its headings may skip levels.
suppress_warnings = ["myst.header"]

html_theme = "pydata_sphinx_theme"
html_css_files = ["icons.css", "coldcache.css"]
html_js_files = [(name, {"defer": "defer"}) for name in ("tables.js", "figures.js", "menu.js")]
html_favicon = "static/favicon.svg"
html_static_path = ["static"]
templates_path = ["templates"]
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_domain_indices = False
html_show_sphinx = False
html_permalinks = False
# Summaries of search results need a fetch, which browsers refuse for pages on disk.
html_show_search_summary = False
html_sidebars = {"**": ["contents.html"]}
html_theme_options = {
    "navbar_start": ["navbar-logo"],
    "navbar_center": [],
    "navbar_end": ["theme-menu.html"],
    "navbar_persistent": ["search-button"],
    "navigation_depth": 3,
    "search_bar_text": "Search this report",
    "article_header_start": [],
    "primary_sidebar_end": [],
    "secondary_sidebar_items": [],
    "show_prev_next": False,
    "footer_start": ["origin.html"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def setup(app: Sphinx) -> None:
    """Let the search know words, not numbers."""
    app.add_search_language(SearchWords)
