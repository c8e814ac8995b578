import csv
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from coldcache.dataset.collect import collect
from coldcache.report.site.render import ReportError, render

STUDY = {
    "study": "other",
    "title": "A <b>second</b> *look*: `x` | {{y}}",
    "question": "Does [this](x.md) hold -- & <script>alert(1)</script>?",
}
HOST = "</td><script>alert(1)</script>```\n# vm"


class Page(HTMLParser):
    """What a page links to, the ids that it has, its headings, the text of its article and the rows of its tables."""

    def __init__(self, path: Path):
        super().__init__()
        self.path, self.links, self.ids, self.headings, self.text = path, [], set(), [], ""
        self.rows: list[list[str]] = []
        self._heading = self._inside = self._cell = False
        self.feed(path.read_text(encoding="utf-8"))
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.links += [values[name] for name in ("href", "xlink:href", "src", "action") if values.get(name)]
        self.ids.add(values.get("id"))
        self._inside = self._inside or tag == "article"
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self._cell = True
            self.rows[-1].append("")
        if re.fullmatch("h[1-6]", tag):
            self._heading = True
            self.headings.append("")

    def handle_endtag(self, tag):
        self._inside = self._inside and tag != "article"
        self._cell = self._cell and tag not in ("td", "th")
        self._heading = self._heading and not re.fullmatch("h[1-6]", tag)

    def handle_data(self, data):
        if self._heading:
            self.headings[-1] += data
        if self._cell:
            self.rows[-1][-1] += data
        if self._inside:
            self.text += data


def _pages(report: Path) -> list[Page]:
    return [Page(path) for path in sorted(report.rglob("*.html"))]


def _findings(notebook: Path) -> list[str]:
    """Return the sentences that a notebook displays as findings, without Markdown's signs and without links."""
    cells = json.loads(notebook.read_text())["cells"]
    return [
        re.sub("[`*]|<[^>]+>", "", paragraph)
        for cell in cells
        if "finding" in cell["metadata"].get("tags", [])
        for output in cell["outputs"]
        for paragraph in "".join(output.get("data", {}).get("text/markdown", "")).split("\n\n")
        if paragraph
    ]


def test_the_first_page_answers_in_the_order_of_a_readers_questions(reference_report, root):
    studies = [study["title"] for study in json.loads((root / "raw/reference/campaign.json").read_text())["studies"]]
    assert Page(reference_report / "index.html").headings == [
        "What was found", *studies, "Claims", "Tables and figures of the documents", "On what system", "How sure",
    ]  # fmt: skip


def test_the_first_page_states_every_finding_before_anything_else(reference_report, root):
    text = Page(reference_report / "index.html").text
    study = json.loads((root / "raw/reference/campaign.json").read_text())["studies"][0]
    found, _, _ = text.partition("On what system")
    for name in study["notebooks"]:
        sentences = _findings(root / f"notebooks/{name}.ipynb")
        assert sentences
        for sentence in sentences:
            _, stated, found = found.partition(sentence)
            assert stated, f"{sentence!r} does not stand on the first page, or not in its place"


def test_the_first_page_begins_with_how_sure_it_is_and_what_became_of_the_documents(reference_report, root):
    page = Page(reference_report / "index.html")
    title = json.loads((root / "raw/reference/campaign.json").read_text())["site"]["title"]
    with (reference_report.parent / "coverage.csv").open(newline="") as file:
        states = [row["state"] for row in csv.DictReader(file)]
    glance, _, _ = page.text.partition("A quick look")
    assert f"{title}: " in glance
    assert "trials are valid" in glance and "are proved cold." in glance
    assert f"tables and figures, {states.count('measured')} are measured" in glance
    assert {"#on-what-system", "#how-sure", "#claims", "#tables-and-figures-of-the-documents"} <= set(page.links)


def test_each_group_of_findings_leads_to_its_page(reference_report, root):
    links = Page(reference_report / "index.html").links
    study = json.loads((root / "raw/reference/campaign.json").read_text())["studies"][0]
    for name in study["notebooks"]:
        assert links.count(f"quick/{name}.html") >= 2


def test_the_first_page_counts_what_the_verdicts_count(reference_report):
    with (reference_report.parent / "verdicts.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["study"] != "specimens"]
    verdicts = [row["verdict"] for row in rows]
    reads = [row["cold"] for row in rows if row["cold"] != "not applicable"]
    counted = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in ("suspect", "void", "missing"))
    text = Page(reference_report / "index.html").text
    assert f"{verdicts.count('valid')} of {len(verdicts)} trials are valid, {counted}: which, and why." in text
    assert f"Of {len(reads)} trials that read, {reads.count('cold')} are proved cold." in text


