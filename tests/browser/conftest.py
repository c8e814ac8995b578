"""Debian's Chromium, and the report of the reference campaign opened in it from the disk."""

import json

import pytest
from browsing import BEHIND, CHROMIUM, DESK, INTERRUPTED
from playwright.sync_api import sync_playwright


@pytest.fixture(scope="module")
def chromium():
    with sync_playwright() as playwright:
        path = CHROMIUM if CHROMIUM.exists() else None
        # Without --no-sandbox Chromium refuses to run as root, as it does in a container.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def complaints():
    """What a browser has to complain of, and every request that is not for a file."""
    return []


@pytest.fixture
def open_page(chromium, reference_report, complaints):
    """Return a function that opens a page of the report."""
    contexts = []

    def open_(name, viewport=DESK, **more):
        context = chromium.new_context(viewport=viewport, **more)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        # A load that the next page interrupts has not failed.
        page.on("requestfailed", lambda asked: None if asked.failure == INTERRUPTED else complaints.append(asked.url))
        page.on("request", lambda asked: None if asked.url.startswith("file://") else complaints.append(asked.url))
        page.goto(f"{reference_report.as_uri()}/{name}")
        return page

    yield open_
    for context in contexts:
        context.close()


@pytest.fixture
def walk(open_page, reference_report):
    """Return a function that yields each of some pages by its name, open in one tab."""

    def walk_(names, viewport=DESK):
        page = open_page(names[0], viewport)
        for name in names:
            page.goto(f"{reference_report.as_uri()}/{name}")
            yield name, page

    return walk_


@pytest.fixture(scope="module")
def names(reference_report):
    """Every page that Sphinx makes, and one of each kind of the others."""
    found = sorted(str(path.relative_to(reference_report)) for path in reference_report.rglob("*.html"))
    return [*(name for name in found if not name.startswith("trials/")), *BEHIND]


@pytest.fixture(scope="module")
def chapters(root):
    """The pages of the notebooks of the first study whose figures have points that lead to trials."""
    study = json.loads((root / "raw/reference/campaign.json").read_text())["studies"][0]
    assert len(study["notebooks"]) == 6
    return [f"quick/{name}.html" for name in study["notebooks"] if name != "campaign-validity"]
