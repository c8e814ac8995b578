"""Typical mistakes in YAML, arguments and environment: each ends in one line that says what, where, and what to do."""

# ruff: noqa: E501 (a row of the table is a line)

import ast
import os
import re
import shutil
from pathlib import Path

import pytest

from coldcache.__main__ import main
from coldcache.workflow.inputs import check_file, read_inputs

STUDY, SITE = "config/studies/tiny.yaml", "config/sites/here.yaml"

#: What stands in the files of the tests, what was typed instead, and the line. ``@`` is the number of the typed line.
YAML = [
    # Words and sizes of other tools.
    (STUDY, "[64 KiB]", "[64k]", 'sweeps.transfers: factors.transfer_size: "64k" has an unknown unit "k"; did you mean 64 KiB (65,536 B)?'),
    (STUDY, "[16 MiB]", "[16M]", 'sweeps.transfers: factors.file_size: "16M" has an unknown unit "M"; did you mean 16 MiB (16,777,216 B)?'),
    (STUDY, "[64 KiB]", "[64 kb]", 'sweeps.transfers: factors.transfer_size: "64 kb" has an unknown unit "kb"; did you mean 64 KiB (65,536 B), or 64 kB of powers of ten?'),
    (STUDY, "[16 MiB]", "[4 KiB, 16 MB, 1g]", 'sweeps.transfers: factors.file_size: "1g" has an unknown unit "g"; did you mean 1 GiB (1,073,741,824 B)?'),
    (STUDY, "queue_depth: [4]", "iodepth: [4]", 'sweeps.cache: factors: unknown factor "iodepth"; fio\'s iodepth is queue_depth here'),
    (STUDY, "transfer_size: [64 KiB]", "bs: [64 KiB]", 'sweeps.transfers: factors: unknown factor "bs"; fio\'s bs is transfer_size here'),
    (STUDY, "threads: [1, 2]", "numjobs: [1, 2]", 'sweeps.transfers: factors: unknown factor "numjobs"; fio\'s numjobs is threads here'),
    (STUDY, "threads: [1, 2]", "-t: [1, 2]", 'sweeps.transfers: factors: unknown factor "-t"; IOR\'s -t is transfer_size here; IOzone\'s -t is threads here'),
    (STUDY, "file_size: [16 MiB]", "-b: [16 MiB]", 'sweeps.transfers: factors: unknown factor "-b"; IOR\'s -b is file_size here'),
    (STUDY, "direct_io: [where-possible]", "direct: [1]", 'sweeps.transfers: factors: unknown factor "direct"; fio\'s direct is direct_io here'),
    (STUDY, "operations: [write, read]", "rw: [write, read]", 'sweeps.transfers: unknown key "rw"; fio\'s rw is operations here'),
    (STUDY, "[random-write]", "[randwrite]", 'sweeps.cache.operations.0: unknown "randwrite"; did you mean "random-write"?'),
    # Kinds of values.
    (STUDY, "threads: [1, 2]", "threads: 2", "sweeps.transfers.factors.threads: must be a list, as in [2]"),
    (STUDY, "threads: [1, 2]", "threads: 1, 2, 4", "sweeps.transfers.factors.threads: must be a list, as in [1, 2, 4]"),
    (STUDY, "threads: [1, 2]", "threads: []", "sweeps.transfers.factors.threads: must not be empty"),
    (STUDY, "threads: [1, 2]", "threads: [1, two]", 'sweeps.transfers: factors.threads: "two" is not a number'),
    (STUDY, "threads: [1, 2]", "threads: [1, 0]", "sweeps.transfers: factors.threads: 0 is not a whole number of at least 1"),
    (STUDY, "threads: [1, 2]", "threads: [1, 2, 1]", 'sweeps.transfers: factors.threads: the level "1" appears twice'),
    (STUDY, "repetitions: 2", "repetitions: many", 'repetitions: must be a whole number, not "many"'),
    (STUDY, "repetitions: 2", "repetitions: 0", "repetitions: must be at least 1, not 0"),
    (STUDY, "title: A study of seconds", "title: [A, B]", "title: must be text, not [A, B]"),
    (STUDY, "operations: [write, read]", "operations: write", 'sweeps.transfers.operations: must be a list, as in ["write"]'),
    (STUDY, "notebooks: []", "notebooks: overview", 'notebooks: must be a list, as in ["overview"]'),
    (SITE, "make: true", "make: perhaps", 'targets.scratch.make: must be true or false, not "perhaps"'),
    (SITE, "limits:\n  bytes: 64 MiB\n  seconds: 20 s", "limits: small", 'limits: must hold keys and values, not "small"'),
    # Names.
    (STUDY, "question:", "qestion:", 'unknown key "qestion"; did you mean "question"?'),
    (STUDY, "operations: [write, read]", "operations: [write, raed]", 'sweeps.transfers.operations.1: unknown "raed"; did you mean "read"?'),
    (STUDY, "study: tiny", "study: other", 'study: "other" is not the name of the file; write "tiny"'),
    (STUDY, "notebooks: []", "notebooks: [my_rates]", 'notebooks.0: "my_rates" cannot be meant: what belongs here has 1 to 63 lower-case letters, digits and hyphens, and begins with no hyphen'),
    (STUDY, "notebooks: []", "notebooks: [overveiw]", 'notebooks.0: unknown notebook "overveiw"; did you mean "overview"?'),
    (STUDY, "repetitions: 2", "repetitions: 02", None),
    (STUDY, "repetitions: 2", "operations: [write]\nrepetitions: 2", 'unknown key "operations"; it is sweeps.<name>.operations'),
    (SITE, "thresholds:", "modules: [fio/3.33]\nthresholds:", 'unknown key "modules"; it is clients.modules'),
    (SITE, "thresholds:", "clients: {memory: 64}\nthresholds:", "clients.memory: 64 is 64 B, which no machine has; did you mean 64 GiB?"),
    (SITE, "site: here", "site: there", 'site: "there" is not the name of the file; write "here"'),
    (STUDY, "  files:\n    title", "  My Files:\n    title", None),
    (STUDY, "title: A study of seconds", "title: a\nquestion: b", None),
    (SITE, "seconds: 20 s", "seconds: 20 sec", 'limits.seconds: "20 sec" has an unknown unit "sec"; did you mean 20 s?'),
    (SITE, "seconds: 20 s", "seconds: 5m", 'limits.seconds: "5m" has an unknown unit "m"; did you mean 5 min?'),
    (SITE, "bytes: 64 MiB", "byte: 64 MiB", 'limits: unknown key "byte"; did you mean "bytes"?'),
    (SITE, "path: scratch, make: true", 'path: ""', "targets.scratch.path: must not be empty"),
]  # fmt: skip

