"""Two starts at once, of one campaign and of two on one target."""

import random
import time

from scene import Scene, find_overlap, tell

#: What the one that has to wait is told.
_REFUSALS = (" is being measured by process ", " is held by ", " is being taken by ")


def start_twice(scene: Scene, moments: random.Random) -> str:
    """Two starts of one campaign: one refuses by name, no trial runs twice."""
    return _together(scene, moments, "break")


def start_two_campaigns(scene: Scene, moments: random.Random) -> str:
    """Two campaigns on one target: one refuses by name, no two trials overlap."""
    return _together(scene, moments, "other")


def _together(scene: Scene, moments: random.Random, campaign: str) -> str:
    first = scene.start()
    time.sleep(moments.uniform(0, 1.5))
    second = scene.start(campaign)
    ends = [process.communicate()[1] for process in (first, second)]
    refused = [text for process, text in zip((first, second), ends, strict=True) if process.returncode]
    if len(refused) > 1 or any(not any(words in text for words in _REFUSALS) for text in refused):
        return f"refused: {[tell(text) for text in refused]}"
    stories = dict(scene.stories())
    if campaign != "break":
        scene.raw = scene.folder / "raw" / campaign
        stories |= {f"{campaign}/{key}": story for key, story in scene.stories().items()}
        scene.raw = scene.folder / "raw/break"
    return find_overlap(stories) or scene.complete()
