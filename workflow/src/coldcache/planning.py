"""What `python -m coldcache plan` prints: the whole design, without touching anything."""

import json
from itertools import groupby

from coldcache.design import draft_design
from coldcache.plan import describe_trial
from coldcache.units import show_bytes, show_seconds


def print_plan(studies: str, site: str, target: str | None, form: str) -> None:
    """Print the trials of studies on a site.

    Parameters
    ----------
    studies : str
        Ids, separated by commas.
    site : str
        The site's id.
    target : str or None
        A folder to measure instead of the site's.
    form : {"text", "jsonl"}
        A line per sweep and one per case, or one JSON object per trial.

    Raises
    ------
    ColdCacheError
        As `draft_design`.
    """
    design = draft_design({"studies": studies, "site": site, "target": target or ""})
    blocks = design.blocks()
    if form == "jsonl":
        for block in blocks:
            for trial in block.trials:
                print(json.dumps(describe_trial(trial)))
        return
    trials = [trial for block in blocks for trial in block.trials]
    for sweep, group in groupby(trials, key=lambda trial: f"{trial.case.study}/{trial.case.sweep}"):
        cases = sorted({trial.case.name: trial.case for trial in group}.items())
        print(f"{sweep} ({cases[0][1].tool})")
        for name, case in cases:
            print(f"  {name}  x {case.repetitions}  about {case.seconds:.1f} s each")
    total, largest = sum(trial.case.seconds for trial in trials), max(trial.case.bytes for trial in trials)
    print(
        f"{len(trials)} trials, about {show_seconds(total)}, up to {show_bytes(largest)} on {design.site.target.path}"
    )
