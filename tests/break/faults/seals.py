"""A sealed campaign whose files are altered."""

import random

from scene import Scene

from coldcache.campaign import check_seal


def alter_sealed(scene: Scene, moments: random.Random) -> str:
    """A bit flipped in every file of a sealed campaign, a log cut short, a file added, one removed: all are named."""
    reason = scene.complete()
    if reason:
        return reason
    files = [path for path in sorted(scene.raw.rglob("*")) if path.is_file() and path.name != "SHA256SUMS"]
    for path in files:
        content = path.read_bytes()
        name = str(path.relative_to(scene.raw))
        flipped = bytearray(content or b"\0")
        flipped[moments.randrange(len(flipped))] ^= 1 << moments.randrange(8)
        path.write_bytes(flipped)
        named = check_seal(scene.raw)
        path.write_bytes(content)
        if named != [f"{name}: changed since the campaign was sealed"]:
            return f"{name} is changed, named are {named}"
    chosen = moments.choice([path for path in files if path.stat().st_size])
    content, name = chosen.read_bytes(), str(chosen.relative_to(scene.raw))
    chosen.write_bytes(content[: len(content) // 2])
    reason = _is_named(scene, name, "changed")
    chosen.unlink()
    reason = reason or _is_named(scene, name, "removed")
    chosen.symlink_to("/etc/hostname")
    reason = reason or _is_named(scene, name, "removed")
    chosen.unlink()
    chosen.write_bytes(content)
    (scene.raw / "added.txt").write_text("x")
    return reason or _is_named(scene, "added.txt", "added")


def _is_named(scene: Scene, name: str, how: str) -> str:
    """Return whether one of the steps that read a sealed campaign takes it, although a file differs."""
    line = f"{name}: {how} since the campaign was sealed"
    for step in (["seal", "--check", "break"], ["collect", "--campaign=break", "--results=results/break"]):
        found = scene.coldcache(*step)
        if found.returncode != 1 or line not in found.stderr:
            return f"{step[0]} does not name {name}, {how}"
    return ""
