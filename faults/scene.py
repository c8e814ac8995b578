"""A project with a campaign of seconds: stage a fault in it, and compare the trials with an undisturbed campaign."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import chdir, suppress
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import psutil
import undisturbed
from undisturbed import Trace, UndisturbedRun

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.seal import check_seal, seal
from coldcache.campaign.trial_json import TRIAL_JSON, read_outcome
from coldcache.campaign.trials import CollectedTrial, collect_trials
from coldcache.core.errors import ColdCacheError
from coldcache.core.outcome import Outcome

ROOT = Path(__file__).resolve().parents[1]

STUDY = """\
study: break
title: A campaign of seconds
question: Is it whole, whatever happens?
repetitions: 5
notebooks: []
sweeps:
  transfers:
    title: Transfers
    tools: [fio]
    operations: [write, read]
    seconds: 150 ms
    options: {fio: ['--rate=20m']}
    factors:
      threads: [1, 2]
      transfer_size: [64 KiB]
      file_size: [4 MiB]
      file_layout: [file-per-thread]
      direct_io: [where-possible]
"""
#: The same with 4 trials instead of 20.
SHORT = STUDY.replace("repetitions: 5", "repetitions: 1")
SITE = """\
site: break
title: A folder
targets: {scratch: {path: TARGET, make: true}}
limits: {bytes: 16 MiB, seconds: 20 s}
thresholds:
  {shortest_run: 1 ms, foreign_share: 1000000, load_per_core: 1000000, foreign_cpu: 2, least_free: 0, fill_drift: 1,
   modes: 1000000, gap: 1000000}
