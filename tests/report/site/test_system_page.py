"""The page on the system shows every recorded value in full."""

import re

from html_pages import Page

from coldcache.campaign.campaign import read_campaign
from coldcache.report.site.context import ReportContext
from coldcache.report.site.places import Places
from coldcache.report.site.recorded_system import read_recorded_system
from coldcache.report.site.system_page import describe_system_page


def test_options_that_fill_a_screen_are_cut_on_the_first_page_only(render_hostile):
    report = render_hostile()
    assert "lowerdir=/layers/39" not in Page(report / "index.html").text
    assert "lowerdir=/layers/39" in Page(report / "system.html").text


def test_a_scale_model_is_shown_with_its_parts_and_limits(root):
    campaign = read_campaign(root / "raw/model")
    # The page reads neither results nor documents.
    others = {"results": root, "chapters": {}, "methods": [], "validity": None, "cases": {}, "documents": None}
    others["places"] = Places({})
    values = describe_system_page(ReportContext(campaign=campaign, system=read_recorded_system(campaign), **others))
    shown = re.sub(r"<[^>]+>", " ", values["model"])
    for label, value in (("Targets", "8"), ("Target rate", "5.00 MB/s"), ("Metadata servers", "2"), ("Clients", "4")):
        assert re.search(rf"\b{label}\s+{value}\s", shown), label
    assert "{}" not in values["target"]
