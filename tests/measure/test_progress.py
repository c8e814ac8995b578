"""A runner says how far its campaign is: in a line of its own, or to the Snakemake that started it."""

import io
from pathlib import Path

from coldcache.campaign.campaign import read_campaign
from coldcache.core.live_progress import LIVE_VARIABLE, LiveProgress, read_progress
from coldcache.measure.progress import Progress

RAW = Path("raw/tiny")


class Terminal(io.StringIO):
    """Text that claims to be a terminal."""

    def isatty(self):
        return True


def test_the_progress_line_tells_done_of_all_the_case_and_the_time_left(project, coldcache, measure_arguments):
    coldcache(*measure_arguments("tiny.cache"))
    campaign = read_campaign(RAW)
    blocks = campaign.blocks()
    files = next(block for block in blocks if block.name == "tiny.files")
    terminal = Terminal()
    progress = Progress(campaign, blocks, terminal)
    for trial in files.trials[:2]:
        progress.show(trial)
        progress.count()
    progress.end()
    first, second = (trial.case.name for trial in files.trials[:2])
    assert terminal.getvalue() == (
        f"\r\x1b[2K 4 of 18 trials · tiny files {first} r0 · 8 s left"
        f"\r\x1b[2K 5 of 18 trials · tiny files {second} r0 · 8 s left\n"
    )


def test_progress_in_a_log_is_a_line_and_not_one_for_each_trial(measured):
    campaign = read_campaign(RAW)
    own = campaign.blocks()[0].trials[:2]
    (RAW / own[-1].key / "trial.json").unlink()
    lines = io.StringIO()
    progress = Progress(campaign, campaign.blocks(), lines)
    for trial in reversed(own):
        progress.show(trial)
        progress.count()
    progress.end()
    case = own[-1].case
    assert lines.getvalue() == f"17 of 18 trials · tiny {case.sweep} {case.name} r0 · 1 s left\n"


def test_under_snakemake_the_terminal_stays_untouched_and_a_file_tells_the_progress(measured, monkeypatch):
    monkeypatch.setenv(LIVE_VARIABLE, "1")
    campaign = read_campaign(RAW)
    trial = campaign.blocks()[0].trials[0]
    (RAW / trial.key / "trial.json").unlink()
    terminal = Terminal()
    progress = Progress(campaign, campaign.blocks(), terminal)
    progress.show(trial)
    case = trial.case
    told = LiveProgress(17, 18, case.seconds, f"tiny {case.sweep} {case.name} r{trial.repetition}")
    assert read_progress("tiny") == told
    progress.count()
    progress.end()
    assert read_progress("tiny") == LiveProgress(18, 18, 0.0, "")
    assert terminal.getvalue() == ""