"""
BLOCK = "break.transfers"

#: The fields of an outcome that follow from the design, and from a tool that was left alone.
_DESIGNED = (
    "study", "sweep", "case", "repetition", "operations", "factors", "tool", "tool_version", "time_limit", "timed_out",
    "exit_status", "failure",
)  # fmt: skip

#: Time limit of a command, in s, on a machine that may be busy.
_LONGEST = 1200


class Scene:
    """A project in a separate folder.

    Parameters
    ----------
    folder : Path
        Empty.
    study, site : str
        What `config/` holds; the site's target is the folder ``scratch``.
    block : str
        The block that is measured; a study has one alone.

    Attributes
    ----------
    staged : int
        How many faults were staged in it so far.
    clock_is_steady : bool
        Whether the time stamps of trials show their order.
    """

    def __init__(self, folder: Path, study: str = STUDY, site: str = SITE, block: str = BLOCK):
        self.folder, self.raw = folder, folder / "raw/break"
        self._name = Path("raw/break")
        self.design(study, site, block)
        self.environment = dict(os.environ)
        self.staged = 0
        self.clock_is_steady = True
        self._whole: dict[str, bytes] = {}

    def design(self, study: str, site: str = SITE, block: str = BLOCK) -> None:
        """Write a design; parameters as those of the class."""
        self.study, self.site, self.block = study, site.replace("TARGET", "scratch"), block
        for kind, text in (("studies", self.study), ("sites", self.site)):
            path = self.folder / "config" / kind / "break.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def words(self, campaign: str = "break") -> list[str]:
        """Return the command that runs the campaign's block."""
        words = [sys.executable, "-m", "coldcache", "measure", f"--campaign={campaign}", "--studies=break"]
        manifest = f"results/{campaign}/blocks/{self.block}.json"
        return [*words, "--site=break", f"--block={self.block}", f"--manifest={manifest}", f"--log={campaign}.log"]

    def start(self, campaign: str = "break") -> subprocess.Popen:
        """Start the runner in a new session."""
        return self.start_in_session(self.words(campaign))

    def start_in_session(self, words: list[str]) -> subprocess.Popen:
        """Start a command in the project, in a new session."""
        return subprocess.Popen(
            words, cwd=self.folder, env=self.environment, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def measure(self, campaign: str = "break") -> subprocess.CompletedProcess:
        """Run the runner to its end."""
        return self.run(self.words(campaign))

    def coldcache(self, *arguments: str) -> subprocess.CompletedProcess:
        """Run another command of the program."""
        return self.run([sys.executable, "-m", "coldcache", *arguments])

    def run(self, words: list[str]) -> subprocess.CompletedProcess:
        """Run a command in the project."""
        return subprocess.run(
            words, cwd=self.folder, env=self.environment, capture_output=True, text=True, errors="replace",
            timeout=_LONGEST, check=False, start_new_session=True,
        )  # fmt: skip

    def replace_fio(self, script: str, at: Iterable[int]) -> None:
        """Run a shell script before or instead of fio at some calls, from 1; in it REAL is fio and $n the call."""
        real = shutil.which("fio", path=self.environment["PATH"])
        programs = self.folder / "bin"
        programs.mkdir(exist_ok=True)
        (programs / "fio").write_text(
            f'#!/bin/sh\n[ "$1" = --version ] && exec {real} --version\n'
            "n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n >n\n"
            f'case $n in {"|".join(map(str, at))}) {script.replace("REAL", str(real))} ;; esac\nexec {real} "$@"\n'
        )
        (programs / "fio").chmod(0o755)
        self.environment["PATH"] = f"{programs}{os.pathsep}{self.environment['PATH']}"

    def outcomes(self) -> dict[str, Outcome]:
        """Return what happened in each trial, by its key."""
        paths = sorted(self.raw.rglob(TRIAL_JSON))
        return {str(path.parent.relative_to(self.raw)): read_outcome(path) for path in paths}

    def wait_for(self, pattern: str, process: subprocess.Popen) -> Path | None:
        """Return the first file below the project that a pattern finds; None once the process has ended."""
        while process.poll() is None:
            found = next(iter(self.folder.glob(pattern)), None)
            if found:
                return found
            time.sleep(0.002)
        return None

    def count_noted(self) -> int:
        """Return how many trials the runner has noted."""
        with suppress(FileNotFoundError):
            return (self.folder / "break.log").read_bytes().count(b"\n")
        return 0

    def wait_for_trials(self, count: int, process: subprocess.Popen) -> bool:
        """Wait until so many trials are noted; False if the process ends before."""
        while self.count_noted() < count:
            if process.poll() is not None:
                return False
            time.sleep(0.005)
        return True

    def wait_for_moment(self, runner: subprocess.Popen, moments: random.Random) -> bool:
        """Wait for a moment while a runner starts, or within one of its next three trials; False once it has ended."""
        undisturbed, before = self.undisturbed(), self.count_noted()
        trials = moments.choice([0, 0, 1, 2])
        span = undisturbed.trial if trials else undisturbed.start + undisturbed.trial
        pause = moments.uniform(0, span)
        return self.wait_for_trials(before + trials, runner) and not ends_within(runner, pause)

    def remember(self) -> None:
        """Store the files of every complete trial; they must be the same when the campaign is complete."""
        for path in self.raw.rglob("r*/*"):
            name = path.relative_to(self.raw)
            if path.is_file() and not any(part.startswith(".") for part in name.parts):
                self._whole[str(name)] = path.read_bytes()

    def verdicts(self) -> dict[str, tuple[str, str]]:
        """Return verdict and codes of each trial, as the program judges them."""
        return {key: (trace.verdict, trace.codes) for key, trace in self.traces().items()}

    def traces(self) -> dict[str, Trace]:
        """Return what is compared of each trial, by its key."""
        with chdir(self.folder):
            return {trial.key: self._trace(trial) for trial in collect_trials(read_campaign(self._name))}

    def _trace(self, trial: CollectedTrial) -> Trace:
        outcome, judged = trial.outcome, trial.judgement
        return Trace(
            {field: getattr(outcome, field) for field in _DESIGNED},
            [word.replace(str(self.folder), "") for word in outcome.argv],
            {factor: (level.asked, level.read) for factor, level in outcome.settings.items()},
            sorted(path.name for path in (self._name / trial.key).glob("*")),
            {(record.operation, record.metric, record.unit) for record in trial.records},
            judged.verdict, " ".join(judged.codes),
        )  # fmt: skip

    def complete(self, excused: str = "", most: int = 0) -> str:
        """Finish and seal the campaign, and compare each trial with an undisturbed campaign.

        Parameters
        ----------
        excused : str
            Codes, separated by blanks; a trial with one of them may differ, since the fault disturbed it.
        most : int
            How many trials may have one of these codes.

        Returns
        -------
        str
            What is missing or differs; empty if nothing is.
        """
        found = self.measure()
        if found.returncode:
            return f"it does not complete: {tell(found.stderr)}"
        expected = self.undisturbed().traces
        return self._find_gap(expected) or self._find_broken_sum() or self._compare(expected, excused, most)

    def undisturbed(self) -> UndisturbedRun:
        """Return an undisturbed campaign of the same study; it is measured once."""
        key = self.study, self.site
        if key not in undisturbed.KNOWN:
            with tempfile.TemporaryDirectory(prefix="undisturbed-") as folder:
                scene = Scene(Path(folder) / "p", self.study, self.site, self.block)
                began, steadily = time.time(), time.monotonic()
                found = scene.measure()
                seconds = time.monotonic() - steadily
                plan = scene.coldcache("plan", "--study=break", "--site=break", "--format=jsonl")
                planned = [json.loads(line) for line in plan.stdout.splitlines()]
                traces = scene.traces() if found.returncode == 0 else {}
                keys = {f"{one['study']}/{one['sweep']}/{one['case']}/r{one['repetition']}" for one in planned}
                if not keys or traces.keys() != keys or any(one.verdict != "valid" for one in traces.values()):
                    found_codes = {one.codes for one in traces.values()}
                    raise AssertionError(f"the undisturbed campaign is not whole: {tell(found.stderr)} {found_codes}")
                first = min(outcome.start for outcome in scene.outcomes().values())
                start = min(max(datetime.fromisoformat(first).timestamp() - began, 0), seconds)
                undisturbed.keep(*key, UndisturbedRun(traces, start, (seconds - start) / len(traces)))
        return undisturbed.KNOWN[key]

    def _find_gap(self, expected: dict[str, Trace]) -> str:
        """Return which trial is lost, partial or changed, ran twice or beside another; empty if none."""
        there = self.outcomes()
        if list(self.raw.rglob(".*partial*")):
            return "a partial folder is left"
        if there.keys() != expected.keys():
            return f"{len(there)} of {len(expected)} trials are there"
        for name, content in self._whole.items():
            if (self.raw / name).read_bytes() != content:
                return f"{name} was complete, and was written again"
        logs = [*self.folder.glob("break.log"), *self.folder.glob("logs/break/measure/*.log")]
        ran = Counter(line.partition(": ")[0] for log in logs for line in log.read_text().splitlines())
        twice = [key for key, times in ran.items() if times > 1]
        if twice:
            return f"{twice[0]} ran twice"
        if self.clock_is_steady and (overlap := find_overlap(there)):
            return overlap
        if list((self.folder / "scratch/coldcache").glob("break/*")):
            return "files of trials are left on the target"
        return ""

    def _find_broken_sum(self) -> str:
        """Seal the campaign, and return what sha256sum, the program's check or a count of files finds wrong."""
        with chdir(self.folder):
            try:
                count = seal(self._name)
            except ColdCacheError as error:
                return f"seal: {error}"
            if differences := check_seal(self._name):
                return f"seal --check: {differences[0]}"
        sums = ["sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS"]
        checked = subprocess.run(sums, cwd=self.raw, capture_output=True, text=True, check=False)
        if checked.returncode:
            return f"sha256sum: {tell(checked.stdout + checked.stderr)}"
        there = sum(path.is_file() for path in self.raw.rglob("*")) - 1
        return "" if count == there else f"{count} files are sealed, {there} are there"

    def _compare(self, expected: dict[str, Trace], excused: str, most: int) -> str:
        """Return how the first trial that differs from the undisturbed one does so; empty if none differs."""
        marked = 0
        for key, trace in self.traces().items():
            if set(trace.codes.split()) & set(excused.split()):
                marked += 1
                continue
            for field, found, other in zip(Trace._fields, trace, expected[key], strict=True):
                if found != other:
                    return f"{key}: {field} is {found}, undisturbed {other}"
        return f"{marked} trials are marked as {excused}, at most {most} can be" if marked > most else ""

    def count_marked(self, codes: str) -> int:
        """Return how many trials have one of some codes, separated by blanks."""
        return sum(bool(set(found.split()) & set(codes.split())) for _, found in self.verdicts().values())


def measure_undisturbed() -> UndisturbedRun:
    """Return an undisturbed campaign of the study that most faults are staged in."""
    with tempfile.TemporaryDirectory(prefix="undisturbed-") as folder:
        return Scene(Path(folder) / "p").undisturbed()


def find_overlap(outcomes: dict[str, Outcome]) -> str:
    """Return which two trials ran at the same time, by their stamps; empty where each ended before the next began."""
    times = sorted((outcome.start, outcome.end, key) for key, outcome in outcomes.items() if outcome.start)
    return next((f"{one[2]} and {two[2]} overlap" for one, two in pairwise(times) if two[0] < one[1]), "")


def ends_within(process: subprocess.Popen, seconds: float) -> bool:
    """Return whether a process ends within some seconds."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def tell(said: str) -> str:
    """Return the last line that a command printed."""
    return said.strip().splitlines()[-1] if said.strip() else "without a word"


def refuses(process: subprocess.Popen, errors: str) -> str:
    """Return what is wrong with the end of a command: it must succeed, or print one error line with status 1."""
    if process.returncode == 0:
        return ""
    if process.returncode != 1 or not tell(errors).startswith("coldcache: ") or "Traceback" in errors:
        return f"status {process.returncode}, {tell(errors)}"
    return ""


def children(process: int) -> list[int]:
    """Return the running children of a process, of any of its threads; one that has ended takes no signal."""
    with suppress(psutil.Error):
        return [one.pid for one in psutil.Process(process).children() if one.status() != psutil.STATUS_ZOMBIE]
    return []


def descendants(process: int) -> list[int]:
    """Return the processes below a process."""
    return [one for child in children(process) for one in (child, *descendants(child))]
