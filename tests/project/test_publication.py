"""What is published has one version, one set of notes, and the literature that it cites; issue forms can be read."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]


def test_citation_deposit_and_changelog_name_the_version_of_the_package() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    deposit = json.loads((ROOT / ".zenodo.json").read_text())
    assert (citation["version"], deposit["version"]) == (version, version)
    assert f"\n## {version}\n" in (ROOT / "CHANGELOG.md").read_text()
    assert deposit["title"] == citation["title"]
    assert deposit["license"] == citation["license"]
    assert [creator["name"] for creator in deposit["creators"]] == [author["name"] for author in citation["authors"]]
    assert deposit["keywords"] == citation["keywords"]


def test_a_release_has_the_notes_of_its_version_and_no_other() -> None:
    version = yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]
    section = (ROOT / "CHANGELOG.md").read_text().split(f"\n## {version}\n")[1].split("\n## ")[0]
    notes = subprocess.check_output([".ci/release_notes", f"v{version}"], cwd=ROOT, text=True)
    assert notes.strip() == section.strip()
    wrong = subprocess.run([".ci/release_notes", "v99.0"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr == (
        f"release: tag v99.0, but pyproject.toml states version {version}: name the tag v{version}, "
        "or change the version\n"
    )


def test_the_changes_of_a_release_are_read_in_two_minutes() -> None:
    for section in (ROOT / "CHANGELOG.md").read_text().split("\n## ")[1:]:
        # An adult reads about 240 words a minute.
        assert len([word for word in section.split() if re.search(r"\w", word)]) <= 480, section.splitlines()[0]


def test_the_tests_run_with_every_python_that_the_package_names() -> None:
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    named = [line.rsplit(" ")[-1] for line in classifiers if re.search(r":: 3\.\d+$", line)]
    workflow = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())
    assert [job["python"] for job in workflow["jobs"]["test"]["strategy"]["matrix"]["include"]] == named


def test_the_paper_cites_what_its_bibliography_holds_and_nothing_else() -> None:
    paper, bibliography = (ROOT / "paper.md").read_text(), (ROOT / "paper.bib").read_text()
    cited = set(re.findall(r"@([a-z]+[a-z0-9-]*)", paper))
    assert cited == set(re.findall(r"^@[a-z]+\{([a-z0-9-]+),$", bibliography, re.MULTILINE))
    # A key begins as the id of a study does, for the documents that the studies encode.
    assert {"dell-lustre", "pixstor-nvme", "fsx-metadata", "sas-grid", "anf-nfs"} <= cited
    for part in ("# Summary", "# Statement of need", "# References"):
        assert f"\n{part}\n" in paper


def test_the_five_documents_have_one_title_and_year_in_the_bibliography_and_on_their_page() -> None:
    entries = {}
    for key, body in re.findall(
        r"^@[a-z]+\{([a-z0-9-]+),\n(.*?)^\}$", (ROOT / "paper.bib").read_text(), re.MULTILINE | re.DOTALL
    ):
        title = re.search(r"^  title = \{(.+)\},?$", body, re.MULTILINE)[1]
        year = re.search(r"^  year = \{(\d{4})\}", body, re.MULTILINE)
        entries[key] = (re.sub(r"[{}]", "", title), year[1] if year else "not stated")
    rows = re.findall(
        r"^\| `([a-z-]+)` \| (.+?)(?: \(.+?\))? \| .+ \| (.+) \| \w+ \|$",
        (ROOT / "docs/run-the-five-studies.md").read_text(),
        re.MULTILINE,
    )
    assert [study for study, _, _ in rows] == ["dell-lustre", "pixstor-nvme", "fsx-metadata", "sas-grid", "anf-nfs"]
    for study, title, year in rows:
        assert (title, year) == entries[study]


@pytest.mark.parametrize("form", sorted(ROOT.glob(".github/ISSUE_TEMPLATE/[!c]*.yml")), ids=lambda path: path.stem)
def test_issue_forms_have_questions_with_names_of_their_own(form: Path) -> None:
    stated = yaml.safe_load(form.read_text())
    assert {"name", "description", "body"} <= set(stated)
    asked = [part for part in stated["body"] if part["type"] != "markdown"]
    assert len({part["id"] for part in asked}) == len(asked) > 1
    assert all(part["attributes"]["label"] for part in asked)
