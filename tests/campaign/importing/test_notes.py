"""What a user adds to logs is matched by path, checked, and never contradicts itself."""

import re

import pytest

from coldcache.campaign.importing.notes import NOTES, Notes, compile_pattern, read_notes
from coldcache.core.errors import DesignError


@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        ("*.log", "a.log", {}),
        ("*.log", "sub/a.log", None),
        ("**/*.log", "a.log", {}),
        ("**/*.log", "sub/deep/a.log", {}),
        ("sub/**", "sub/deep/a.log", {}),
        ("a?.log", "ab.log", {}),
        ("a?.log", "a/.log", None),
        ("a.log", "aXlog", None),
        ("run-{threads}-*.txt", "run-16-x.txt", {"threads": "16"}),
        ("{nodes}/{threads}.txt", "2/8.txt", {"nodes": "2", "threads": "8"}),
        ("{nodes}.txt", "2/8.txt", None),
    ],
)
def test_patterns_match_as_in_a_shell_and_read_factors(pattern, path, found):
    match = compile_pattern(pattern).fullmatch(path)
    assert (match and match.groupdict()) == found


def write(folder, text):
    (folder / NOTES).write_text(text)
    return read_notes(folder)


def test_factors_are_stored_in_their_units(tmp_path):
    notes = write(
        tmp_path,
        """
study: before-and-after
factors:
  "on/**": {write_cache: true, transfer_size: 1 MiB}
  "**/t{threads}.log": {direct_io: true}
""",
    )
    assert notes.factors_of("on/t8.log") == {
        "write_cache": ("on", "on/**"), "transfer_size": (1048576, "on/**"), "threads": (8, "**/t{threads}.log"),
        "direct_io": (True, "**/t{threads}.log"),
    }  # fmt: skip
    assert notes.factors_of("off/x.log") == {}
    assert notes.study == "before-and-after"


def test_a_folder_without_notes_has_empty_ones(tmp_path):
    assert read_notes(tmp_path) == Notes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sweep: {}", 'unknown key "sweep"; did you mean "sweeps"?'),
        ("sweeps: {logs: {logs: ['*']}}", 'sweeps: "logs" is the folder of the logs; choose another id'),
        (
            "study: ../x",
            'study: "../x" cannot be meant: what belongs here has 1 to 63',
        ),
        ("sweeps: {../x: {logs: ['*']}}", 'sweeps.../x: "../x" cannot be meant: what belongs here has 1 to 63'),
        ("sweeps: {x: {logs: []}}", "sweeps.x.logs: must not be empty"),
        ("sweeps: {x: {logs: ['{threads}']}}", 'sweeps.x.logs: "{threads}" reads a factor; that belongs to factors'),
        ("factors: {'*': {thread: 4}}", 'factors."*".thread: unknown factor "thread"; did you mean "threads"?'),
        ("factors: {'{thread}': {}}", 'unknown factor "thread"; did you mean "threads"?'),
        ("factors: {'{threads}-{threads}': {}}", '"{threads}-{threads}" names a factor twice'),
        ("factors: {'*': {threads: 0}}", 'factors."*".threads: 0 is not a whole number of at least 1'),
        ("factors: {'*': {direct_io: where-possible}}", 'unknown level "where-possible"; known are true, false'),
        ("- a", "must hold keys and values; see config/README.md"),
    ],
)
def test_mistakes_are_refused_with_their_place(tmp_path, text, message):
    with pytest.raises(DesignError, match=re.escape(message)) as refused:
        write(tmp_path, text)
    assert str(refused.value).startswith(f"{tmp_path / NOTES}")
    assert "\n" not in str(refused.value)


def test_notes_behind_a_link_are_refused(tmp_path):
    (tmp_path / NOTES).symlink_to("/etc/hostname")
    with pytest.raises(DesignError, match="a symbolic link: put the file itself there"):
        read_notes(tmp_path)


def test_a_log_belongs_to_one_sweep():
    notes = Notes.model_validate({"sweeps": {"a": {"logs": ["*.log"]}, "b": {"logs": ["x*"]}}})
    assert notes.sweep_of("y.log") == "a"
    assert notes.sweep_of("other.txt") is None
    with pytest.raises(DesignError, match=r"sweeps.b.logs: x.log belongs to the sweep a, too"):
        notes.sweep_of("x.log")


def test_two_levels_of_one_factor_are_refused():
    notes = Notes.model_validate({"factors": {"*.log": {"nodes": 2}, "{nodes}.log": {}}})
    assert notes.factors_of("2.log") == {"nodes": (2, "*.log")}
    with pytest.raises(DesignError, match=r'factors."\{nodes\}.log".nodes: 4.log has 4 here, and 2 by "\*.log"'):
        notes.factors_of("4.log")
    with pytest.raises(DesignError, match=r'factors."\{nodes\}.log".nodes: "x" is not a number'):
        notes.factors_of("x.log")


def test_patterns_that_match_nothing_are_named():
    notes = Notes.model_validate({"sweeps": {"a": {"logs": ["*.log", "*.lgo"]}}, "factors": {"z": {}}})
    assert notes.idle_pattern(["x.log"]) == 'sweeps.a.logs: "*.lgo"'
    assert notes.idle_pattern(["x.log", "x.lgo"]) == 'factors: "z"'
    assert notes.idle_pattern(["x.log", "x.lgo", "z"]) is None
