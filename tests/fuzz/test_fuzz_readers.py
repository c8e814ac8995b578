"""A short run of the fuzzer: every input of its corpus, and thousands made of them."""

import importlib.util
import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2] / "fuzz"
CORPUS = sorted(path for path in HERE.joinpath("corpus").iterdir())


@pytest.fixture(scope="module")
def fuzzer():
    specification = importlib.util.spec_from_file_location("fuzz_readers", HERE / "fuzz_readers.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def inputs():
    return [path.read_bytes() for path in CORPUS]


def test_the_corpus_is_small_and_each_input_is_in_order(fuzzer, inputs):
    assert len(inputs) > 300
    assert sum(map(len, inputs)) < 1_000_000
    for log in inputs:
        fuzzer.read_any_bytes(log)


def test_the_corpus_reaches_every_reader(fuzzer, inputs):
    reached = set()
    for log in inputs:
        try:
            records = fuzzer.read_log(log, fuzzer.NAME)
        except fuzzer.LogError:
            continue
        reached.add(records[0].tool)
    assert reached == {
        "fio", "iozone", "ior", "mdtest", "rhel_iotest", "io500", "mountstats", "elbencho", "cloudwatch",
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_inputs_made_of_the_corpus_are_in_order(fuzzer, inputs, seed):
    words = [word.encode() for word in re.findall(r'(?m)^"(.*)"$', HERE.joinpath("words.dict").read_text())]
    words = [re.sub(rb"\\x0a", b"\n", word).replace(rb"\"", b'"') for word in words]
    source = random.Random(seed)
    for _ in range(2000):
        fuzzer.read_any_bytes(fuzzer.mutate(inputs, words, source))


def test_a_short_run_guided_by_coverage_finds_nothing(tmp_path):
    pytest.importorskip("atheris")
    learnt = tmp_path / "learnt"
    learnt.mkdir()
    ran = subprocess.run(
        [sys.executable, HERE / "fuzz_readers.py", "-runs=5000", "-seed=1", f"-artifact_prefix={tmp_path}/",
         f"-dict={HERE / 'words.dict'}", learnt, HERE / "corpus"],
        capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert "Done 5000 runs" in ran.stderr


def test_stretches_of_fuzzing_add_up(tmp_path):
    pytest.importorskip("atheris")
    kept = tmp_path / "kept" / "fuzz.jsonl"
    for turn in (1, 2):
        ran = subprocess.run(
            [sys.executable, HERE / "run.py", "--runs=1000", f"--kept={kept}"],
            cwd=tmp_path, capture_output=True, text=True, timeout=280, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr[-2000:]
        stretches = [json.loads(line) for line in kept.read_text().splitlines()]
        assert [stretch["executions"] for stretch in stretches] == [1000] * turn
        told = json.loads(ran.stdout)
        assert (told["readers"]["executions"], told["readers"]["findings"]) == (1000 * turn, [])
        assert 0 < told["readers"]["processor_hours"] * 3600 <= sum(stretch["seconds"] for stretch in stretches) + 4
        assert told["designs"] == {"executions": 0, "processor_hours": 0, "findings": []}


def test_the_page_quotes_what_was_fuzzed(root, monkeypatch):
    monkeypatch.syspath_prepend(HERE)
    import run

    page = (root / "docs/reliability.md").read_text()
    found = run.add_up(HERE / "fuzzed.jsonl")
    for what, name in (("readers", "logs"), ("designs", "designs")):
        one = found[what]
        row = f"| {name} | {one['executions']:,} | {one['processor_hours']:.2f} | {len(one['findings'])} |"
        assert row in page
