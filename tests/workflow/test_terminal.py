"""A step is one line; the live line counts the whole campaign, rendering included, and its share never shrinks."""

import io
import re

from hypothesis import given
from hypothesis import strategies as st

from coldcache.core.live_progress import LiveProgress
from coldcache.workflow.terminal import STEP_NAMES, Estimate, Terminal


class Screen(io.StringIO):
    def isatty(self):
        return True


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


WILDCARDS = {"campaign": "local", "block": "quick.random", "study": "quick", "notebook": "overview"}


def drive(stream, **more):
    """Show a campaign of ten trials of 10 s, which take 20 s each, and of three steps of 8 s after it."""
    clock, at = Clock(), {"done": 0}

    def read(campaign):
        assert campaign == "local"
        return LiveProgress(at["done"], 10, 10.0 * (10 - at["done"]), f"quick random threads=1 r{at['done']}")

    terminal = Terminal(stream, read, clock=clock, **more)
    terminal.plan({"measure_block": 1})
    terminal.count_steps(0, 5)
    terminal.start_step(1, "measure_block", WILDCARDS)
    for done in range(1, 11):
        clock.now += 20
        at["done"] = done
        terminal.refresh()
    terminal.end_step(1)
    terminal.count_steps(1, 5)
    for number, rule in enumerate(("collect_records", "execute_notebook", "render_report"), start=2):
        terminal.start_step(number, rule, WILDCARDS)
        clock.now += 8
        terminal.refresh()
        terminal.end_step(number)
        terminal.count_steps(number, 5)
    terminal.start_step(5, "all", {})
    terminal.end_step(5)
    terminal.close()
    return stream.getvalue()


def test_in_a_log_each_step_is_a_line_and_each_tenth_of_the_campaign_is_one():
    assert (
        drive(io.StringIO())
        == """\
  0 % · 0 of 10 trials · quick random threads=1 r0 · 1 min 55 s left
 18 % · 2 of 10 trials · quick random threads=1 r2 · 2 min 55 s left
 27 % · 3 of 10 trials · quick random threads=1 r3 · 2 min 35 s left
 37 % · 4 of 10 trials · quick random threads=1 r4 · 2 min 15 s left
 46 % · 5 of 10 trials · quick random threads=1 r5 · 1 min 55 s left
 55 % · 6 of 10 trials · quick random threads=1 r6 · 1 min 35 s left
 65 % · 7 of 10 trials · quick random threads=1 r7 · 1 min 15 s left
 74 % · 8 of 10 trials · quick random threads=1 r8 · 55 s left
 83 % · 9 of 10 trials · quick random threads=1 r9 · 35 s left
 93 % · 10 of 10 trials · quick random threads=1 r10 · 15 s left
✓ measure quick.random · 3 min 20 s
✓ collect and judge the logs · 8 s
✓ execute overview of quick · 8 s
✓ render the report · 8 s
✓ 4 steps · 3 min 44 s
"""
    )


def test_on_a_terminal_one_line_is_rewritten_and_the_cursor_waits_at_its_start():
    shown = drive(Screen(), colour=False)
    lines = [line for line in re.split(r"\r\x1b\[2K|\r|\n", shown) if line]
    steps = [line for line in lines if line.startswith("✓")]
    assert len(steps) == 5 and shown.count("\n") == 5
    shares = [int(line.split(" %")[0]) for line in lines if " % · " in line]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] == 96
    assert "\r\x1b[2K 93 % · 10 of 10 trials · quick random threads=1 r10 · 15 s left\r" in shown
    assert shown.endswith("\r\x1b[2K")
    assert "\x1b[3" not in shown
    assert all(len(line) <= 118 for line in lines)


def test_colours_are_for_terminals():
    assert "\x1b[32m✓\x1b[0m measure quick.random" in drive(Screen())
    assert "\x1b" not in drive(io.StringIO())


def test_quiet_leaves_failures_and_messages_alone():
    assert drive(io.StringIO(), quiet=True) == ""
    stream = io.StringIO()
    terminal = Terminal(stream, lambda campaign: None, quiet=True)
    terminal.start_step(1, "measure_block", WILDCARDS)
    for _ in range(2):
        terminal.fail_step(1, "measure_block", WILDCARDS, ["logs/local/measure/quick.random.log"])
    terminal.fail_step(2, "measure_block", WILDCARDS, [], "Slurm: TIMEOUT")
    terminal.end_step(1)
    terminal.tell("a warning")
    assert stream.getvalue() == (
        "✗ failed: measure quick.random, see logs/local/measure/quick.random.log\n"
        "✗ failed: measure quick.random (Slurm: TIMEOUT)\na warning\n"
    )


def test_a_block_whose_runner_says_nothing_shows_no_time():
    stream = io.StringIO()
    screen = Screen()
    for one in (stream, screen):
        terminal = Terminal(one, lambda campaign: None, colour=False)
        terminal.start_step(1, "measure_block", WILDCARDS)
    assert stream.getvalue() == ""
    assert screen.getvalue() == "\r\x1b[2Kmeasure quick.random\r"


def test_each_rule_of_the_workflow_has_words(root):
    head = re.compile(r"^(?:rule|checkpoint|use rule \w+ as) (\w+)(?: with)?:", re.MULTILINE)
    rules = [name for file in (root / "workflow/rules").glob("*.smk") for name in head.findall(file.read_text())]
    assert set(rules) - {"measure_all"} == set(STEP_NAMES)


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 1000), st.integers(0, 20)), min_size=1))
def test_the_share_never_runs_backwards_whatever_the_plan_becomes(events):
    clock = Clock()
    estimate = Estimate(clock)
    shares = []
    for seconds, left, steps in events:
        clock.now += seconds
        estimate.take_trials(left)
        estimate.plan(steps)
        share, time_left = estimate.read()
        assert time_left >= 0
        shares.append(share)
    assert shares == sorted(shares)
    assert shares[0] >= 0 and shares[-1] <= 99
