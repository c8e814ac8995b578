"""`new` makes a folder whose study can be planned at once, and never touches a folder that holds anything."""

from pathlib import Path

import pytest

from coldcache import __main__ as program
from coldcache.design.site import read_site
from coldcache.design.study import read_study
from coldcache.workflow.configuration import KEYS, read_config_file


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def list_entries(folder):
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file())


def test_a_folder_holds_study_site_profile_and_schemas(capsys):
    assert program.main(["new", "papers/small-reads"]) == 0
    folder = Path("papers/small-reads")
    assert list_entries(folder) == [
        ".gitignore", "README.md", "Snakefile", "config/config.yaml", "config/schema/claims.json",
        "config/schema/site.json", "config/schema/study.json", "config/sites/local.yaml",
        "config/studies/small-reads.yaml", "notebooks/README.md", "profiles/default/profile.yaml",
        "slurm/profile.yaml",
    ]  # fmt: skip
    study = read_study(folder / "config/studies", "small-reads")
    assert [len(levels) for levels in study.sweeps["random-read"].factors.values()] == [3, 3, 1, 1]
    assert read_site(folder / "config/sites", "local").target.path == "scratch"
    assert not [path for path in folder.rglob("*") if path.is_file() and "STUDY" in path.read_text()]
    assert capsys.readouterr().out.splitlines() == [
        "cd papers/small-reads", "python -m coldcache plan --study small-reads", "snakemake --cores all",
    ]  # fmt: skip


def test_the_study_of_a_new_folder_is_planned_from_elsewhere(capsys):
    assert program.main(["new", "mine"]) == 0
    capsys.readouterr()
    assert program.main(["-d", "mine", "plan", "--study", "mine"]) == 0
    *cases, last = capsys.readouterr().out.splitlines()
    # Nothing is warned of: six rounds give an interval of the median.
    assert last == "54 trials, about 2 min 10 s, up to 256 MiB on scratch"
    assert [line[:2] for line in cases[1:]] == ["  "] * 9
    # Without a name it is the study of the folder, too, as for snakemake.
    assert program.main(["plan"]) == 0
    assert capsys.readouterr().out.splitlines() == [*cases, last]


def test_the_configuration_of_a_new_folder_has_every_key_with_the_values_of_the_program(root, capsys):
    assert program.main(["new", "mine"]) == 0
    stated = read_config_file(Path("mine/config/config.yaml"))
    assert stated == {**read_config_file(root / "config/config.yaml"), "studies": "mine"}
    assert tuple(stated) == KEYS


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("Mine", '"Mine" names a study, too: use lower-case letters, digits and hyphens, at most 63'),
        ("dell-lustre",
         '"dell-lustre" names a study, too, and is that of a study or claims of the program; choose another'),
        ("contradictions",
         '"contradictions" names a study, too, and is that of a study or claims of the program; choose another'),
        ("full", "full: is there already, and is not empty; choose another name"),
        ("full/file", "full/file: is there already, and is not empty; choose another name"),
    ],
)  # fmt: skip
def test_a_folder_that_cannot_be_made_is_refused_and_nothing_is_written(name, line, capsys):
    Path("full").mkdir()
    Path("full/file").write_text("kept")
    assert program.main(["new", name]) == 1
    assert capsys.readouterr().err == f"coldcache: {line}\n"
    assert list_entries(".") == ["full/file"]


def test_a_folder_that_is_not_there_is_one_line(capsys):
    assert program.main(["-d", "nowhere", "status", "local"]) == 1
    assert capsys.readouterr().err == "coldcache: nowhere: No such file or directory\n"
