"""Pages of trials share files where these would be too many, and every link finds them."""

from urllib.parse import quote, unquote, urlsplit

import pytest
from html_pages import Page

from coldcache.report.site import places
from coldcache.report.site.places import Place, Places
from coldcache.report.site.trials import JudgedTrial

RATE = "random-read-rate"


def judged(case: str, repetition: int, sweep: str = "random") -> JudgedTrial:
    return JudgedTrial("quick", sweep, case, repetition, "valid", "", "", "", {})


def make_cases(count: int, repetitions: int) -> dict:
    return {("quick", "random"): {
        f"threads={case},file_size=8": [judged(f"threads={case},file_size=8", number) for number in range(repetitions)]
        for case in range(count)
    }}  # fmt: skip


def test_a_page_of_its_own_is_a_file():
    found = Places(make_cases(1666, 5))
    here = "trials/quick/random/index.html"
    case, trial = found.of_case("quick", "random", "threads=3,file_size=8"), found.of_trial(judged("threads=3", 2))
    assert case == ("trials/quick/random/threads=3,file_size=8/index.html", "")
    assert case.address(here) == "threads=3,file_size=8/index.html"
    assert trial.address(case.file, RATE) == f"../threads=3/r2.html#{RATE}"
    assert trial.address(trial.file) == ""
    link = f'<a href="../trials/quick/random/threads=3/index.html#{RATE}">'
    assert found.resolve(link) == link


def test_more_than_10_000_pages_share_files_of_15_trials_each():
    cases = make_cases(1667, 5)
    found = Places(cases)
    packed = [found.of_case("quick", "random", case).file for case in cases["quick", "random"]]
    assert packed[:5] == [*["trials/quick/random/cases-1.html"] * 3, *["trials/quick/random/cases-2.html"] * 2]
    assert packed[-1] == "trials/quick/random/cases-556.html"
    trial = found.of_trial(judged("threads=4,file_size=8", 2))
    assert trial == ("trials/quick/random/cases-2.html", "threads=4,file_size=8/r2")
    assert trial.address("trials/quick/random/index.html") == "cases-2.html#threads=4,file_size=8/r2"
    assert trial.address(trial.file, RATE) == f"#threads=4,file_size=8/r2/{RATE}"


@pytest.mark.parametrize("trials", [15, 16, 300])
def test_no_number_of_trials_makes_more_files_than_the_most(monkeypatch, trials):
    monkeypatch.setattr(places, "MOST_FILES", 10)
    cases = make_cases(trials, 1)
    found = Places(cases)
    assert len({found.of_case("quick", "random", case).file for case in cases["quick", "random"]}) <= 10


@pytest.mark.parametrize(
    ("link", "resolved"),
    [
        ("../trials/quick/random/threads=4,file_size=8/index.html",
         "../trials/quick/random/cases-2.html#threads=4,file_size=8"),
        (f"trials/quick/random/threads=4,file_size=8/r3.html#{RATE}",
         f"trials/quick/random/cases-2.html#threads=4,file_size=8/r3/{RATE}"),
        ("../trials/quick/random/index.html", "../trials/quick/random/index.html"),
        ("../trials/quick/other/threads=4/index.html", "../trials/quick/other/threads=4/index.html"),
        ("../quick/random/index.html", "../quick/random/index.html"),
    ],
)  # fmt: skip
def test_a_link_of_another_page_leads_to_its_part(link, resolved):
    found = Places(make_cases(1667, 5))
    assert found.resolve(f'<p><a class="x" href="{link}">1</a>') == f'<p><a class="x" href="{resolved}">1</a>'


def test_a_case_whose_name_needs_escapes_is_found():
    cases = {("quick", "random"): {"a+b:c%d": [judged("a+b:c%d", 0)] * 10_000}}
    escaped = quote("a+b:c%d", safe="/=,")
    assert Places(cases).resolve(f'href="../trials/quick/random/{escaped}/r0.html#x"') == (
        f'href="../trials/quick/random/cases-1.html#{escaped}/r0/x"'
    )
    assert Place("trials/a b.html", "c d").address("trials/x.html") == "a%20b.html#c%20d"


def test_pages_that_share_files_lose_no_mark_and_no_link(hostile, render_hostile, monkeypatch):
    apart = {path.name: Page(path) for path in (render_hostile() / "trials/quick/random").rglob("*.html")}
    monkeypatch.setattr(places, "MOST_FILES", 1)
    report = render_hostile()
    assert {path.name.rpartition("-")[0] for path in (report / "trials/quick/random").iterdir()} == {"cases", ""}
    pages = {path: Page(path) for path in report.rglob("*.html")}
    case = "operation=random-read,threads=1"
    (file,) = (path for path, page in pages.items() if f"{case}/r0" in page.ids)
    overview = Page(report / "quick/random-iops.html").links
    assert f"../trials/quick/random/{file.name}#{case}/r0/{RATE}" in overview
    assert {f"{case}/r0/{name}" for name in apart["r0.html"].ids if name and name != "main-content"} <= pages[file].ids
    # The notebook is that of the reference campaign, and also links to cases that this one lacks.
    for page in (page for path, page in pages.items() if path.is_relative_to(report / "trials")):
        for link in page.links:
            address = urlsplit(link)
            target = (page.path.parent / unquote(address.path)).resolve() if address.path else page.path
            assert target.exists(), f"{page.path.name} leads to {link}"
            if address.fragment and target in pages:
                assert unquote(address.fragment) in pages[target].ids, f"{page.path.name} leads to {link}"
