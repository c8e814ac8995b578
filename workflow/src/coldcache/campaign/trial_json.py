"""Read and write `trial.json`. No other module does."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from json.encoder import encode_basestring_ascii
from math import isfinite
from pathlib import Path
from typing import Any

from coldcache.core.errors import CampaignError
from coldcache.core.outcome import Outcome
from coldcache.design.imported_study import AnyStudy

#: The name of the file, in the folder of each trial.
TRIAL_JSON = "trial.json"


def list_trial_files(folder: Path, studies: Iterable[AnyStudy]) -> list[Path]:
    """Return the path of every `trial.json` of some studies in a campaign's folder, sorted."""
    return sorted(
        path
        for study in studies
        for path in folder.glob(f"{study.study}/*/*/r*/{TRIAL_JSON}")
        # The folder of imported logs is beside the sweeps, and may contain any name.
        if path.parents[2].name in study.sweeps
    )


def read_outcome(path: Path) -> Outcome:
    """Return what a `trial.json` holds.

    Raises
    ------
    CampaignError
        If it cannot be read, is no JSON, or is not the outcome of a trial.
    """
    try:
        return Outcome.from_json(json.loads(path.read_bytes()))
    except (OSError, ValueError) as error:
        raise CampaignError(f"{path}: not the outcome of a trial ({error})") from error


def write_outcome(path: Path, outcome: Outcome) -> None:
    """Write a `trial.json`; raises `OSError` where it cannot be."""
    path.write_bytes(format_outcome(outcome, indented=outcome.log is not None).encode())


def format_outcome(outcome: Outcome, *, indented: bool = False) -> str:
    """Return the text of a `trial.json`.

    Parameters
    ----------
    outcome : Outcome
        What happened in the trial.
    indented : bool
        Whether nested values have lines of their own, as in imported trials and in campaigns of earlier versions;
        otherwise each key has one line.
    """
    stated = outcome.to_json()
    if indented:
        return json.dumps(stated, indent=1) + "\n"
    # Only Python lays out indented JSON, not C: that would cost more than all else of a short trial.
    lines = ",\n".join(f" {encode_basestring_ascii(key)}: {_dump(value)}" for key, value in stated.items())
    return f"{{\n{lines}\n}}\n"


def _dump(value: Any) -> str:
    """Return a value as JSON; the encoder is set up only for one that has parts, or is no text, number or null."""
    # JSON has no infinite numbers; Python's encoder has words for them.
    if value is None:
        return "null"
    if type(value) is str:
        return encode_basestring_ascii(value)
    is_number = type(value) is int or (type(value) is float and isfinite(value))
    return repr(value) if is_number else json.dumps(value)


def read_descriptions(folder: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the description of the machine and of the target that each `trial.json` in a campaign's folder holds.

    Broken files, and imported logs of the same name, are read as far as they go: this looks for names to hide.
    """
    for path in sorted(folder.glob(f"*/*/*/r*/{TRIAL_JSON}")):
        with suppress(ValueError):
            stated = json.loads(path.read_bytes())
            if isinstance(stated, dict):
                system, target = (stated.get(part) for part in ("system", "target"))
                yield (system if isinstance(system, dict) else {}, target if isinstance(target, dict) else {})