def test_every_link_leads_to_something_on_this_disk(reference_report):
    pages = {page.path: page for page in _pages(reference_report)}
    # One for each sweep, case and trial, beside those of Sphinx.
    with (reference_report.parent / "verdicts.csv").open(newline="") as file:
        trials = [(row["study"], row["sweep"], row["case"], row["repetition"]) for row in csv.DictReader(file)]
    expected = sum(len({trial[:parts] for trial in trials}) for parts in (2, 3, 4))
    assert sum(path.is_relative_to(reference_report / "trials") for path in pages) == expected > 400
    for page in pages.values():
        for link in page.links:
            address = urlsplit(link)
            assert not address.scheme and not address.netloc, f"{page.path.name} leads to {link}"
            target = (page.path.parent / unquote(address.path)).resolve() if address.path else page.path
            assert target.is_relative_to(reference_report), f"{page.path.name} leads out of the report, to {link}"
            assert target.exists(), f"{page.path.name} leads to {link}"
            if address.fragment and target in pages:
                assert address.fragment in pages[target].ids, f"{page.path.name} leads to {link}"


def test_a_cell_that_says_nothing_leaves_no_empty_box(reference_report):
    for path in reference_report.rglob("*.html"):
        assert not re.search(r"<pre><span></span>\s*</pre>", path.read_text(encoding="utf-8")), path


def test_no_style_sheet_fetches_from_a_network(reference_report):
    for path in reference_report.rglob("*.css"):
        for address in re.findall(r"""(?:url\(|@import)\s*["']?([^"')]+)""", path.read_text(encoding="utf-8")):
            assert not urlsplit(address).netloc, f"{path.name} fetches {address}"


def _list_repetitions(text: str) -> list[str]:
    """Return the repetitions that a page names, such as ``r0, r2 to r4``."""
    found = []
    for part in text.split(", "):
        first, _, last = part.partition(" to ")
        found += [f"r{number}" for number in range(int(first[1:]), int((last or first)[1:]) + 1)] if last else [first]
    return found


def test_every_trial_that_is_not_valid_stands_on_the_page_on_validity(reference_report):
    rows = Page(reference_report / "validity.html").rows
    with (reference_report.parent / "reasons.csv").open(newline="") as file:
        trials = list(csv.DictReader(file))
    assert trials
    shown = {
        (case, repetition, verdict, reason)
        for case, repetitions, verdict, reason in (row for row in rows if len(row) == 4)
        for repetition in _list_repetitions(repetitions)
    }
    for trial in trials:
        assert (trial["case"], f"r{trial['repetition']}", trial["verdict"], trial["reasons"]) in shown


def test_a_report_holds_nothing_of_the_build_nor_of_where_it_was_made(reference_report, root):
    names = {path.name for path in reference_report.rglob("*")}
    assert not names & {"_sources", ".doctrees", ".buildinfo", "objects.inv"}
    assert sorted(path.name for path in reference_report.parent.iterdir() if path.name.startswith(".")) == []
    for path in reference_report.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert str(root).encode() not in content, path
            assert str(reference_report.parents[2]).encode() not in content, path


@pytest.fixture
def hostile(root, tmp_path, monkeypatch) -> Path:
    """A project with a campaign of two studies, most trials missing, that calls its host by a name full of markup."""
    monkeypatch.chdir(tmp_path)
    sealed, raw, results = root / "raw/reference", tmp_path / "raw/hostile", tmp_path / "results/hostile"
    shutil.copytree(
        sealed / "quick/random/operation=random-read,threads=1", raw / "quick/random/operation=random-read,threads=1"
    )
    for repetition in range(5, 10):
        shutil.rmtree(raw / f"quick/random/operation=random-read,threads=1/r{repetition}")
    for path in raw.rglob("trial.json"):
        outcome = json.loads(path.read_text())
        outcome["system"]["host"] = HOST
        outcome["target"]["mount_options"] = "rw," + ",".join(f"lowerdir=/layers/{layer}" for layer in range(40))
        path.write_text(json.dumps(outcome))
    design = json.loads((sealed / "campaign.json").read_text())
    quick, tools = design["studies"][0], design["circumstances"]["tools"]
    quick["notebooks"], quick["sentinel"] = ["random-iops"], None
    del quick["sweeps"]["probe"]
    quick["sweeps"]["random"]["repeat_until"] = None
    design["campaign"] = "hostile"
    design["studies"] = [quick, {**quick, **STUDY, "sweeps": {"random": quick["sweeps"]["random"]}}]
    tools["other/random"] = tools["quick/random"]
    (raw / "campaign.json").write_text(json.dumps(design))
    for study in ("quick", "other"):
        (results / "notebooks" / study).mkdir(parents=True)
        shutil.copy(root / "notebooks/random-iops.ipynb", results / "notebooks" / study)
    collect("hostile", results)
    return tmp_path