#: As above, with the whole line where another line of the file, or none, is named.
WHOLE = {
    "  My Files:\n    title": f'{STUDY}, line 20, sweeps.My Files: "My Files" cannot be meant: what belongs here has 1 '
    "to 63 lower-case letters, digits and hyphens, and begins with no hyphen",
    "repetitions: 02": f'{STUDY}, line 4: YAML reads 02 as 2; write 2, or "02" if it is text',
    "title: a\nquestion: b": f'{STUDY}, line 4: the key "question" appears twice, first in line 3',
}

PLAN = ["plan", "--study=tiny", "--site=here"]

#: What was typed, the exit status, and the line.
ARGUMENTS = [
    ("plann", 2, 'unknown command "plann"; did you mean "plan"?'),
    ("plan --stduy=tiny", 2, 'plan: unknown argument "--stduy"; did you mean "--study"?'),
    ("plan tiny", 2, 'plan: "tiny" is one argument too many'),
    ("plan --format=xml", 2, 'plan: --format: unknown "xml"; known are text, jsonl'),
    ("plan --study=tny --site=here", 1, 'config/studies/tny.yaml: there is no such file; did you mean "tiny"?'),
    ("plan --study=tiny --site=her", 1, 'config/sites/her.yaml: there is no such file; did you mean "here"?'),
    ("plan --study=../tiny --site=here", 1, 'config/studies: "../tiny" is the name of no study; did you mean "tiny"?'),
    ("plan --study=tiny --site=../here", 1, 'config/sites: "../here" is the name of no site; did you mean "here"?'),
    ("-d nowhere plan", 1, "nowhere: No such file or directory"),
    ("new config", 1, "config: is there already, and is not empty; choose another name"),
    ("new My_Study", 1, '"My_Study" names a study, too: use lower-case letters, digits and hyphens, at most 63'),
    ("plan --study=tiny,tiny --site=here", 1, 'studies: "tiny" is named twice'),
    ("plan --study=tiny --site=here --target=/etc", 1,
     "target: /etc belongs to the system; name an empty folder of its own"),
    ("seal", 2, "seal: campaign is required; see coldcache seal --help"),
    ("status gone", 1, "raw/gone holds no campaign.json: it is no campaign"),
    ("seal gone", 1, "raw/gone holds no campaign.json: it is no campaign"),
    ("import gone --campaign=x", 1, "gone: there is no such folder"),
    ("import config --campaign=../x", 1,
     'campaign "../x": a name has letters a to z, digits, hyphens and underscores only, and begins with a letter or a '
     "digit"),
    ("parse gone.json", 2, "gone.json: cannot be read: No such file or directory"),
    ("parse config/sites/here.yaml", 2, "config/sites/here.yaml: no known tool wrote this log"),
    ("compare a", 1, "compare: a alone cannot be compared; name two campaigns or more"),
]  # fmt: skip


