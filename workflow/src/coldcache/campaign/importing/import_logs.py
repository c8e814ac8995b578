"""Import a folder of logs as a study of a campaign: copy them and write a `trial.json` for each trial."""

import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.campaign.campaign import RAW, Campaign, check_name, read_campaign, site_of
from coldcache.campaign.importing.cross_check import find_contradictions
from coldcache.campaign.importing.notes import NOTES, Notes, read_notes
from coldcache.campaign.importing.scan import Log, Survey, read_plain_file, survey
from coldcache.campaign.seal import SUMS, is_sealed, seal
from coldcache.campaign.trial_json import TRIAL_JSON, write_outcome
from coldcache.core.errors import CampaignError, DesignError, LogError
from coldcache.core.files import write_whole
from coldcache.core.outcome import LogPart, Outcome
from coldcache.core.records import Part
from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS
from coldcache.core.yaml_mistakes import name_place
from coldcache.design.case_names import name_case
from coldcache.design.imported_study import LOGS, ForeignStudy, ForeignSweep, Origin, UnreadFile
from coldcache.design.levels import Level
from coldcache.design.notebooks import refuse_unknown_notebooks
from coldcache.tools.compressed import decompress

#: Longer names of cases, and of their operations, are cut: a folder's name has 255 bytes at most.
_LONGEST_NAME, _LONGEST_OPERATIONS = 200, 80

#: Stands for the content of a refused log.
_NOTHING = Part({}, None, (), [])


class LogTrial(NamedTuple):
    """One trial of an imported log, and the sweep that it belongs to.

    Attributes
    ----------
    log : Log
        The log.
    part : Part
        The part of the log that states the trial.
    sweep : str
        The sweep's id.
    factors : dict
        Levels from the log and the notes, in stored units.
    """

    log: Log
    part: Part
    sweep: str
    factors: dict[str, Level]


class ImportReport(NamedTuple):
    """The result of an import.

    Attributes
    ----------
    folder : Path
        The campaign's folder.
    trials : dict of str to Outcome
        Each trial, by its key.
    found : Survey
        The logs that were found, and the files that were not read.
    is_sealed : bool
        Whether the campaign is new, and therefore sealed; a campaign that had begun before is still open.
    """

    folder: Path
    trials: dict[str, Outcome]
    found: Survey
    is_sealed: bool


