"""Begin a campaign, and add trials to one that has begun: what is measured stays as it is."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from coldcache.campaign.campaign import (
    SHOWN_OF_SITE,
    SHOWN_OF_STUDY,
    SHOWN_OF_SWEEP,
    SHOWN_OF_TARGET,
    Campaign,
    read_campaign,
)
from coldcache.campaign.trial_json import TRIAL_JSON
from coldcache.core.errors import CampaignError
from coldcache.core.files import write_whole
from coldcache.core.units import show_bytes
from coldcache.core.yaml_models import Strict
from coldcache.design.cases import Case
from coldcache.design.study import Study

#: What adds trials: it may change as long as each measured trial is still planned.
_ADDS_OF_STUDY = ("repetitions", "repeat_until")
_ADDS_OF_SWEEP = ("operations", "factors", "settings", "repetitions", "repeat_until")

#: What a case holds besides what it measures.
_NOT_OF_A_TRIAL: dict[str, Any] = {
    "name": "", "repetitions": 0, "repeats": 0, "until": None, "sentinel_every": 0, "item": "", "expected": None,
    "scale": "",
}  # fmt: skip

_SIZES = ("transfer_size", "file_size")

#: How a campaign gets another name, by Snakemake anywhere, and by make in a clone on a single machine.
ANOTHER_NAME = "choose another name (--config campaign=…, or make study CAMPAIGN=…)"

#: What decides which other values a design has, so that it is the first to be told of them.
_TOLD_FIRST = re.compile(r"site\.site|site\.targets\.[^.]+\.path")


class _BeginState(NamedTuple):
    """A case with measured trials, and the number of its last one."""

    case: Case
    last: int


def begin(design: Campaign) -> None:
    """Write the design of a campaign, or add its trials to those of a campaign that has begun.

    Of a campaign that has begun, titles and whatever else the report only shows are updated. Studies that were
    imported meanwhile are not compared, and stay.

    Raises
    ------
    CampaignError
        If the campaign began with another design: trials of two designs are never mixed.
    """
    path = design.folder / "campaign.json"
    if path.is_file():
        begun = read_campaign(design.folder)
        design = fit_design(begun, design)
        design = replace(design, studies=(*design.planned, *begun.foreign))
        if design.design() == begun.design():
            return
    write_whole(path, json.dumps(design.design(), indent=1) + "\n")


def fit_design(begun: Campaign, design: Campaign) -> Campaign:
    """Return a design with the names that a campaign's measured cases have, and with its values where it states none.

    The design may plan further levels, operations, repetitions and sweeps, and may leave out what was not measured.

    Raises
    ------
    CampaignError
        With the first difference, if the campaign began with a design that decides trials otherwise; or if the design
        no longer plans a trial that was measured.
    """
    design = replace(_keep_unstated_values(begun, design), ceilings=begun.ceilings)
    old, new = (_decisive(campaign) for campaign in (begun, design))
    if old == new:
        return replace(design, names=begun.names)
    _leave_out_additions(old, new)
    if difference := _differing_studies(old, new) or first_difference(old, new):
        raise CampaignError(
            f"{begun.folder} began with another design ({difference}): {ANOTHER_NAME}, or undo this change"
        )
    planned = {_identity(case): case for case in replace(design, names={}).cases()}
    names = {}
    for case, last in _find_measured(begun):
        now = planned.get(_identity(case))
        if lost := _why_lost(case, last, now, planned.values()):
            raise CampaignError(
                f"{begun.folder} began with another design ({case.key}/r{last} is measured, and {lost}): keep what is "
                f"measured and add to it, or {ANOTHER_NAME}"
            )
        assert now is not None
        if now.name != case.name:
            names[now.key] = case.name
    return replace(design, names=names)


def is_enlarged(begun: Study, study: Study) -> bool:
    """Return whether a study has sweeps, listed levels, operations or repetitions that a campaign's own has not."""
    if study.sweeps.keys() - begun.sweeps.keys() or study.repetitions > begun.repetitions:
        return True
    for name, sweep in study.sweeps.items():
        old = begun.sweeps[name]
        listed: list[tuple[Any, Any]] = [(old.operations, sweep.operations)]
        listed += [(old.factors.get(factor), levels) for factor, levels in sweep.factors.items()]
        for before, now in listed:
            if isinstance(before, list) and isinstance(now, list) and any(one not in before for one in now):
                return True
    return False


