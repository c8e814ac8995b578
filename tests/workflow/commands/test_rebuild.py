"""`rebuild` rebuilds everything from raw logs, and shows for each file whether it is the same."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from coldcache import __main__ as program


@pytest.fixture
def rebuild(complete, capsys):
    """Run `rebuild` in a project whose campaign is measured and reported."""

    def run(named="tiny"):
        status = program.main(["rebuild", named])
        said = capsys.readouterr()
        return status, said.out.splitlines(), said.err

    return run


def test_a_campaign_that_nobody_touched_is_the_same_byte_for_byte(rebuild):
    # A page on another campaign as well is no work of this one's logs: it is taken over.
    Path("results/tiny/comparison.md").write_text("# Comparison of a and tiny\n")
    assert program.main(["report", "--campaign=tiny", "--results=results/tiny", "--log=logs/report.log"]) == 0
    status, lines, error = rebuild()
    assert (status, error) == (0, ""), [line for line in lines if not line.startswith("identical")]
    assert lines[-1] == f"tiny: {count_results()} identical, 0 equal, 0 different"
    assert "identical  dataset.nc" in lines
    assert "identical  report/index.html" in lines
    assert {line.split()[0] for line in lines[:-1]} == {"identical"}


def count_results():
    """Return how many files raw logs must give again: all but the notes of the blocks and what Snakemake goes by."""
    files = [path for path in Path("results/tiny").rglob("*") if path.is_file()]
    noted = {"blocks", "digests", "reads"}
    return len([path for path in files if path.relative_to("results/tiny").parts[0] not in noted])


def test_files_changed_afterwards_are_listed(rebuild):
    verdicts = Path("results/tiny/verdicts.csv")
    verdicts.write_text(verdicts.read_text().replace("valid", "sound", 1))
    Path("results/tiny/made-up.csv").write_text("x\n")
    Path("results/tiny/settings.csv").unlink()
    status, lines, _ = rebuild()
    assert status == 1
    assert "different  verdicts.csv: line 2" in lines
    assert "missing    made-up.csv: was not rebuilt" in lines
    assert "new        settings.csv: was not stored before" in lines


@pytest.mark.parametrize(
    ("named", "line"),
    [
        ("tony", "raw/tony: there is no such campaign, and tony is no archive"),
        ("tony.zip", "tony.zip: there is no such file"),
        ("notes.zip", "notes.zip: not an archive that python -m coldcache archive made"),
        ("bare", "results/bare: there are no results to compare with; snakemake --cores all --config "
         "campaign=bare makes it"),
    ],
)  # fmt: skip
def test_what_cannot_be_rebuilt_is_refused_in_one_line(rebuild, named, line):
    with zipfile.ZipFile("notes.zip", "w") as notes:
        notes.writestr("notes.txt", "x")
    shutil.copytree("raw/tiny", "raw/bare")
    assert rebuild(named) == (1, [], f"coldcache: {line}\n")


def test_a_step_that_fails_ends_in_its_own_words(rebuild):
    outcome = next(Path("raw/tiny").glob("*/*/*/r0/trial.json"))
    outcome.write_text(json.dumps({}))
    status, lines, error = rebuild()
    assert (status, lines) == (1, [])
    assert error == f"coldcache: collect: {outcome}: not the outcome of a trial (it lacks study)\n"