def import_logs(folder: Path, name: str) -> ImportReport:
    """Import a folder of logs as a study of a campaign. Nothing is written before everything is checked.

    A new campaign is created and sealed. A campaign that has begun gets the logs as a further study.

    Parameters
    ----------
    folder : Path
        The folder of logs; it is not changed.
    name : str
        The campaign.

    Raises
    ------
    DesignError
        If the name is not valid, or the notes are wrong, match no log, or contradict one.
    CampaignError
        If the campaign is sealed or has a study of that name, the folder has no readable log, or a log changes
        meanwhile.
    """
    check_name(name)
    target = RAW / name
    begun = _find_begun(target)
    notes = read_notes(folder)
    if begun and (notes.study in (study.study for study in begun.studies) or (target / notes.study).exists()):
        raise CampaignError(
            f"{target / notes.study} exists: logs are never added to a study; "
            f"name another one in {folder / NOTES}, study: …"
        )
    found = survey(folder)
    if not any(log.parts for log in found.logs):
        raise CampaignError(f"{folder}: no log in it can be read{_first_reason(found)}")
    try:
        if idle := notes.idle_pattern([log.file for log in found.logs]):
            raise DesignError(f"{idle} matches no log")
        entries = list(_arrange(found.logs, notes))
    except DesignError as error:
        raise DesignError(name_place(folder / NOTES, str(error))) from error
    trials = _describe_trials(entries, notes.study, find_contradictions(folder, found.logs))
    study = _describe_study(entries, notes, folder, found)
    refuse_unknown_notebooks(study, folder / NOTES)
    partial = target.with_name(f".{name}.partial")
    try:
        shutil.rmtree(partial, ignore_errors=True)
        _write_study(partial, study, folder, found.logs, trials)
        if begun:
            _join(begun, study, partial)
        else:
            _write_design(partial, Campaign(name, site_of(study.origin), (study,), None))
            seal(partial)
            partial.rename(target)
    except OSError as error:
        raise CampaignError(f"{target}: cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return ImportReport(target, trials, found, begun is None)


def _find_begun(target: Path) -> Campaign | None:
    """Return the campaign in a folder, None if there is none; raises `CampaignError` if it is sealed."""
    if is_sealed(target):
        raise CampaignError(
            f"{target} is sealed: no logs are added to it; choose another name, or remove {target / SUMS}, import, "
            "and seal it again"
        )
    if (target / "campaign.json").is_file() and not target.is_symlink():
        return read_campaign(target)
    if target.exists() or target.is_symlink():
        raise CampaignError(f"{target} exists and is no campaign; choose another name")
    return None


def _first_reason(found: Survey) -> str:
    refused = [*found.unread, *((log.file, log.refusal) for log in found.logs)]
    return f": {len(refused)} were tried, the first is {refused[0][0]}: {refused[0][1]}" if refused else ", it is empty"


def _arrange(logs: list[Log], notes: Notes) -> Iterator[LogTrial]:
    """Yield the trials of all logs. A refused log is one trial; each version of a tool has a sweep of its own."""
    versions: dict[str, set[str]] = {log.tool: set() for log in logs}
    for log in (log for log in logs if log.parts):
        versions[log.tool].add(log.version)
    for log in logs:
        sweep = notes.sweep_of(log.file)
        if sweep is None:
            words = f"{log.tool} {log.version}" if len(versions[log.tool]) > 1 else log.tool
            sweep = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:63]
        given = notes.factors_of(log.file)
        for part in log.parts or [_NOTHING]:
            for factor, (level, pattern) in given.items():
                if part.factors.get(factor, level) != level:
                    raise DesignError(
                        f'factors."{pattern}".{factor}: {log.file} states {part.factors[factor]} by itself, '
                        f"which contradicts {level}"
                    )
            known = {**part.factors, **{factor: level for factor, (level, _) in given.items()}}
            ordered = {factor: known[factor] for factor in (*FACTORS, *LEARNT_FACTORS) if factor in known}
            yield LogTrial(log, part, sweep, ordered)


def _describe_trials(
    entries: list[LogTrial], study: str, contradictions: Mapping[tuple[str, str], str]
) -> dict[str, Outcome]:
    """Return each trial, by its key."""
    trials: dict[str, Outcome] = {}
    done = Counter[str]()
    names = _name_cases(entries)
    for entry, case in zip(entries, names, strict=True):
        log = entry.log
        repetition = done[f"{entry.sweep}/{case}"]
        done[f"{entry.sweep}/{case}"] += 1
        outcome = Outcome(
            study, entry.sweep, case, repetition, tuple(entry.part.operations), entry.factors, log.tool, log.version,
            log=LogPart(f"{study}/{LOGS}/{log.stored}", entry.part.factors, entry.part.repetition),
            contradiction=contradictions.get((log.file, str(entry.factors.get("phase")))),
        )  # fmt: skip
        trials[outcome.key] = outcome
    return trials


def _name_cases(entries: list[LogTrial]) -> Iterator[str]:
    """Yield the name of each trial's case: the levels in which it differs from other cases of its sweep."""
    seen: dict[str, dict[str, set[Any]]] = {}
    for entry in (entry for entry in entries if entry.log.parts):
        levels = seen.setdefault(entry.sweep, {factor: set() for factor in ("operation", *FACTORS, *LEARNT_FACTORS)})
        for factor, level in {**dict.fromkeys(levels), **entry.factors, "operation": entry.part.operations}.items():
            levels[factor].add(level)
    for entry in entries:
        if not entry.log.parts:
            stem = re.sub(r"[^A-Za-z0-9_.-]+", "-", Path(entry.log.file).name)
            yield f"log={stem[:100]}-{entry.log.sha256[:8]}"
            continue
        levels = seen[entry.sweep]
        parts: dict[str, Level] = {}
        if len(levels["operation"]) > 1:
            parts["operation"] = _shorten("+".join(entry.part.operations), _LONGEST_OPERATIONS)
        parts |= {factor: _path_safe(level) for factor, level in entry.factors.items() if len(levels[factor]) > 1}
        yield _shorten(name_case(parts), _LONGEST_NAME)


