"""Several starts at once, of one campaign and of several on one target."""

import random

from scene import Scene, find_overlap, tell

#: What the one that has to wait is told.
_REFUSALS = (" is being measured by process ", " is held by ", " is being taken by ")


def start_twice(scene: Scene, moments: random.Random, times: int) -> str:
    """A campaign is started again while it starts or measures: all but one start refuse, no trial runs twice."""
    return _together(scene, moments, ["break"] * times)


def start_two_campaigns(scene: Scene, moments: random.Random, times: int) -> str:
    """Two or more campaigns on one target: all but one refuse, no two trials overlap."""
    return _together(scene, moments, [f"other{number}" for number in range(times)])


def _together(scene: Scene, moments: random.Random, campaigns: list[str]) -> str:
    """Start a campaign, and others until it ends."""
    runners = [scene.start()]
    for campaign in campaigns:
        if not scene.wait_for_moment(runners[0], moments):
            break
        runners.append(scene.start(campaign))
        scene.staged += 1
    ends = [(runner.communicate()[1], runner.returncode) for runner in runners]
    refused = [text for text, status in ends if status]
    if len(refused) == len(ends) or any(not any(words in text for words in _REFUSALS) for text in refused):
        return f"refused: {[tell(text) for text in refused]}"
    outcomes = {}
    for campaign in {"break", *campaigns}:
        scene.raw = scene.folder / "raw" / campaign
        outcomes |= {f"{campaign}/{key}": outcome for key, outcome in scene.outcomes().items()}
    scene.raw = scene.folder / "raw/break"
    return find_overlap(outcomes) or scene.complete()
