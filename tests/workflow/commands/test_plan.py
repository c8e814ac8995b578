"""The printed plan is what will be run: as lines for people, or one object per trial for programs."""

import json

import pytest

from coldcache.workflow.commands.plan import describe_trial, print_plan
from coldcache.workflow.configuration import draft_design


def test_a_program_reads_one_object_per_trial_in_the_order_of_the_blocks(project, capsys):
    print_plan("tiny", "here", None, "jsonl")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    design = draft_design({"studies": "tiny", "site": "here"})
    assert rows == [describe_trial(trial) for block in design.blocks() for trial in block.trials]
    assert len(rows) == 18


def test_people_read_each_case_with_its_repetitions_the_time_and_the_space(project, capsys):
    print_plan("tiny", "here", None, "text")
    assert capsys.readouterr().out.splitlines() == [
        "tiny/transfers (fio)",
        "  operation=read,threads=1  x 2  16 MiB, about 0.6 s each",
        "  operation=read,threads=2  x 2  32 MiB, about 0.6 s each",
        "  operation=write,threads=1  x 2  16 MiB, about 0.6 s each",
        "  operation=write,threads=2  x 2  32 MiB, about 0.6 s each",
        "tiny/files (fio)",
        "  operation=file-create  x 2  4,000 items, about 0.6 s each",
        "  operation=file-remove  x 2  4,000 items, about 0.6 s each",
        "  operation=file-stat  x 2  4,000 items, about 0.6 s each",
        "tiny/cache (fio)",
        "  write_cache=unsafe  x 2  4 MiB, about 0.6 s each",
        "  write_cache=writeback  x 2  4 MiB, about 0.6 s each",
        "18 trials, about 11 s, up to 32 MiB on scratch",
    ]


@pytest.mark.parametrize("form", ["text", "jsonl"])
def test_another_target_is_in_every_command(project, capsys, form):
    (project / "mine").mkdir()
    print_plan("tiny", "here", "mine", form)
    printed = capsys.readouterr().out
    assert "scratch" not in printed
    assert printed.count("mine") >= (1 if form == "text" else 18)