def _render(project: Path) -> Path:
    render("hostile", Path("results/hostile"), Path("logs/report.log"))
    return project / "results/hostile/report"


def test_text_of_others_is_shown_letter_by_letter(hostile):
    report = _render(hostile)
    assert "</td><script>alert(1)</script>``` # vm" in Page(report / "system.html").text
    first = Page(report / "index.html")
    assert STUDY["title"] in first.headings
    assert STUDY["question"] in first.text
    assert Page(report / "other/index.html").headings[0] == STUDY["title"]
    for path in report.rglob("*.html"):
        assert "<script>alert" not in path.read_text()


def test_options_that_fill_a_screen_are_cut_on_the_first_page_only(hostile):
    report = _render(hostile)
    assert "lowerdir=/layers/39" not in Page(report / "index.html").text
    assert "lowerdir=/layers/39" in Page(report / "system.html").text


def test_trials_that_are_missing_are_counted_and_named(hostile):
    report = _render(hostile)
    assert "5 of 195 trials are valid, 0 suspect, 0 void, 190 missing" in Page(report / "index.html").text
    rows = Page(report / "validity.html").rows
    assert ["quick/random", "30", "5", "0", "0", "25"] in rows
    assert ["other/random", "30", "0", "0", "0", "30"] in rows
    assert ["all", "195", "5", "0", "0", "190"] in rows
    assert rows.count(["operation=random-read,threads=2", "r0 to r4", "missing", "not measured yet"]) == 2


def test_the_same_evidence_gives_the_same_bytes(hostile):
    def read(report):
        return {str(path.relative_to(report)): path.read_bytes() for path in report.rglob("*") if path.is_file()}

    first = read(_render(hostile))
    assert read(_render(hostile)) == first


def test_a_page_that_sphinx_warns_of_ends_the_rendering_and_the_old_report_stays(hostile):
    report = hostile / "results/hostile/report"
    report.mkdir()
    (report / "index.html").write_text("before")
    notebook = hostile / "results/hostile/notebooks/other/random-iops.ipynb"
    pages = json.loads(notebook.read_text())
    pages["cells"].append({"cell_type": "markdown", "id": "last", "metadata": {}, "source": "[x](nowhere.md)"})
    notebook.write_text(json.dumps(pages))
    with pytest.raises(ReportError) as refused:
        _render(hostile)
    number = len(pages["cells"])
    assert str(refused.value) == (
        f"results/hostile/report cannot be rendered (other/random-iops.ipynb:{number}0002: WARNING: "
        "'myst' cross-reference target not found: 'nowhere.md' [myst.xref_missing]); "
        "all that Sphinx said is in logs/report.log"
    )
    assert "nowhere.md" in (hostile / "logs/report.log").read_text()
    assert (report / "index.html").read_text() == "before"
    assert sorted(path.name for path in report.parent.glob(".*")) == []


def test_a_notebook_that_was_not_executed_is_named_in_one_line(coldcache, root):
    Path("raw").symlink_to(root / "raw")
    found = coldcache("report", "--campaign=reference", "--results=results/none", "--log=logs/report.log")
    assert (found.stdout, found.returncode) == ("", 1)
    assert found.stderr == (
        "coldcache: results/none/notebooks/quick/throughput-over-threads.ipynb is missing: "
        "the notebook has not been executed; run snakemake\n"
    )


def test_what_no_notebook_saves_any_more_is_neither_in_the_results_nor_in_the_report(reported):
    results = Path("results/tiny")
    for name in ("tables/old.csv", "figures/old.svg", "notebooks/tiny/old.ipynb"):
        (results / name).parent.mkdir(parents=True, exist_ok=True)
        (results / name).write_text("x")
    render("tiny", results, Path("logs/report.log"))
    assert not list(results.rglob("old.*"))
