"""A sweep with ``tool: command`` means what its YAML says; each mistake in it is one line with the key."""

import re
from pathlib import Path

import pytest

from coldcache.core.errors import DesignError, ToolError
from coldcache.design.site import read_site
from coldcache.design.study import read_study
from coldcache.tools.command.form import FigurePattern
from coldcache.workflow.configuration import draft_design

STUDIES = Path("config/studies")

STUDY = """\
study: own
title: Reads and writes by dd
question: Which transfer size makes dd fast?
repetitions: 2
sweeps:
  dd:
    title: One file
    tool: command
    command: dd if={file} of=/dev/null bs={transfer_size} count={transfers} {direct_io}
    operations: [read]
    words: {direct_io: {true: iflag=direct, false: ""}}
    success: {text: copied}
    factors:
      transfer_size: [64 KiB, 1 MiB]
      file_size: [4 MiB]
      direct_io: [true, false]
    patterns:
      rate: {operation: read, metric: throughput, unit: MB/s, regex: 's, ([0-9.]+) MB/s'}
"""

BOTH = (
    "    operations: [read]\n", "    operations: [read, write]\n",
)  # fmt: skip


@pytest.fixture
def own(project):
    """Read the study after changes to its text."""

    def read(*changes):
        text = STUDY
        for old, new in changes:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        (STUDIES / "own.yaml").write_text(text)
        return read_study(STUDIES, "own")

    return read


def plan(site="here"):
    return draft_design({"studies": "own", "site": site})


def test_the_command_is_filled_in_for_each_combination_of_levels(own):
    own()
    commands = {case.name: list(case.run.command) for case in plan().cases()}
    assert commands == {
        f"transfer_size={size},direct_io={direct}": [
            "dd", "if=./t0", "of=/dev/null", f"bs={size}", f"count={4 * 2**20 // size}",
            *(["iflag=direct"] if direct == "true" else []),
        ]
        for size in (65536, 2**20) for direct in ("true", "false")
    }  # fmt: skip
    (first, *_), tools = plan().cases(), {case.tool for case in plan().cases()}
    assert (first.factors["threads"], tools) == (1, {"dd"})
    assert first.implementation.inputs(first.run).names == (("t0",),)


def test_patterns_success_and_files_reach_the_tool(own):
    form = own(("success: {text: copied}", "success: {exit_codes: [0, 3], text: [a, b]}\n    keep: ['*.csv']"))
    form = form.sweeps["dd"].form
    assert form.patterns == (
        FigurePattern(name="rate", operations=("read",), metric="throughput", unit="MB/s", regex="s, ([0-9.]+) MB/s"),
    )
    assert (form.exit_codes, form.text, form.keep) == ((0, 3), ("a", "b"), ("*.csv",))
    assert (form.reads_inputs, form.is_time_bound, form.runs_each) == (True, False, False)


def test_words_are_split_as_by_a_shell_and_braces_are_doubled(own):
    own(("count={transfers} {direct_io}", "count={transfers} {direct_io} 'two words' {{x}} size={file_size:M}"))
    assert plan().cases()[0].run.command[-3:] == ("two words", "{x}", "size=4M")


def test_a_program_that_has_a_reader_of_its_own_keeps_apart_from_it(own):
    study = own(("dd if={file} of=/dev/null", "fio if={file}"))
    assert study.sweeps["dd"].tool_names == ["fio (command)"]


def test_operations_run_apart_where_the_command_spells_them(own):
    own(
        BOTH, ("{direct_io}\n", "{direct_io} conv={operation}\n"), ("operation: read,", "operation: [read, write],"),
        ("words: {direct_io", "words: {operation: {read: notrunc, write: fsync}, direct_io"),
    )  # fmt: skip
    ends = {(case.operations, case.run.command[-1]) for case in plan().cases()}
    assert ends == {(("read",), "conv=notrunc"), (("write",), "conv=fsync")}


def test_a_study_that_scales_shrinks_the_files_of_a_command_and_needs_no_size(own):
    own(("repetitions: 2", "scale: site\nrepetitions: 2"), ("file_size: [4 MiB]", "file_size: [1 GiB]"))
    assert {case.run.file_size * case.run.threads <= 64 * 2**20 for case in plan().cases()} == {True}
    own(
        ("repetitions: 2", "scale: site\nrepetitions: 2"), ("      file_size: [4 MiB]\n", ""),
        ("if={file} of=/dev/null", "if=/dev/zero of=/dev/null"), ("count={transfers}", "count=9"),
    )  # fmt: skip
    assert {case.expected for case in plan().cases()} == {10}


