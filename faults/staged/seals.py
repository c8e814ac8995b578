"""A sealed campaign whose files are altered."""

import random
from pathlib import Path

from scene import SHORT, Scene

from coldcache.campaign.seal import check_seal


def alter_sealed(scene: Scene, moments: random.Random, times: int) -> str:
    """A bit flipped or bytes cut in any file of a sealed campaign, a file removed or added: every one is named."""
    scene.design(SHORT)
    reason = scene.complete()
    files = [path for path in sorted(scene.raw.rglob("*")) if path.is_file() and path.name != "SHA256SUMS"]
    for path in files:
        reason = reason or _alter(scene, path, moments)
    return reason


def _alter(scene: Scene, path: Path, moments: random.Random) -> str:
    """Do each harm to a file, let it be found, and put all right again."""
    content, added = path.read_bytes(), path.with_name("added.txt")
    flipped = bytearray(content or b"\0")
    flipped[moments.randrange(len(flipped))] ^= 1 << moments.randrange(8)
    harms = {
        "changed": lambda: path.write_bytes(flipped),
        "cut": lambda: path.write_bytes(content[: moments.randrange(len(content))] if content else b"\n"),
        "removed": path.unlink,
        "linked": lambda: (path.unlink(), path.symlink_to("/etc/hostname")),
        "added": lambda: added.write_text("x"),
    }
    # The steps take a second each, so that each file meets them with one of the harms alone.
    chosen = moments.choice(sorted(harms))
    for how, harm in harms.items():
        harm()
        scene.staged += 1
        told = {"cut": "changed", "linked": "removed"}.get(how, how)
        line = f"{(added if how == 'added' else path).relative_to(scene.raw)}: {told} since the campaign was sealed"
        named = check_seal(scene.raw)
        reason = "" if named == [line] else f"{path.name} is {how}, named are {named}"
        if how == chosen and not reason:
            reason = _is_named(scene, line)
        path.unlink(missing_ok=True)
        added.unlink(missing_ok=True)
        path.write_bytes(content)
        if reason:
            return reason
    return ""


def _is_named(scene: Scene, line: str) -> str:
    """Return which of the steps that read a sealed campaign takes it, although a file differs."""
    for step in (["seal", "--check", "break"], ["collect", "--campaign=break", "--results=results/break"]):
        found = scene.coldcache(*step)
        if found.returncode != 1 or line not in found.stderr:
            return f"{step[0]} does not say: {line}"
    return ""
