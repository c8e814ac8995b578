"""The command line explains itself: help for every argument, the version, completion, and refusals in one line."""

import subprocess
from importlib.metadata import version

import pytest

from coldcache.__main__ import _make_parser, main
from coldcache.workflow.command_line import list_subparsers, write_completion


def test_every_argument_of_every_subcommand_has_help():
    commands = list_subparsers(_make_parser())
    assert len(commands) > 20
    without = [
        f"{name} {action.option_strings or action.dest}"
        for name, command in commands.items()
        for action in command._actions
        if not action.help
    ]
    assert without == []
    assert all("%(default)" not in (action.help or "") for action in _make_parser()._actions)


def test_the_version_is_that_of_the_package(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"coldcache {version('coldcache')}\n")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["plann"], 'unknown command "plann"; did you mean "plan"?'),
        ([], "COMMAND is required; see coldcache --help"),
        (["plan", "--stduy=quick"], 'plan: unknown argument "--stduy"; did you mean "--study"?'),
        (["plan", "--format=xml"], 'plan: --format: unknown "xml"; known are text, jsonl'),
        (["plan", "quick"], 'plan: "quick" is one argument too many'),
        (["seal"], "seal: campaign is required; see coldcache seal --help"),
        (["collect", "--campaign=x"], "collect: --results is required; see coldcache collect --help"),
        (["compare", "a", "b", "--threshold=much"], 'compare: --threshold: "much" is no number'),
        (["archive", "x", "--output"], "archive: argument --output: expected one argument"),
    ],
)
def test_a_mistake_in_the_arguments_is_one_line(capsys, arguments, line):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out, printed.err) == (2, "", f"coldcache: {line}\n")


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["coldcache", "pl"], {"plan"}),
        (["coldcache", "plan", "--st"], {"--study"}),
        (["coldcache", "plan", "--study", "dell"], {"dell-lustre"}),
        (["coldcache", "plan", "--study", "=", "qu"], {"quick"}),
        (["coldcache", "plan", "--format", ""], {"text", "jsonl"}),
        (["coldcache", "check", "loc"], {"local"}),
        (["coldcache", "status", "ref"], {"reference"}),
        (["coldcache", "completion", "b"], {"bash"}),
    ],
)
def test_bash_completes_commands_options_and_names(root, tmp_path, words, completed):
    (tmp_path / "script").write_text(write_completion(_make_parser()))
    ask = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _coldcache; printf "%s\\n" "${COMPREPLY[@]}"'
    command = ["bash", "-c", ask, str(tmp_path / "script"), *words]
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert set(answer.stdout.split()) == completed
    assert answer.stderr == ""


def test_the_script_is_printed(capsys):
    assert main(["completion", "bash"]) == 0
    assert capsys.readouterr().out == write_completion(_make_parser())