def first_difference(old: Any, new: Any, place: str = "") -> str | None:
    """Return the first place at which two designs differ, as ``place: old, now new``; None if they are equal.

    Another site or target comes before what else follows from it.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        places = {f"{place}.{key}" if place else str(key): key for key in old.keys() | new.keys()}
        for inner in sorted(places, key=lambda one: (not _TOLD_FIRST.fullmatch(one), one)):
            if difference := first_difference(old.get(places[inner]), new.get(places[inner]), inner):
                return difference
        return None
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            difference = first_difference(one, other, f"{place}.{index}")
            if difference:
                return difference
        return None
    return None if old == new else f"{place}: {json.dumps(old)[:60]}, now {json.dumps(new)[:60]}"


def _differing_studies(old: dict[str, Any], new: dict[str, Any]) -> str | None:
    """Return which studies two designs have, and why another one is refused; None if they have the same."""
    before, now = ([study["study"] for study in design["studies"]] for design in (old, new))
    if before == now:
        return None
    reason = "; a study is not added to a campaign that has begun" if set(now) > set(before) else ""
    return f"studies: {', '.join(before)}, now {', '.join(now)}{reason}"


def _keep_unstated_values(begun: Campaign, design: Campaign) -> Campaign:
    """Return a design with the values of a campaign where its site and its studies rely on defaults."""
    then = {study.study: study for study in begun.planned}
    studies = tuple(_keep_unstated(study, then.get(study.study)) for study in design.studies)
    return replace(design, site=_keep_unstated(design.site, begun.site), studies=studies)


def _keep_unstated(now: Any, then: Any) -> Any:
    """Return a part of a design with the values of an earlier one for the defaults that it relies on.

    A default that is empty means that there is nothing of the kind, and is no value.
    """
    if isinstance(now, dict) and isinstance(then, dict):
        return {key: _keep_unstated(value, then.get(key)) for key, value in now.items()}
    if not isinstance(now, Strict) or type(now) is not type(then):
        return now
    parts = {name: _keep_unstated(getattr(now, name), getattr(then, name)) for name in type(now).model_fields}
    kept = {
        name: getattr(then, name)
        for name, field in type(now).model_fields.items()
        if name not in now.model_fields_set | set(SHOWN_OF_SITE) and isinstance(field.default, (int, float, str))
        if field.default != ""
    }
    return now.model_copy(update={**parts, **kept})


def _decisive(campaign: Campaign) -> dict[str, Any]:
    """Return what decides the trials of the planned studies."""
    design = replace(campaign, studies=campaign.planned, names={}, ceilings={}).design()
    shown: list[tuple[dict[str, Any], tuple[str, ...]]] = [(design["site"], SHOWN_OF_SITE)]
    shown += [(target, SHOWN_OF_TARGET) for target in design["site"]["targets"].values()]
    for study in design["studies"]:
        shown += [(study, SHOWN_OF_STUDY), *((sweep, SHOWN_OF_SWEEP) for sweep in study["sweeps"].values())]
    if "circumstances" in design:
        # How studies were named and repeated: the sweeps that follow are compared themselves.
        shown.append((design["circumstances"], ("studies", "repetitions")))
    for part, keys in shown:
        for key in keys:
            del part[key]
    return design


def _leave_out_additions(old: dict[str, Any], new: dict[str, Any]) -> None:
    """Remove from two designs whatever may be added later, and the sweeps that only one of them has."""
    names = [{f"{one['study']}/{name}" for one in design["studies"] for name in one["sweeps"]} for design in (old, new)]
    both = set.intersection(*names)
    for design in (old, new):
        for study in design["studies"]:
            kept = {name: sweep for name, sweep in study["sweeps"].items() if f"{study['study']}/{name}" in both}
            study["sweeps"] = kept
            for part, keys in [(study, _ADDS_OF_STUDY), *((sweep, _ADDS_OF_SWEEP) for sweep in kept.values())]:
                for key in keys:
                    del part[key]
        if stated := design.get("circumstances"):
            stated["tools"] = {key: tool for key, tool in stated["tools"].items() if key in both}
            stated["lacking"] = [key for key in stated["lacking"] if key in both]


def _identity(case: Case) -> tuple[Any, ...]:
    """Return what distinguishes a case from every other of its campaign."""
    return case.study, case.sweep, case.operations, frozenset(case.factors.items())


def _content(case: Case) -> dict[str, Any]:
    """Return what decides a trial of a case."""
    return case._replace(**_NOT_OF_A_TRIAL)._asdict()


def _find_measured(begun: Campaign) -> Iterable[_BeginState]:
    """Yield each case of a campaign that has measured trials."""
    for case in begun.cases():
        numbers = [
            int(path.parent.name[1:])
            for path in (begun.folder / case.key).glob(f"r*/{TRIAL_JSON}")
            if path.parent.name[1:].isdigit()
        ]
        if numbers:
            yield _BeginState(case, max(numbers))


def _why_lost(case: Case, last: int, now: Case | None, planned: Iterable[Case]) -> str | None:
    """Return why a design no longer plans the trials of a measured case; None if it plans them all."""
    if now is None:
        near = _find_nearest(case, planned)
        gone = [
            f"{factor} {show_bytes(level) if factor in _SIZES and isinstance(level, int) else level}"
            for factor, level in case.factors.items()
            if near and near.factors.get(factor) != level
        ]
        return f"{' and '.join(gone) or '+'.join(case.operations)} no longer planned"
    old, new = _content(case), _content(now)
    if changed := [key for key in old if old[key] != new[key]]:
        return f"its {changed[0]} would change"
    count = "1 repetition is" if now.most == 1 else f"{now.most} repetitions are"
    return f"{count} planned" if last >= now.most else None


def _find_nearest(case: Case, planned: Iterable[Case]) -> Case | None:
    """Return the planned case of the same sweep and operations that shares most levels with another case."""
    alike = [one for one in planned if _identity(one)[:3] == _identity(case)[:3]]
    return max(alike, key=lambda one: _count_shared(case.factors, one.factors), default=None)


def _count_shared(one: Mapping[str, Any], other: Mapping[str, Any]) -> int:
    return sum(other.get(factor) == level for factor, level in one.items())
