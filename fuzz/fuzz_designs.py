"""Fuzz studies, sites and notes: any YAML gives a plan or a refusal of one line within a second.

A long plan may take longer, by 0.3 s for each megabyte that is printed.

Each input is a design that comes with the program, after a few changes of its structure or of its text::

    python fuzz/fuzz_designs.py --seconds 600

A finding is printed with its seed, which generates the same input again.
"""

import argparse
import contextlib
import copy
import io
import math
import random
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

import yaml

from coldcache.campaign.importing.notes import NOTES, read_notes
from coldcache.core.errors import ColdCacheError
from coldcache.workflow.commands.plan import print_plan

ROOT = Path(__file__).resolve().parents[1]

#: CPU seconds after which an input counts as hanging, and further seconds for each printed letter.
LONGEST, PER_LETTER = 1.0, 3e-7

#: Notes of foreign logs that use every key.
NOTES_TEXT = """\
study: other
title: Logs
system: A system
notebooks: [what-logs-state]
sweeps: {one: {title: One, logs: ['a/**/*.txt'], source: dell-lustre, item: figure 1}}
factors: {'{threads}/*.json': {transfer_size: 1 MiB, direct_io: true}}
"""

#: Replacement values: empty, large, of a wrong kind, paths that lead out, commands that other programs would run.
VALUES = (
    None, True, False, 0, 1, -1, 2, 7, 1000, 10**6, 10**9, 2**63, 10**30, 10**400, 0.0, -0.5, 1e-300, 1e300,
    float("inf"), float("nan"), "", " ", "x", "on", "0", "1e999", "1 MiB", "1e9 GiB", "99999999999 TiB", "10 s", "1 h",
    "../x", "/etc", "/dev/null", "a\0b", "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"), "\n",
    "$(touch trap)", "{threads}", "{", "}", "{0}", "{threads.__class__}", "%s", "*" * 200, "*?" * 30, "é" * 300, "here",
    "where-possible", "site", "qemu-nbd", "local", "ssh", [], {}, [[]], [None], {"a": 1}, {"first": 1, "last": 10**400},
    {"first": 2, "last_per_core": 1e300}, {"aggregate": "1 GiB", "round": "down"}, {"memory": 1e300, "round": "down"},
    {"by": "threads", "levels": {"1": 1}}, {"kind": "commands", "apply": ["x"], "verify": ["y"]}, [1] * 1000,
    list(range(1, 2000)),
)  # fmt: skip


#: Text to insert: the special characters of YAML.
PIECES = ("", " ", "\n", "\t", ":", "-", "&a", "*a", "!!int ", "[", "]", "{", "}", "'", '"', "#", "|")


def read_designs() -> dict[str, dict[str, Any]]:
    """Return the designs to change, by the kind and the name of their files."""
    paths = [*ROOT.glob("config/studies/*.yaml"), *ROOT.glob("config/sites/*.yaml")]
    found = {f"{path.parent.name}/{path.stem}": yaml.safe_load(path.read_text()) for path in sorted(paths)}
    for design in found.values():
        design.pop("claims", None)
    return {**found, "notes/notes": yaml.safe_load(NOTES_TEXT)}


def mutate(design: Any, others: list[Any], source: random.Random) -> Any:
    """Return a design after up to four changes: values replaced, dropped, moved, repeated, taken from elsewhere."""
    changed = copy.deepcopy(design)
    for _ in range(source.randrange(1, 5)):
        place, key = source.choice(list(_places(changed)) or [({"a": 1}, "a")])
        kind = source.randrange(5)
        if kind == 0:
            del place[key]
        elif kind == 1 and isinstance(place, dict):
            place[source.choice(["x", "factors", "threads", 1, "", "kind", *map(str, place)])] = place.pop(key)
        elif kind == 2:
            donor, from_key = source.choice(list(_places(source.choice(others))))
            place[key] = copy.deepcopy(donor[from_key])
        else:
            place[key] = copy.deepcopy(source.choice(VALUES))
    return changed