#: The text of the study that is replaced, what replaces it, and what the message says after the file's name.
MISTAKES = [
    ("bs={transfer_size}", "bs={transfersize}",
     'dd: command: unknown variable "transfersize"; did you mean "transfer_size"?'),
    ("bs={transfer_size}", "bs={transfer_size", 'dd: command: "bs={transfer_size" is no variable such as {threads} or'),
    ("{direct_io}\n", "\n", "dd: command: {direct_io} is missing, so its levels would be mere labels"),
    ("bs={transfer_size} count={transfers} ", "",
     "dd: command: {transfer_size} is missing, so its levels would be mere"),
    ("dd if={file}", "/bin/dd if={file}", 'dd: command: "/bin/dd" is no name of a program; name it alone and put its'),
    ("of=/dev/null", "of=/dev/sda",
     'dd: command: "of=/dev/sda" names a path outside the trial\'s folder; {folder} and'),
    ("of=/dev/null", "of=../x", 'dd: command: "of=../x" names a path outside'),
    ("of=/dev/null", "of=~/x", 'dd: command: "of=~/x" names a path outside'),
    ("of=/dev/null", "of=x | cat",
     'dd: command: no shell reads it, so "|" would be a word for dd; put a script on PATH'),
    ("of=/dev/null", "'of=x", "dd: command: no closing quotation: quotes come in pairs"),
    ("regex: 's, ([0-9.]+) MB/s'", "regex: 's, ([0-9.]+ MB/s'",
     "dd.patterns.rate: regex: does not compile: missing ), unterminated subpattern at position 3"),
    ("([0-9.]+)", "[0-9.]+",
     "dd.patterns.rate: regex: has no group; put the number in parentheses, as in ([0-9.]+) MB/s"),
    ("regex: 's, ([0-9.]+) MB/s'", "path: 'jobs[x]'",
     'dd.patterns.rate: path: cannot be read from "[x]" on; write it as'),
    ("regex: 's, ([0-9.]+) MB/s'", "take: last", "dd.patterns.rate: state one of regex, path (JSON) and column (CSV)"),
    ("regex:", "rows: {a: b}, regex:", "dd.patterns.rate: rows: only a column of CSV has rows"),
    ("unit: MB/s", "unit: mb/s", 'dd.patterns.rate: unit: "mb/s" is no unit of throughput; did you mean "MB/s"?'),
    ("unit: MB/s", "unit: ms", 'dd.patterns.rate: unit: "ms" is no unit of throughput; known are B/s, kB/s, MB/s'),
    (" unit: MB/s,", "", "dd.patterns.rate.unit: is required"),
    (" metric: throughput,", "", "dd.patterns.rate.metric: is required"),
    ("operation: read,", "", "dd.patterns.rate.operation: is required"),
    ("metric: throughput", "metric: bandwidth",
     'dd.patterns.rate.metric: unknown metric "bandwidth"; known are throughput'),
    ("metric: throughput", "metric: throughputs",
     'dd.patterns.rate.metric: unknown metric "throughputs"; did you mean "throughput"?'),
    ("operation: read,", "operation: reed,",
     'dd.patterns.rate.operation: unknown operation "reed"; did you mean "read"?'),
    ("operation: read,", "operation: write,",
     "dd: patterns.rate.operation: write is none of the sweep's operations, read"),
    ("unit: MB/s", "unit: printed",
     "dd.patterns.rate: unit: printed needs a group called unit, as in (?P<unit>[kMG]?B/s)"),
    ("unit: MB/s", "unit: MB/s, statistic: middle",
     'dd.patterns.rate: statistic: unknown "middle"; known are value, mean'),
    ("operations: [read]", "operations: [read, write]",
     "dd: patterns: none states write, which is among the operations"),
    ('false: ""', "maybe: x", 'dd: words.direct_io: unknown level "maybe"; known are true, false'),
    (', false: ""', "", 'dd: words.direct_io: has no word for "false"; state one, "" for none'),
    ("words: {direct_io: {true: iflag=direct, false: \"\"}}", "words: {}",
     "dd: words.direct_io: is required, as in words:"),
    ("words: {direct_io", "words: {threads", 'dd: words: "threads" has no levels to spell'),
    ("success: {text: copied}", "success: {texts: copied}", 'dd.success: unknown key "texts"; did you mean "text"?'),
    ("success: {text: copied}", "success: {exit_codes: [256]}",
     "dd.success.exit_codes.0: must be at most 255, not 256"),
    ("success: {text: copied}", "keep: [../x]", 'dd: keep: "../x" is no file that the command writes into its folder'),
    ("success: {text: copied}", "log: trial.json", 'dd: log: "trial.json" is no file that the command writes into its'),
    ("success: {text: copied}", "inputs: a/b", 'dd: inputs: "a/b" is no name such as test_file.{thread}'),
    ("success: {text: copied}", "options: {command: [x]}",
     "dd: options: not for tool: command; write them into command"),
    ("success: {text: copied}", "series: 1 s", "dd: series: not for tool: command; only fio notes rates over time"),
    ("tool: command", "tool: fio",
     "dd: command: state it by tool, as in command: {iozone: ...}, or state tool: command"),
    ("tool: command", "tools: [command, fio]", "dd: command: state it by tool, as in command: {iozone: ...}, or state"),
    ("tool: command", "tool: commandd", 'dd: tool: unknown "commandd"; did you mean "command"?'),
    ("    tool: command\n", "",
     "dd: tools: is required; state one, as in tool: fio, or several in order of preference"),
    ("tool: command", "tool: command\n    tools: [fio]", "dd: tools: state either tool or tools"),
]  # fmt: skip


