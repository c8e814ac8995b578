"""The trials of a campaign as they lie on disk: their stories, the records of their logs, and their verdicts."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.campaign.campaign import Campaign, site_of
from coldcache.campaign.progress import why_not_run
from coldcache.campaign.stop_rule import is_done, is_missing
from coldcache.campaign.trial_json import list_stories, read_story
from coldcache.core.errors import CampaignError, LogError
from coldcache.core.records import Part, Record, split_records
from coldcache.design.imported_study import ForeignStudy
from coldcache.tools import TOOLS, find_tool, read_by, read_file
from coldcache.tools import nfs_guest_log as nfs_guest
from coldcache.verdicts.drift import Drift, Moment, figure_of
from coldcache.verdicts.judge import Judgement, judge
from coldcache.verdicts.observation import Baseline, Observation
from coldcache.verdicts.suspect_rules import fill_level

#: What a story must tell to be judged.
_FIELDS = (
    "study", "sweep", "case", "repetition", "operations", "factors", "tool", "tool_version", "settings", "failure",
    "timed_out", "time_limit", "exit_status", "start", "end", "seconds", "counters",
)  # fmt: skip


class Collected(NamedTuple):
    """One planned trial: what happened, what its log states, and what that is worth.

    Attributes
    ----------
    key : str
        ``study/sweep/case/r<k>``.
    story : dict
        What `trial.json` holds; for a missing trial what the plan says of it.
    records : sequence of Record
        Empty where the log was refused or the trial is missing.
    judgement : Judgement
        ``missing`` where the trial has no folder.
    series : mapping of str to list of Record
        What each log of rates over time beside it states, by the log's name relative to the campaign's folder.
    """

    key: str
    story: dict[str, Any]
    records: Sequence[Record]
    judgement: Judgement
    series: Mapping[str, Sequence[Record]] = {}

    @property
    def log(self) -> str:
        """The log that its records point into, relative to the campaign's folder."""
        return self.story["log"]["file"] if "log" in self.story else f"{self.key}/stdout.txt"


def collect_trials(campaign: Campaign) -> Iterator[Collected]:
    """Yield every planned trial of a campaign and every one that was imported, in the order of its name.

    Raises
    ------
    CampaignError
        If a `trial.json` cannot be read.
    """
    planned = {
        trial.key: trial
        for block in campaign.blocks()
        for trial in block.trials
        if is_done(campaign.folder, trial) or is_missing(campaign.folder, campaign.site, trial)
    }
    imported = {
        str(path.parent.relative_to(campaign.folder)): study
        for study in campaign.foreign
        for path in list_stories(campaign.folder, [study])
    }
    logs = ForeignLogs(campaign.folder)
    keys = sorted({*planned, *imported})
    paths = {key: campaign.folder / key / "trial.json" for key in keys}
    stories = {key: _read_story(key, path) for key, path in paths.items() if path.is_file()}
    drifts = _read_drifts(campaign, stories)
    baselines = Baselines(list(stories.values()), drifts)
    for key in keys:
        if key in imported:
            yield _read_foreign_trial(key, stories[key], imported[key], logs)
            continue
        if key in stories:
            yield _read_trial(key, stories[key], campaign, baselines)
            continue
        case = planned[key].case
        reason = why_not_run(campaign.folder, case.study, case.sweep) or "not measured yet"
        story = {
            "study": case.study, "sweep": case.sweep, "case": case.name, "repetition": planned[key].repetition,
            "operations": list(case.operations), "factors": case.factors, "tool": case.tool, "tool_version": None,
            "settings": {}, "seconds": None, **({"sentinel": True} if case.sentinel_every else {}),
        }  # fmt: skip
        yield Collected(key, story, [], Judgement("missing", ("not-run",), (reason,), "not applicable"))


def _read_drifts(campaign: Campaign, stories: dict[str, dict[str, Any]]) -> dict[str, Drift]:
    """Return what the sentinel of each study showed; a trial of it that failed shows nothing."""
    moments: dict[str, list[Moment]] = {}
    for key, story in stories.items():
        if not story.get("sentinel") or story["exit_status"] != 0 or story["failure"]:
            continue
        try:
            records = read_by(find_tool(story["tool"]), _read_log(campaign.folder / key))
        except LogError:
            continue
        figure = figure_of(story["operations"], records)
        if figure:
            moments.setdefault(story["study"], []).append(Moment(story["start"], figure))
    return {study: Drift(found) for study, found in moments.items()}