def _places(design: Any):
    """Yield every container inside a design with each of its keys."""
    pairs = design.items() if isinstance(design, dict) else enumerate(design) if isinstance(design, list) else ()
    for key, value in list(pairs):
        yield design, key
        yield from _places(value)


def damage(text: str, source: random.Random) -> str:
    """Return a text after up to three changes of its letters."""
    for _ in range(source.randrange(4)):
        start = source.randrange(len(text) + 1)
        piece = source.choice(PIECES)
        text = text[:start] + piece + text[start + source.choice((0, 0, 1, 5)) :]
    return text


def lay_out(designs: dict[str, dict[str, Any]], folder: Path) -> None:
    """Write designs as `config/` and as notes below a folder."""
    for name, design in designs.items():
        path = _place(name, folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(design, allow_unicode=True, sort_keys=False))


def _place(name: str, folder: Path) -> Path:
    return folder / (NOTES if name == "notes/notes" else f"config/{name}.yaml")


def make_input(seed: int, designs: dict[str, dict[str, Any]]) -> tuple[str, str]:
    """Return the input of a seed: the name of the design that it replaces, and its text."""
    source = random.Random(seed)
    chosen = source.choice(list(designs))
    text = yaml.safe_dump(mutate(designs[chosen], list(designs.values()), source), allow_unicode=True, sort_keys=False)
    return chosen, damage(text, source) if source.random() < 0.3 else text


def take(chosen: str, text: str, full: bool) -> tuple[str, int]:
    """Replace a design in the current folder by a text, and return what `plan` returns."""
    path = _place(chosen, Path())
    before = path.read_bytes()
    path.write_text(text, errors="replace")
    kind, _, name = chosen.partition("/")
    names = {"studies": "quick", "sites": "local", kind: name}
    try:
        return plan(names["studies"], names["sites"], full)
    finally:
        path.write_bytes(before)


def plan(study: str, site: str, full: bool) -> tuple[str, int]:
    """Plan a study on a site and read the notes, in the current folder.

    Returns
    -------
    str
        Why that is refused; empty if it is not.
    int
        How many letters are printed.
    """
    printed = io.StringIO()
    try:
        read_notes(Path())
        with contextlib.redirect_stdout(printed):
            print_plan(study, site, None, "jsonl", full)
    except ColdCacheError as cause:
        return str(cause), 0
    return "", printed.tell()


def find_fault(seed: int, designs: dict[str, dict[str, Any]]) -> str:
    """Return what is wrong with the handling of a seed's input; empty if nothing is."""
    chosen, text = make_input(seed, designs)
    excess = math.inf
    # On a busy machine the same work may be slow once; an input that hangs does so each time.
    for _ in range(3):
        began = time.thread_time()
        try:
            why, letters = take(chosen, text, bool(seed % 2))
        except Exception:
            return traceback.format_exc()
        excess = min(excess, time.thread_time() - began - LONGEST - PER_LETTER * letters)
        if excess <= 0:
            break
    if "\n" in why:
        return f"a refusal of several lines: {why!r}"
    if Path("trap").exists():
        return "a design was run"
    return f"{excess:.1f} s longer than a plan of {letters:,} letters may take" if excess > 0 else ""


def main() -> int:
    """Plan inputs until the time is over; return 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long")
    parser.add_argument("--seed", type=int, help="of the first input; the others count on")
    chosen = parser.parse_args()
    first = random.SystemRandom().randrange(10**9) if chosen.seed is None else chosen.seed
    designs = read_designs()
    end, seed, found = time.monotonic() + chosen.seconds, first, 0
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder, contextlib.chdir(folder):
        lay_out(designs, Path())
        while time.monotonic() < end:
            if fault := find_fault(seed, designs):
                print(f"seed {seed}: {fault}")
                found += 1
            seed += 1
    print(
        f"{seed - first:,} designs from seed {first}, {found} of them neither planned nor refused in one line in time"
    )
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
