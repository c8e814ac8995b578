"""A short run of the fuzzer of designs, the designs that once were findings, and the fuzzer itself."""

import contextlib
import importlib.util
import io
from pathlib import Path

import pytest

from coldcache.core.errors import ColdCacheError
from coldcache.workflow.commands.plan import print_plan

HERE = Path(__file__).parents[2] / "fuzz"


@pytest.fixture(scope="module")
def fuzzer():
    specification = importlib.util.spec_from_file_location("fuzz_designs", HERE / "fuzz_designs.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize("first", [0, 10_000])
def test_changed_designs_are_planned_or_refused_in_one_line(fuzzer, first, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    designs = fuzzer.read_designs()
    fuzzer.lay_out(designs, tmp_path)
    found = {seed: fault for seed in range(first, first + 100) if (fault := fuzzer.find_fault(seed, designs))}
    assert found == {}


def test_inputs_are_both_taken_and_refused(fuzzer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    designs = fuzzer.read_designs()
    fuzzer.lay_out(designs, tmp_path)
    ends = [fuzzer.take(*fuzzer.make_input(seed, designs), full=False)[0] for seed in range(60)]
    assert "" in ends
    assert len(set(ends)) > 15


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("repetitions: 2", "repetitions: 99999999999", "trials, a study has at most 10,000,000; lower repetitions"),
        ("threads: [1, 2]", "threads: {first: 1, last_per_core: .inf}", "no number that can be meant"),
        ("threads: [1, 2]", f"threads: {{last: {10**400}}}", "must be less than 9.22337e"),
        ("seconds: 0.2 s", "seconds: .nan", "no number that can be meant"),
    ],
)
def test_numbers_that_nobody_means_are_refused(project, old, new, cause):
    study = Path("config/studies/tiny.yaml")
    study.write_text(study.read_text().replace(old, new, 1))
    with pytest.raises(ColdCacheError, match=cause), contextlib.redirect_stdout(io.StringIO()):
        print_plan("tiny", "here", None, "jsonl")


@pytest.mark.parametrize("key", ["nodes", "cores"])
def test_cores_that_nobody_has_are_refused(project, key):
    site = Path("config/sites/here.yaml")
    site.write_text(f"{site.read_text()}clients: {{{key}: {10**400}}}\n")
    with pytest.raises(ColdCacheError, match=f"clients.{key}: must be less than 9.22337e"):
        print_plan("tiny", "here", None, "jsonl")


def test_more_combinations_of_levels_than_anybody_measures_are_refused(project):
    study = Path("config/studies/tiny.yaml")
    threads, sizes = list(range(1, 1500)), [f"{4 * size} KiB" for size in range(1, 1500)]
    text = study.read_text().replace("threads: [1, 2]", f"threads: {threads}", 1)
    study.write_text(text.replace("transfer_size: [64 KiB]", f"transfer_size: {sizes}", 1))
    with pytest.raises(ColdCacheError, match="2,247,001 combinations of levels, a sweep has at most 1,000,000"):
        print_plan("tiny", "here", None, "jsonl")
