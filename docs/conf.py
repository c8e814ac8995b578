"""Build the project's pages as a site (`make docs`), from the Markdown files that the repository shows."""

from pathlib import Path

project = "Cold Cache"
author = "Cold Cache maintainers"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
autodoc_member_order = "bysource"
# Signatures show the types; a parameter's line says what it means.
autodoc_typehints = "signature"
napoleon_google_docstring = False
nb_execution_mode = "off"
root_doc = "README"
# The source folder is the root of the clone, so that links between pages are the same here and in the repository.
include_patterns = [
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "config/README.md", "docs/*.md",
    "docs/decisions/*.md",
]  # fmt: skip
# Folders without pages, which Sphinx would search for some.
exclude_patterns = [".git", ".venv", ".peers", ".snakemake", "fuzz", "raw", "results", "scratch", "tests", "workflow"]
myst_heading_anchors = 4
html_theme = "pydata_sphinx_theme"
html_title = project
html_theme_options = {"navbar_align": "left", "show_toc_level": 2, "secondary_sidebar_items": ["page-toc"]}
html_copy_source = False
html_show_sourcelink = False

#: The pages by what a reader wants, in the order of the site's contents.
CONTENTS = {
    "Tutorials": ["docs/tutorial-first-report", "docs/tutorial-own-study"],
    "Tasks": [
        "docs/measure-a-file-system", "docs/read-the-report", "docs/write-a-study", "docs/design-a-study",
        "docs/describe-a-site",
        "docs/run-on-slurm", "docs/run-on-another-scheduler", "docs/measure-again", "docs/compare-campaigns",
        "docs/seal-a-campaign", "docs/archive-a-campaign", "docs/read-foreign-logs", "docs/judge-claims",
        "docs/run-the-five-studies", "docs/run-any-command",
        "docs/command-examples", "docs/the-model",
        "docs/use-the-dataset", "docs/ask-your-own-question",
        "docs/open-in-binder", "docs/use-as-a-module", "docs/add-a-tool", "docs/add-a-setting", "docs/add-a-figure",
    ],
    "Findings": [
        "docs/claims-of-the-documents", "docs/predictions", "docs/dell-data-on-the-model",
        "docs/dell-more-rounds-on-the-model", "docs/dell-metadata-on-the-model", "docs/quiet-rounds-on-the-model",
        "docs/array-cache-on-a-guest", "docs/pixstor-data-on-the-model", "docs/pixstor-many-threads-on-the-model",
        "docs/random-reads-on-the-model", "docs/pixstor-metadata-on-the-model", "docs/pixstor-pairs-on-the-model",
        "docs/more-rounds-on-the-model", "docs/fsx-metadata-on-the-model", "docs/other-clients-on-the-model",
        "docs/status-of-others-on-the-model", "docs/sas-grid-on-the-model",
        "docs/nfs-guide-on-a-guest", "docs/nfs-calls-on-a-guest", "docs/beyond-the-documents",
    ],
    "Reference": [
        "config/README", "docs/records", "docs/api", "docs/glossary", "docs/reference-campaign", "docs/dependencies",
        "docs/README", "CHANGELOG", "SECURITY",
    ],
    "Explanation": [
        "docs/twelve-rules", "docs/compared", "docs/reliability", "docs/speed", "docs/decisions/README", "docs/develop",
        "CONTRIBUTING",
    ],
}  # fmt: skip


def add_contents(app, name: str, source: list[str]) -> None:
    """Append the lists of contents to the pages that the site opens with, which the repository shows without them."""
    if name == root_doc:
        lists = list(CONTENTS.items())
    elif name == "docs/decisions/README":
        records = sorted(path.stem for path in Path(app.srcdir).glob("docs/decisions/0*.md"))
        lists = [("Decisions", [f"docs/decisions/{record}" for record in records])]
    else:
        return
    for caption, pages in lists:
        listed = "\n".join(f"/{page}" for page in pages)
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n"


def setup(app) -> None:
    """Connect the lists of contents."""
    app.connect("source-read", add_contents)