@pytest.fixture
def say(capsys):
    """Return the exit status and the one line of a command."""

    def typed(arguments):
        try:
            status = main(arguments)
        except SystemExit as ended:
            status = ended.code
        printed = capsys.readouterr()
        assert printed.out == ""
        assert "Traceback" not in printed.err
        (line,) = printed.err.splitlines()
        assert line.startswith("coldcache: ")
        return status, line.removeprefix("coldcache: ")

    return typed


@pytest.mark.parametrize(("file", "old", "new", "line"), YAML, ids=[row[2] for row in YAML])
def test_a_mistake_in_yaml(project, change, say, file, old, new, line):
    path = Path(file)
    change(path, old, new)
    number = path.read_text().partition(new)[0].count("\n") + 1
    expected = WHOLE[new] if line is None else f"{file}, line {number}, {line}"
    assert say(PLAN) == (1, expected)


@pytest.mark.parametrize(("typed", "status", "line"), ARGUMENTS, ids=[row[0] for row in ARGUMENTS])
def test_a_mistake_in_arguments(project, say, typed, status, line):
    found = say(typed.split())
    assert found == (status, line)


def _without_fio(project):
    (project / "bin").mkdir()
    os.environ["PATH"] = str(project / "bin")


def _target_in_use(project):
    (project / "scratch").mkdir()
    (project / "scratch/thesis.doc").touch()


def _target_is_a_file(project):
    (project / "scratch").touch()


def _no_config(project):
    shutil.rmtree(project / "config")


def _not_text(project):
    (project / STUDY).write_bytes(b"study: \xff\n")


def _folder_for_a_file(project):
    (project / STUDY).unlink()
    (project / STUDY).mkdir()


def _tabs(project):
    (project / STUDY).write_text("study: tiny\n\ttitle: x\n")


def _modules(project):
    os.environ["HOME"] = str(project)
    site = project / SITE
    site.write_text(site.read_text() + "clients: {modules: [fio/3.33]}\n")


#: Those of the program, which a folder without sites of its own has.
SHIPPED_SITES = [path.stem for path in sorted((Path(__file__).parents[2] / "config/sites").glob("*.yaml"))]

#: What is wrong with the machine or the folder, and the line.
ENVIRONMENT = [
    (_without_fio, f"{STUDY}, line 8, sweeps.transfers: fio is not on PATH; install it: apt-get install fio"),
    (_target_in_use,
     f'{SITE}, line 4, targets.scratch.path: scratch holds foreign files such as "thesis.doc"; name an empty folder'),
    (_target_is_a_file,
     f"{SITE}, line 4, targets.scratch.path: scratch is not a folder; name an empty folder on the file system to measure"),
    (_no_config, f"{SITE}: there is no such file; known are {', '.join(SHIPPED_SITES)}"),
    (_not_text, f"{STUDY}: not UTF-8 text at byte 7"),
    (_folder_for_a_file, f"{STUDY}: is a folder; a file is needed here"),
    (_tabs, f"{STUDY}, line 2: not YAML: found character '\\t' that cannot start any token"),
    (_modules, f"{SITE}, line @, clients.modules: this machine has no command module, which would load fio/3.33; "
               "install Lmod or Environment Modules, or remove the key"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "line"), ENVIRONMENT, ids=[row[0].__name__ for row in ENVIRONMENT])
