"""The studies that a configuration names: whole, or only some of their sweeps."""

from pathlib import Path

from coldcache.core.errors import DesignError
from coldcache.core.vocabulary import nearest
from coldcache.design.study import Study, read_study

STUDIES = Path("config/studies")


def read_studies(stated: str) -> list[Study]:
    """Return the studies that a configuration names, each whole, or with the sweeps that follow its name and a dot.

    Parameters
    ----------
    stated : str
        Ids of studies, separated by commas; ``study.sweep`` is a single sweep, which its study's sentinel goes with.

    Raises
    ------
    DesignError
        If none is named, one is named twice, or a study or a sweep is unknown or not valid, or the only sweep is a
        sentinel.
    """
    names = [name.strip() for name in stated.split(",") if name.strip()]
    if not names:
        raise DesignError("config/config.yaml: studies: name at least one")
    for name in names:
        if names.count(name) > 1 or ("." in name and name.partition(".")[0] in names):
            raise DesignError(f'studies: "{name}" is named twice')
    chosen: dict[str, list[str]] = {}
    for name in names:
        study, _, sweep = name.partition(".") if "/" not in name else (name, "", "")
        chosen.setdefault(study, []).extend([sweep] * bool(sweep))
    return [_keep_sweeps(read_study(STUDIES, study), sweeps) for study, sweeps in chosen.items()]


def _keep_sweeps(study: Study, names: list[str]) -> Study:
    """Return a study with those of its sweeps, and its sentinel; all if none is named."""
    for name in names:
        if name not in study.sweeps:
            raise DesignError(f'studies: {study.study} has no sweep "{name}"; {nearest(name, list(study.sweeps))}')
    if study.sentinel and set(names) == {study.sentinel.sweep}:
        watched = next(name for name in study.sweeps if name != study.sentinel.sweep)
        raise DesignError(
            f"studies: {names[0]} is the sentinel of {study.study}, which only runs between trials of other sweeps; "
            f"name a sweep that it watches, such as {study.study}.{watched}"
        )
    kept = {*names, study.sentinel.sweep} if study.sentinel else set(names)
    sweeps = {name: sweep for name, sweep in study.sweeps.items() if name in kept}
    return study.model_copy(update={"sweeps": sweeps}) if names else study