@pytest.mark.parametrize("stated", ["queue_depth: [8]", "file_layout: [shared-file]"])
def test_a_single_level_that_only_words_put_in_force_is_no_label_of_a_new_design(own, stated):
    own(("      file_size: [4 MiB]\n", f"      file_size: [4 MiB]\n      {stated}\n"))
    with pytest.raises(DesignError) as refused:
        plan()
    assert str(refused.value).endswith(
        f"sweeps.dd: command: {{{stated.partition(':')[0]}}} is missing, so its levels would be mere labels"
    )


@pytest.mark.parametrize(("old", "new", "message"), MISTAKES, ids=[message for _, _, message in MISTAKES])
def test_a_mistake_is_one_line_with_its_key(own, old, new, message):
    with pytest.raises(DesignError) as refused:
        own((old, new))
    said = str(refused.value)
    assert "\n" not in said
    assert re.sub(r"^config/studies/own\.yaml(?:, line \d+)?, ", "", said).startswith(f"sweeps.{message}")


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [("unit: MB/s", "unit: mb/s", 18), ("metric: throughput", "metric: throughputs", 18), ("{direct_io}\n", "\n", 9),
     ("text: copied", "texts: copied", 12), ("words: {direct_io", "words: {threads", 11)],
)  # fmt: skip
def test_the_line_of_a_mistake_is_named(own, old, new, line):
    with pytest.raises(DesignError, match=rf"^config/studies/own\.yaml, line {line}, "):
        own((old, new))


def test_keys_of_a_command_are_refused_elsewhere(project, change):
    change(STUDIES / "tiny.yaml", "    tools: [fio]\n    operations: [write, read]\n",
           "    tools: [fio]\n    keep: ['*.csv']\n    operations: [write, read]\n")  # fmt: skip
    with pytest.raises(DesignError, match=r"sweeps\.transfers: keep: belongs to a sweep with tool: command"):
        read_study(STUDIES, "tiny")


def test_several_operations_in_one_execution_need_a_pattern_each(own):
    with pytest.raises(DesignError, match="one execution measures all operations, since"):
        own(BOTH, ("operation: read,", "operation: [read, write],"))


def test_a_command_that_is_not_installed_is_named(own):
    own(("dd if={file}", "no-such-program if={file}"))
    with pytest.raises(ToolError, match=r"sweeps\.dd: no-such-program is not on PATH"):
        plan()


def test_a_tool_in_the_singular_is_a_list_of_one(project, change):
    text = (STUDIES / "tiny.yaml").read_text()
    before = read_study(STUDIES, "tiny")
    (STUDIES / "tiny.yaml").write_text(text.replace("tools: [fio]", "tool: fio"))
    assert read_study(STUDIES, "tiny").model_dump() == before.model_dump()
    assert read_site(Path("config/sites"), "here").site == "here"
