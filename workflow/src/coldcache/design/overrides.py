"""Give the sweeps of studies another total size, duration or number of repetitions.

Small files measure fast storage too briefly, and few repetitions leave a claim open.
"""

import re
from collections.abc import Callable, Iterable

from coldcache.core.errors import DesignError
from coldcache.core.units import parse_bytes, parse_seconds, state_bytes
from coldcache.design.levels import Share
from coldcache.design.site import Site
from coldcache.design.study import Study, Sweep


def resize(studies: Iterable[Study], site: Site, size: str) -> tuple[tuple[Study, ...], Site]:
    """Return studies whose file sizes add up to another total, and a site whose limit it does not exceed.

    Parameters
    ----------
    studies : iterable of Study
        Each `file_size` that divides a total among threads gets the new total; other levels stay, and so does a
        sentinel.
    site : Site
        Where they run; its `limits.bytes` is raised to twice the size, so that the plan is not refused for it.
    size : str
        The new total, such as ``8 GiB`` or ``8GiB``; empty leaves everything as it is.

    Raises
    ------
    DesignError
        If `size` is not a size, or no sweep divides a total among its threads.
    """
    if not size:
        return tuple(studies), site
    try:
        total = parse_bytes(size)
    except DesignError as error:
        raise DesignError(f"size: {error}") from error
    known = tuple(studies)
    if not any(_find_total(study.sweeps[name]) for study in known for name in _list_changed(study)):
        names = ", ".join(study.study for study in known)
        raise DesignError(
            f"size: no sweep of {names} divides a total size among its threads; change file_size in the study"
        )
    resized = tuple(_change_sweeps(study, lambda sweep: _resize(sweep, total)) for study in known)
    limits = site.limits.model_copy(update={"bytes": max(site.limits.bytes, 2 * total)})
    return resized, site.model_copy(update={"limits": limits})


def _change_sweeps(study: Study, change: Callable[[Sweep], Sweep]) -> Study:
    """Return a study with its sweeps changed, but for the sentinel, which no result depends on."""
    changed = {name: change(study.sweeps[name]) for name in _list_changed(study)}
    return study.model_copy(update={"sweeps": {**study.sweeps, **changed}})


def _list_changed(study: Study) -> list[str]:
    """Return the sweeps of a study but for its sentinel."""
    watch = study.sentinel.sweep if study.sentinel else None
    return [name for name in study.sweeps if name != watch]


def _find_total(sweep: Sweep) -> Share | None:
    """Return the total that a sweep divides among its threads as the size of their files; None where it has none."""
    share = sweep.factors.get("file_size")
    return share if isinstance(share, Share) and share.aggregate is not None else None


def _resize(sweep: Sweep, total: int) -> Sweep:
    share = _find_total(sweep)
    if share is None:
        return sweep
    changed = share.model_copy(update={"aggregate": state_bytes(total)})
    return sweep.model_copy(update={"factors": {**sweep.factors, "file_size": changed}})


def lengthen(studies: Iterable[Study], seconds: str) -> tuple[Study, ...]:
    """Return studies whose timed parts last another time.

    Parameters
    ----------
    studies : iterable of Study
        Each sweep but a sentinel gets the new `seconds`, and each total that is divided among threads the new `lasts`.
    seconds : str
        The time, such as ``3`` or ``3 s``; empty leaves everything as it is.

    Raises
    ------
    DesignError
        If `seconds` is not a time above 0.
    """
    if not seconds:
        return tuple(studies)
    try:
        duration = parse_seconds(float(seconds) if seconds.replace(".", "", 1).isdigit() else seconds)
    except DesignError as error:
        raise DesignError(f"seconds: {error}") from error
    if duration <= 0:
        raise DesignError(f'seconds: "{seconds}" is not above 0')
    return tuple(_change_sweeps(study, lambda sweep: _lengthen(sweep, duration)) for study in studies)


def _lengthen(sweep: Sweep, duration: float) -> Sweep:
    factors = {
        factor: levels.model_copy(update={"lasts": duration})
        if isinstance(levels, Share) and levels.aggregate is not None
        else levels
        for factor, levels in sweep.factors.items()
    }
    return sweep.model_copy(update={"factors": factors, "seconds": duration})


def repeat(studies: Iterable[Study], repetitions: str) -> tuple[Study, ...]:
    """Return studies whose cases run another number of times.

    Parameters
    ----------
    studies : iterable of Study
        Each sweep but a sentinel gets the new `repetitions`, and no `repeat_until`.
    repetitions : str
        The number, such as ``20``; empty leaves everything as it is.

    Raises
    ------
    DesignError
        If `repetitions` is not a whole number from 1 to 10^18 - 1.
    """
    if not repetitions:
        return tuple(studies)
    if not re.fullmatch(r"0*[1-9][0-9]{0,17}", repetitions):
        raise DesignError(f'repetitions: "{repetitions}" is not a whole number from 1 to {10**18 - 1:,}')
    alike = {"repetitions": int(repetitions), "repeat_until": None}
    changed = (_change_sweeps(study, lambda sweep: sweep.model_copy(update=alike)) for study in studies)
    return tuple(study.model_copy(update=alike) for study in changed)