class ForeignLogs:
    """The imported logs of a campaign, each read once although it may state several trials.

    Parameters
    ----------
    folder : Path
        The campaign's folder.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._parts: dict[str, list[Part] | LogError] = {}

    def read(self, log: dict[str, Any]) -> list[Record]:
        """Return the records of the part of a log that a story names.

        Raises
        ------
        LogError
            If the log is refused, or has no such part.
        """
        file = log["file"]
        if file not in self._parts:
            try:
                self._parts[file] = split_records(read_file(self._folder / file))
            except LogError as error:
                self._parts[file] = error
        parts = self._parts[file]
        if isinstance(parts, LogError):
            raise parts
        for part in parts:
            if part.factors == log["factors"] and part.repetition == log["repetition"]:
                return part.records
        raise LogError("the log is read in another way than when it was imported: import it anew")


def _read_foreign_trial(key: str, story: dict[str, Any], study: ForeignStudy, logs: ForeignLogs) -> Collected:
    """Return an imported trial: nothing that was measured here, before it or beside it, can be held against it."""
    records: Sequence[Record] = []
    refusal = ""
    try:
        records = logs.read(story["log"])
    except LogError as error:
        refusal = str(error)
    site = site_of(study.origin)
    return Collected(key, story, records, judge(Observation(story, records, refusal, site.thresholds, site.target)))


def _read_trial(key: str, story: dict[str, Any], campaign: Campaign, baselines: "Baselines") -> Collected:
    folder = campaign.folder / key
    if story["tool"] not in TOOLS:
        raise CampaignError(f'{folder / "trial.json"}: not the story of a trial (unknown tool "{story["tool"]}")')
    tool = find_tool(story["tool"])
    records: Sequence[Record] = []
    refusal = ""
    try:
        records = read_by(nfs_guest if story.get("guest") else tool, _read_log(folder))
    except LogError as error:
        refusal = str(error)
    series: dict[str, Sequence[Record]] = {}
    for path in sorted(folder.glob(tool.TRAITS.series_logs)) if tool.TRAITS.series_logs else ():
        try:
            series[f"{key}/{path.name}"] = read_file(path)
        except LogError as error:
            refusal = refusal or f"{path.name}: {error}"
    site = campaign.site
    trial = Observation(
        story, records, refusal, site.thresholds, site.target, baselines.of(story), tool.TRAITS.states_version
    )  # fmt: skip
    return Collected(key, story, records, judge(trial), series)


class Baselines:
    """How it was when a campaign, and each of its sweeps, began.

    Parameters
    ----------
    stories : list of dict
        The stories of all trials of the campaign.
    drifts : dict of str to Drift, optional
        What the sentinel of each study showed.
    """

    def __init__(self, stories: list[dict[str, Any]], drifts: dict[str, Drift] | None = None):
        self._drifts = drifts or {}
        self._tools: dict[str, str] = {}
        self._kernels: dict[str, str] = {}
        self._fills: dict[tuple[str, str], float] = {}
        for story in sorted((story for story in stories if story["start"]), key=lambda story: story["start"]):
            if story["tool_version"] is not None:
                self._tools.setdefault(story["tool"], story["tool_version"])
            if story.get("system"):
                self._kernels.setdefault(story["system"]["host"], story["system"]["kernel"])
            level = fill_level(story)
            if level is not None:
                self._fills.setdefault((story["study"], story["sweep"]), level)

    def of(self, story: dict[str, Any]) -> Baseline:
        """Return how it was for the tool, the machine and the sweep of a story."""
        return Baseline(
            self._tools.get(story["tool"]),
            self._kernels.get(story["system"]["host"]) if story.get("system") else None,
            self._fills.get((story["study"], story["sweep"])),
            self._drifts[story["study"]].around(story["start"])
            if story["start"] and story["study"] in self._drifts
            else None,
        )


def _read_story(key: str, path: Path) -> dict[str, Any]:
    """Return what a `trial.json` holds, once it is known to tell the trial in whose folder it lies."""
    story = read_story(path)
    lacking = [field for field in _FIELDS if not isinstance(story, dict) or field not in story]
    if lacking:
        raise CampaignError(f"{path}: not the story of a trial (it lacks {lacking[0]})")
    told = f"{story['study']}/{story['sweep']}/{story['case']}/r{story['repetition']}"
    if told != key:
        raise CampaignError(f"{path}: not the story of a trial (it tells {told})")
    return story


def _read_log(folder: Path) -> bytes:
    try:
        return (folder / "stdout.txt").read_bytes()
    except OSError as error:
        raise LogError(f"stdout.txt cannot be read: {error.strerror}") from error
