"""What a campaign that has begun keeps of its configuration, and what it shows of its studies."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from coldcache.campaign.begin import ANOTHER_NAME, begin, is_enlarged
from coldcache.campaign.campaign import RAW, Campaign, check_name, presentation, read_campaign
from coldcache.campaign.seal import is_sealed
from coldcache.core.errors import CampaignError, DesignError
from coldcache.design.overrides import repeat
from coldcache.design.site import SITES, read_site
from coldcache.design.study import Study, read_study
from coldcache.workflow.configuration import DEFAULTS, OVERRIDES, required
from coldcache.workflow.named_studies import STUDIES


def take_begun(config: Mapping[str, Any], stated: Collection[str] = ()) -> dict[str, Any]:
    """Return a configuration with the studies, site, target, size, seconds and repetitions of its campaign.

    That of a sealed campaign is returned unchanged, as its design is not read from it.

    Parameters
    ----------
    config : mapping
        As for `configuration.read_design`.
    stated : collection of str
        Keys of the command line. These, and values that `config/config.yaml` changes, stay as they are.

    Raises
    ------
    DesignError
        If the campaign's name or its site is not valid.
    CampaignError
        If the campaign cannot be read; or if it is sealed, and the command line states other values than it has.
    """
    name = required(config, "campaign")
    check_name(name)
    if not (RAW / name / "campaign.json").is_file():
        return dict(config)
    begun = read_campaign(RAW / name)
    if is_sealed(RAW / name):
        _refuse_others(begun, {key: str(config[key]) for key in DEFAULTS if key in stated and config.get(key)})
        return dict(config)
    named = begun.environment.studies if begun.environment else ""
    path = begun.site.target.path
    here = begun.planned and read_site(SITES, begun.site.site).target.path == path
    kept = {
        "studies": named or ",".join(map(_name_planned, begun.planned)),
        "site": begun.site.site,
        "target": "" if here else path,
        **{key: getattr(begun.environment, key, "") for key in OVERRIDES},
    }
    free = [key for key in kept if key not in stated and (config.get(key) or "") == DEFAULTS[key]]
    return {**config, **{key: kept[key] for key in free if begun.planned}}


def _refuse_others(sealed: Campaign, stated: Mapping[str, str]) -> None:
    """Raise `CampaignError` if values that a command line states are not those of a sealed campaign."""
    own = {
        "studies": [",".join(study.study for study in sealed.planned), ",".join(map(_name_planned, sealed.planned))],
        "site": [sealed.site.site],
        "target": [sealed.site.target.path, str(Path(sealed.site.target.path).absolute())],
        **{key: [getattr(sealed.environment, key, "")] for key in OVERRIDES},
    }
    others = [f"{key}={value}" for key, value in stated.items() if _list_parts(value) not in map(_list_parts, own[key])]
    if others:
        raise CampaignError(
            f"{sealed.folder} is sealed, and has other values than {', '.join(others)}: leave them out, or "
            f"{ANOTHER_NAME}"
        )


def _list_parts(value: str) -> list[str]:
    """Return what a value lists, in one order, without blanks and the slash at the end of a folder."""
    return sorted(part.replace(" ", "").rstrip("/") for part in value.split(","))


def _name_planned(study: Study) -> str:
    """Return how a configuration names a study of a campaign that has begun, with its sweeps if it has not all."""
    stated = _read_stated(study)
    if set(study.sweeps) >= set(stated.sweeps):
        return study.study
    sentinel = study.sentinel.sweep if study.sentinel else None
    return ",".join(f"{study.study}.{name}" for name in study.sweeps if name != sentinel)


def update_presentation(design: Campaign) -> str | None:
    """Write titles, questions and notebooks that have changed to `campaign.json` of a campaign that has begun.

    Returns
    -------
    str or None
        One line if the campaign is sealed, its target is here, and it keeps others than `config/studies` has now; or if
        it does not hold how its studies were named, and does not measure all of their sweeps.
    """
    if not (design.folder / "campaign.json").is_file():
        return None
    if not is_sealed(design.folder):
        begin(design)
        return _tell_left_out(design)
    if not _is_here(Path(design.site.target.path)):
        # It was measured elsewhere, and is only rebuilt here.
        return None
    stated = {study.study: _read_stated(study) for study in design.planned}
    again = design.environment.repetitions if design.environment else ""
    planned = {study.study: study for study in repeat(stated.values(), again)}
    if enlarged := [study.study for study in design.planned if is_enlarged(study, planned[study.study])]:
        return (
            f"{design.folder} is sealed: nothing is added to it. To measure what {', '.join(enlarged)} has now, "
            f"{ANOTHER_NAME}"
        )
    if changed := [name for name, study in stated.items() if _is_shown_otherwise(design, study)]:
        return (
            f"{design.folder} is sealed: its report keeps the titles, questions and notebooks that "
            f"{', '.join(changed)} had when it was sealed"
        )
    return None


def _tell_left_out(design: Campaign) -> str | None:
    """Return one line on sweeps that a campaign leaves out and may have been added to its studies since it began."""
    if design.environment is None or design.environment.studies:
        return None
    left_out = [
        f"{study.study}.{name}"
        for study in design.planned
        for name in _read_stated(study).sweeps
        if name not in study.sweeps
    ]
    if not left_out:
        return None
    whole = ",".join(study.study for study in design.planned)
    return (
        f"{design.folder} does not measure {', '.join(left_out)}; to add what its studies have now: "
        f"snakemake --cores all --config campaign={design.name} studies={whole}"
    )


def _read_stated(sealed: Study) -> Study:
    """Return a study as `config/studies` has it; a sealed campaign needs no such file, and stands for itself."""
    try:
        return read_study(STUDIES, sealed.study)
    except DesignError:
        return sealed


def _is_shown_otherwise(sealed: Campaign, stated: Study) -> bool:
    """Return whether `config/studies` has a study with another presentation than a sealed campaign."""
    return any(
        study.study == stated.study and presentation([stated]) != presentation([study]) for study in sealed.planned
    )


def _is_here(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        # The server of a mounted file system has gone.
        return False