def test_a_mistake_in_the_environment(project, say, monkeypatch, wrong, line):
    monkeypatch.setattr(os, "environ", os.environ.copy())
    wrong(project)
    status, found = say(PLAN)
    assert status == 1
    last = len(Path(SITE).read_text().splitlines()) if Path(SITE).is_file() else 0
    assert found == line.replace("@", str(last))


#: What `config/config.yaml` holds, and the line.
CONFIG = [
    ("campaign: mine\ncampaigm: local\n", 'line 2, unknown key "campaigm"; did you mean "campaign"?'),
    ("site: here\ncampaign: 007\n", 'line 2: YAML reads 007 as 7; write 7, or "007" if it is text'),
    ("studies:\n- quick\n- tiny\n", 'line 1, studies: must be text, not [quick, tiny]'),
    ("campaign: [local\n", "line 2: not YAML: expected ',' or ']', but got '<stream end>'"),
    ("size: big\nsize: small\n", 'line 2: the key "size" appears twice, first in line 1'),
    ("seconds: true\n", "line 1, seconds: must be text, not true"),
    ("local\n", "must hold keys and values; see config/README.md"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "line"), CONFIG, ids=[row[0] for row in CONFIG])
def test_a_mistake_in_the_configuration(project, content, line):
    Path("config/config.yaml").write_text(content)
    with pytest.raises(SystemExit) as ended:
        check_file("config/config.yaml", is_read=True)
    assert str(ended.value) in (f"coldcache: config/config.yaml, {line}", f"coldcache: config/config.yaml: {line}")
    # A module of another workflow gets its configuration from there.
    check_file("config/config.yaml", is_read=False)


def test_a_folder_without_a_configuration(project):
    with pytest.raises(SystemExit) as ended:
        check_file("config/config.yaml", is_read=True)
    assert str(ended.value) == (
        f"coldcache: config/config.yaml: there is no such file in {project}; coldcache new makes a folder that has one"
    )


#: What was typed after ``--config``, and the line.
TYPED = [
    ("campaigm=x", '--config: unknown key "campaigm"; did you mean "campaign"?'),
    ("campaign=../x", 'campaign "../x": a name has letters a to z, digits, hyphens and underscores only, and begins with a letter or a digit'),
    ("size=4k", 'size: "4k" has an unknown unit "k"; did you mean 4 KiB (4,096 B)?'),
    ("seconds=soon", 'seconds: "soon" is not a number with a unit of ms, s, min, h'),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "line"), TYPED, ids=[row[0] for row in TYPED])
def test_a_mistake_after_config(project, typed, line):
    key, _, value = typed.partition("=")
    with pytest.raises(SystemExit) as ended:
        read_inputs({"campaign": "x", "studies": "tiny", "site": "here", key: value}, typed=[typed])
    assert str(ended.value) == f"coldcache: {line}"


def test_there_are_forty_mistakes_and_each_line_says_where_and_what_to_do():
    lines = [row[-1] or WHOLE[row[2]] for row in YAML]
    lines += [row[-1] for row in (*ARGUMENTS, *ENVIRONMENT, *CONFIG, *TYPED)]
    assert len(lines) >= 80 and all(lines)
    assert not any(re.search("Input should|Traceback|pydantic|NoneType", line) for line in lines)


#: The text of a message that would advise to destroy what cannot be made again.
DESTROYING = re.compile(
    r"\b(?:remove|delete|rm -\w+) (?:the |its |their |all )*(?:raw|logs?|trials?|campaign|\{[\w.]*folder[\w.]*\})"
)


def test_no_message_advises_to_delete_logs():
    found = []
    for path in sorted((Path(__file__).parents[2] / "workflow/src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.JoinedStr):
                text = "".join(
                    str(part.value) if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}"
                    for part in node.values
                )
                found += [(path.name, text)] if DESTROYING.search(text) else []
    assert found == []
