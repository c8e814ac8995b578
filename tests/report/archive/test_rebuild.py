"""Results are rebuilt from an archive alone, and a damaged archive is refused."""

import re
import shutil
import zipfile

from coldcache.report.archive import program_copy, rebuild


def test_it_is_rebuilt_from_the_file_alone_and_damage_is_noticed(project, run):
    run("archive", "tiny", "--output", "a.zip")
    shutil.rmtree("raw/tiny")
    shutil.rmtree("results/tiny")
    status, said, error = run("rebuild", "a.zip")
    assert (status, error) == (0, "")
    assert re.search(r"\ntiny: \d+ identical, 0 equal, 0 different\n$", said)
    assert "made by" not in said
    with zipfile.ZipFile("a.zip") as packed, zipfile.ZipFile("b.zip", "w") as changed:
        for name in packed.namelist():
            changed.writestr(name, packed.read(name).replace(b'"exit_status": 0', b'"exit_status": 1'))
    status, said, error = run("rebuild", "b.zip")
    assert status == 1
    assert re.fullmatch(r"coldcache: b\.zip: raw/tiny/\S+/trial\.json: changed; fetch it again\n", error)


def test_a_rebuild_by_another_version_names_both(project, run, monkeypatch):
    run("archive", "tiny", "--output", "a.zip")
    made_by = program_copy.name_version()
    monkeypatch.setattr(program_copy, "name_version", lambda: "9.9")
    monkeypatch.setattr(rebuild, "make_results", lambda campaign, *_: campaign.parents[1] / "results/tiny")
    status, said, error = run("rebuild", "a.zip")
    assert (status, error) == (0, "")
    assert said.startswith(f"made by {made_by}, rebuilt by 9.9; its code/ is the earlier one\n")