def _shorten(name: str, longest: int) -> str:
    """Return a name; a long one is cut and gets a checksum."""
    return name if len(name) <= longest else f"{name[:longest]}-{_checksum(name)}"


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _path_safe(level: Level) -> Level:
    """Return a level that can be part of a folder's name; where characters are replaced it gets a checksum."""
    safe = re.sub(r"[^A-Za-z0-9_.+-]+", "-", str(level)).strip("-.")
    if not isinstance(level, str) or safe == level:
        return level
    return f"{safe}-{_checksum(level)}"


def _describe_study(entries: list[LogTrial], notes: Notes, folder: Path, found: Survey) -> ForeignStudy:
    """Return the study that the logs become."""
    sweeps = {}
    for sweep in sorted({entry.sweep for entry in entries}):
        members = [entry for entry in entries if entry.sweep == sweep]
        tools = sorted({entry.log.tool for entry in members})
        wrote = sorted({f"{entry.log.tool} {entry.log.version}".strip() for entry in members})
        told = notes.sweeps.get(sweep)
        sweeps[sweep] = ForeignSweep(
            title=(told.title if told else "") or f"Logs of {' and '.join(wrote)}",
            source=told.source if told else None,
            item=told.item if told else "",
            tools=tools,
            operations=_once(operation for entry in members for operation in entry.part.operations),
            factors={
                factor: _once(entry.factors[factor] for entry in members if factor in entry.factors)
                for factor in _once(factor for entry in members for factor in entry.factors)
            },
        )
    return ForeignStudy(
        study=notes.study,
        title=notes.title or f"Logs from {folder.absolute().name}",
        question=notes.question or "What do these logs state?",
        origin=Origin(
            folder=str(folder), system=notes.system, unread=[UnreadFile(**file._asdict()) for file in found.unread]
        ),
        sweeps=sweeps,
        notebooks=notes.notebooks,
    )


def _once(values: Iterable[Any]) -> list[Any]:
    """Return each value once; numbers are sorted."""
    found = list(dict.fromkeys(values))
    return sorted(found) if all(isinstance(value, int | float) for value in found) else found


def _write_study(partial: Path, study: ForeignStudy, folder: Path, logs: list[Log], trials: dict[str, Outcome]) -> None:
    """Write the logs, their notes and their trials into a folder that becomes the campaign's."""
    kept = partial / study.study / LOGS
    for log in logs:
        _copy(folder, log, kept / log.stored)
    if (folder / NOTES).is_file():
        shutil.copyfile(folder / NOTES, kept / NOTES)
    for key, outcome in trials.items():
        (partial / key).mkdir(parents=True)
        write_outcome(partial / key / TRIAL_JSON, outcome)


def _write_design(folder: Path, campaign: Campaign) -> None:
    write_whole(folder / "campaign.json", json.dumps(campaign.design(), indent=1) + "\n")


def _join(begun: Campaign, study: ForeignStudy, partial: Path) -> None:
    """Add a study to a campaign that has begun; `campaign.json` is written last."""
    place = begun.folder / study.study
    (partial / study.study).rename(place)
    try:
        _write_design(begun.folder, replace(begun, studies=(*begun.studies, study)))
    except OSError:
        shutil.rmtree(place, ignore_errors=True)
        raise


def _copy(folder: Path, log: Log, to: Path) -> None:
    try:
        content = decompress(read_plain_file(folder / log.file))
    except LogError as error:
        raise CampaignError(f"{folder / log.file}: {error}") from error
    if hashlib.sha256(content).hexdigest() != log.sha256:
        raise CampaignError(f"{folder / log.file}: changed while it was imported: import it when it is finished")
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(content)
