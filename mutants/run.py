#!/usr/bin/env python3
"""Change the code of analysis and verdicts in small ways, and print which changes no test notices.

Each change runs the tests that mirror its module, then the committed notebooks that call the changed function, which
must display what they display in the repository, for every other study of the reference campaign the same text, and
of invented datasets what `tests/project/invented-outputs.sha256` states. Which notebook calls which function is traced
once, without a change. A change happens in a process that holds the changed module in place of the file. It is killed
when a test fails, a notebook differs, both take longer than `--seconds`, or the module cannot be imported. Survivors
that `survivors.md` lists with a reason are counted apart.
"""

import argparse
import ast
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import random
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SOURCE = ROOT / "workflow/src"
sys.path[:0] = [str(HERE), str(ROOT / "tests/fixtures")]

from mirrors import find_tested, list_tests  # noqa: E402
from mutations import Mutant, apply_change, list_mutants  # noqa: E402
from notebooks import Page, displays_the_same, list_pages, trace_functions  # noqa: E402

#: The rooms whose code is changed.
ROOMS = ("analysis", "verdicts")

#: Modules whose tests are elsewhere than their mirror: data that other code reads.
LEFT_OUT = ("__init__",)

#: Tests that start other processes, which would not see a change, or that take long.
DESELECTED = "not slow"

#: What all tests need: a process that is forked has it. Libraries, and modules of rooms below those that are changed.
PRELOADED = (
    "matplotlib.pyplot", "seaborn", "scipy.stats", "xarray", "h5netcdf", "nbformat", "hypothesis", "pytest",
    "IPython.core.formatters", "coldcache.campaign.importing.import_logs", "coldcache.dataset.collect",
)  # fmt: skip

#: Rooms that a change of a room leaves as they are.
KEPT = {
    "analysis": ("core", "statistics", "tools", "verdicts", "design", "campaign", "measure", "dataset"),
    "verdicts": ("core", "statistics", "tools"),
}


class MutantLoader(importlib.abc.MetaPathFinder, importlib.abc.SourceLoader):
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
        mutants = random.Random(chosen.seed).sample(mutants, chosen.sample)
    known = read_reasons()
    os.chdir(ROOT)
    os.environ["COLDCACHE_INVENTED"] = str(ROOT / "results/invented")
    for name in PRELOADED:
        importlib.import_module(name)
    drawn = {mutant.module for mutant in mutants}
    called = check_unchanged([path for path in modules if name_module(path) in drawn], chosen.jobs, 10 * chosen.seconds)
    if called is None:
        return 1
    results = {}
    for mutant, fate in run_all(mutants, called, chosen.jobs, chosen.seconds):
        results[mutant] = fate
        if len(results) % 20 == 0:
            print(f"{len(results)} of {len(mutants)} changes have run", file=sys.stderr, flush=True)
    return report(results, total, known)


def check_unchanged(paths: list[Path], jobs: int, seconds: float) -> dict[Page, set[str]] | None:
    """Return the functions that each page calls; None, after a line each, where a test or a page fails unchanged."""
    pages = list_pages(ROOT)
    with ThreadPoolExecutor(jobs) as pool, tempfile.TemporaryDirectory() as folder:

        def trace(number: int) -> int:
            found = trace_functions(pages[number], SOURCE / "coldcache")
            Path(folder, str(number)).write_text(json.dumps(found))
            return int(found is None)

        parts = [part for part in (paths[first::jobs] for first in range(jobs)) if part]
        tested = pool.map(lambda part: fork(lambda: run_tests(part), SOURCE, None, seconds), parts)
        broken = [path for part, fate in zip(parts, tested, strict=True) if fate != "survived" for path in part]
        traced = pool.map(lambda one: fork(lambda: trace(one), SOURCE, None, seconds), range(len(pages)))
        broken += [page.path for page, fate in zip(pages, traced, strict=True) if fate != "survived"]
        for path in broken:
            print(f"{path.relative_to(ROOT)}: it, or one that was tested with it, fails without a change")
        if broken:
            return None
        return {page: set(json.loads(Path(folder, str(number)).read_text())) for number, page in enumerate(pages)}


