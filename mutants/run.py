#!/usr/bin/env python3
"""Change the code of analysis and verdicts in small ways, and print which changes no test notices.

Each change runs the tests that mirror its module, then the committed notebooks that import it, which must display what
they display in the repository, and for every other study of the reference campaign the same text. This happens in a
process that holds the changed module in place of the file. A change is killed when a test fails, a notebook differs,
both take longer than `--seconds`, or the module cannot be imported. Survivors that `survivors.md` lists with a reason
are counted apart.
"""

import argparse
import importlib.abc
import importlib.machinery
import os
import random
import re
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SOURCE = ROOT / "workflow/src"
sys.path[:0] = [str(HERE), str(ROOT / "tests/fixtures")]

from mutations import Mutant, apply_change, list_mutants  # noqa: E402
from notebooks import find_difference  # noqa: E402

#: The rooms whose code is changed.
ROOMS = ("analysis", "verdicts")

#: Modules whose tests are elsewhere than their mirror: data that other code reads.
LEFT_OUT = ("__init__",)

#: Tests that start other processes, which would not see a change, or that take long.
DESELECTED = "not slow"


class Changed(importlib.abc.MetaPathFinder, importlib.abc.SourceLoader):
    """Import one module with a change, and all others as they are."""

    def __init__(self, mutant: Mutant, path: Path):
        self.mutant, self.path = mutant, path

    def find_spec(self, name, path=None, target=None):
        if name != self.mutant.module:
            return None
        return importlib.machinery.ModuleSpec(name, self, origin=str(self.path))

    def get_filename(self, name):
        return str(self.path)

    def get_data(self, path):
        return Path(path).read_bytes()

    def get_code(self, name):
        tree = apply_change(self.path.read_text(), self.mutant.number)
        return compile(tree, str(self.path), "exec")


def main() -> int:
    """Run the changes that are asked for; return 1 if one survives without a reason, or the tests fail unchanged."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, help="run so many, drawn at random (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--seconds", type=float, default=120, help="the most that the tests of one change may take")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="so many side by side")
    parser.add_argument("--only", default="", help="modules whose path matches this expression")
    chosen = parser.parse_args()
    modules = [path for path in list_modules() if re.search(chosen.only, str(path))]
    mutants = [mutant for path in modules for mutant in list_mutants(name_module(path), path.read_text())]
    total = len(mutants)
    if chosen.sample and chosen.sample < total:
        mutants = sorted(random.Random(chosen.seed).sample(mutants, chosen.sample), key=lambda one: one.key)
    known = read_reasons()
    os.environ["COLDCACHE_INVENTED"] = str(ROOT / "results/invented")
    preload()
    drawn = {mutant.module for mutant in mutants}
    tested = [path for path in modules if name_module(path) in drawn]
    with ThreadPoolExecutor(chosen.jobs) as pool:
        fates = list(pool.map(lambda path: run_tests(None, path, 10 * chosen.seconds), tested))
    broken = [path for path, fate in zip(tested, fates, strict=True) if fate != "survived"]
    for path in broken:
        print(f"{path.relative_to(ROOT)}: its tests fail without a change")
    if broken:
        return 1
    results = dict(run_all(mutants, chosen.jobs, chosen.seconds))
    return report(results, total, known)


def list_modules() -> list[Path]:
    """Return the modules that are changed."""
    paths = sorted(path for room in ROOMS for path in (SOURCE / "coldcache" / room).rglob("*.py"))
    return [path for path in paths if path.stem not in LEFT_OUT]


def name_module(path: Path) -> str:
    """Return the full name of a module."""
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def find_tests(path: Path) -> list[Path]:
    """Return the tests that mirror a module: ``test_<module>.py`` and ``test_<module>_<aspect>.py``."""
    folder = ROOT / "tests" / path.parent.relative_to(SOURCE / "coldcache")
    return sorted(found for found in folder.glob("test_*.py") if re.fullmatch(rf"test_{path.stem}(_.*)?", found.stem))


def find_notebooks(path: Path) -> list[Path]:
    """Return the committed notebooks that import a module, those with the shortest outputs first."""
    from coldcache.workflow.code_inputs import sources_of_notebook

    notebooks = sorted(ROOT.glob("notebooks/*.ipynb"), key=lambda notebook: notebook.stat().st_size)
    return [one for one in notebooks if str(path.relative_to(ROOT)) in sources_of_notebook(one)]


def read_reasons() -> dict[str, str]:
    """Return why each known survivor survives, by its key."""
    page = HERE / "survivors.md"
    rows = re.findall(r"^\| `(.+?)` \| (.+?) \|$", page.read_text(), re.MULTILINE) if page.is_file() else []
    return {key.replace("\\|", "|"): reason for key, reason in rows}


def preload() -> None:
    """Import what all tests need, so that a process that is forked has it; nothing of this package."""
    import xarray  # noqa: F401


def run_all(mutants: Iterable[Mutant], jobs: int, seconds: float) -> Iterator[tuple[Mutant, str]]:
    """Yield each change with its fate."""

    def run(mutant: Mutant) -> tuple[Mutant, str]:
        path = SOURCE / Path(*mutant.module.split(".")).with_suffix(".py")
        fate = run_tests(mutant, path, seconds)
        if fate not in ("killed", "timeout"):
            print(f"{fate}: {mutant.key} (line {mutant.line})", flush=True)
        return mutant, fate

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(run, mutants)


def run_tests(mutant: Mutant | None, path: Path, seconds: float) -> str:
    """Return ``killed``, ``timeout`` or ``survived``: what tests and notebooks say of a change of a module."""
    child = os.fork()
    if child == 0:
        os.setsid()
        os._exit(run_in_child(mutant, path))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return "survived" if os.waitstatus_to_exitcode(status) == 0 else "killed"
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "timeout"


def run_in_child(mutant: Mutant | None, path: Path) -> int:
    """Run a module's tests and notebooks with a change of it, quietly; return 0 if none notices."""
    import pytest

    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    os.chdir(ROOT)
    if mutant is not None:
        sys.meta_path.insert(0, Changed(mutant, path))
    try:
        tests = [str(test) for test in find_tests(path)]
        failed = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-m", DESELECTED, *tests])) if tests else 0
        return failed or int(find_difference(find_notebooks(path), ROOT / "results/reference/notebooks") is not None)
    except BaseException:
        return 1


def report(results: dict[Mutant, str], total: int, known: dict[str, str]) -> int:
    """Print how many changes were killed, by module, and return 1 if one survives without a reason."""
    modules = sorted({mutant.module for mutant in results})
    for module in modules:
        fates = [fate for mutant, fate in results.items() if mutant.module == module]
        killed = sum(fate in ("killed", "timeout") for fate in fates)
        print(f"{killed:5} of {len(fates):5} killed  {module.removeprefix('coldcache.')}")
    alive = [mutant for mutant, fate in results.items() if fate not in ("killed", "timeout")]
    reasoned = [mutant for mutant in alive if mutant.key in known]
    killed = len(results) - len(alive)
    share = killed / max(len(results), 1)
    print(
        f"{killed} of {len(results)} changes killed ({share:.1%}) out of {total} that are possible; "
        f"{len(reasoned)} survivors have a reason in mutants/survivors.md, {len(alive) - len(reasoned)} have none."
    )
    return 1 if len(alive) > len(reasoned) else 0


if __name__ == "__main__":
    sys.exit(main())