def list_modules() -> list[Path]:
    """Return the modules that are changed."""
    paths = sorted(path for room in ROOMS for path in (SOURCE / "coldcache" / room).rglob("*.py"))
    return [path for path in paths if path.stem not in LEFT_OUT]


def name_module(path: Path) -> str:
    """Return the full name of a module."""
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def find_tests(path: Path) -> list[Path]:
    """Return the tests that mirror a module."""
    return [test for test in list_tests() if find_tested(test) == path.with_suffix("")]


def find_pages(mutant: Mutant, path: Path, called: dict[Page, set[str]]) -> list[Page]:
    """Return the pages that call the changed function; outside of functions, those that import the module."""
    from coldcache.workflow.code_inputs import sources_of_notebook

    if mutant.function in list_functions(ast.parse(path.read_text())):
        name = f"{path.relative_to(SOURCE / 'coldcache')}:{mutant.function}"
        return [page for page, names in called.items() if any(f"{one}.".startswith(f"{name}.") for one in names)]
    return [page for page in called if str(path.relative_to(ROOT)) in sources_of_notebook(page.notebook)]


def list_functions(node: ast.AST, around: str = "") -> Iterator[str]:
    """Yield the functions of a module with the classes and functions around them, as `Mutant.function` has them."""
    for child in ast.iter_child_nodes(node):
        is_named = isinstance(child, (ast.FunctionDef, ast.ClassDef))
        name = f"{around}{child.name}" if is_named else around.removesuffix(".")
        if isinstance(child, ast.FunctionDef):
            yield name
        yield from list_functions(child, f"{name}." if name else "")


def read_reasons() -> dict[str, str]:
    """Return why each known survivor survives, by its key."""
    page = HERE / "survivors.md"
    rows = re.findall(r"^\| `(.+?)` \| (.+?) \|$", page.read_text(), re.MULTILINE) if page.is_file() else []
    return {key.replace("\\|", "|"): reason for key, reason in rows}


def run_all(
    mutants: Iterable[Mutant], called: dict[Page, set[str]], jobs: int, seconds: float
) -> Iterator[tuple[Mutant, str]]:
    """Yield each change with its fate."""

    def run(mutant: Mutant) -> tuple[Mutant, str]:
        path = SOURCE / Path(*mutant.module.split(".")).with_suffix(".py")
        pages = find_pages(mutant, path, called)

        def judge() -> int:
            return run_tests([path]) or int(not all(displays_the_same(page) for page in pages))

        fate = fork(judge, path, mutant, seconds)
        if fate not in ("killed", "timeout"):
            print(f"{fate}: {mutant.key} (line {mutant.line})", flush=True)
        return mutant, fate

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(run, mutants)


def fork(judge: Callable[[], int], path: Path, mutant: Mutant | None, seconds: float) -> str:
    """Return ``killed``, ``timeout`` or ``survived``: what a function says in a process with a change of a module."""
    child = os.fork()
    if child == 0:
        os.setsid()
        status = 1
        with contextlib.suppress(BaseException):
            status = run_in_child(judge, path, mutant)
        os._exit(status)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return "survived" if os.waitstatus_to_exitcode(status) == 0 else "killed"
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "timeout"


def run_in_child(judge: Callable[[], int], path: Path, mutant: Mutant | None) -> int:
    """Return what a function says with a change of a module, quietly."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    os.chdir(ROOT)
    if mutant is not None:
        kept = KEPT[mutant.module.split(".")[1]]
        for name in [name for name in sys.modules if name.startswith("coldcache.")]:
            if name.split(".")[1] not in kept:
                del sys.modules[name]
        sys.meta_path.insert(0, MutantLoader(mutant, path))
    return judge()


def run_tests(paths: list[Path]) -> int:
    """Run the tests that mirror some modules; return 0 if all of them hold."""
    import pytest

    tests = [str(test) for path in paths for test in find_tests(path)]
    return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-m", DESELECTED, *tests])) if tests else 0


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
