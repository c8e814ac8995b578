"""The digest of a slice changes where what it holds changes, and nowhere else."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from coldcache.dataset.collect import collect
from coldcache.dataset.digests import write_claim_digests

RESULTS = Path("results/tiny")
TRIAL = Path("raw/tiny/tiny/transfers/operation=read,threads=2/r0")


def read_digests() -> dict[str, str]:
    folder = RESULTS / "digests"
    return {str(path.relative_to(folder).with_suffix("")): path.read_text() for path in folder.rglob("*.sha256")}


def changed(before: dict[str, str]) -> set[str]:
    return {name for name, digest in read_digests().items() if before.get(name) != digest}


@pytest.fixture
def before(measured):
    collect("tiny", RESULTS)
    return read_digests()


def test_the_same_logs_have_the_same_digests(before):
    collect("tiny", RESULTS)
    assert changed(before) == set()
    assert {"limits/tiny", "tables/hosts", "tables/records/tiny", "sweeps/tiny/cache", "everything"} <= set(before)


def test_a_figure_that_no_cube_holds_changes_the_long_table_alone(before):
    log = TRIAL / "stdout.txt"
    text = log.read_text()
    log.write_text(re.sub(r'("max" : [1-9][0-9]*)([0-8])\b', lambda old: old[1] + str(int(old[2]) + 1), text, count=1))
    assert log.read_text() != text
    collect("tiny", RESULTS)
    assert changed(before) == {"tables/records/tiny", "everything"}


def test_a_trial_that_becomes_void_changes_its_verdict_and_the_cube_of_its_sweep(before):
    outcome = json.loads((TRIAL / "trial.json").read_text())
    (TRIAL / "trial.json").write_text(json.dumps({**outcome, "exit_status": 1}))
    collect("tiny", RESULTS)
    assert {"tables/verdicts/tiny", "tables/records/tiny", "sweeps/tiny/transfers"} <= changed(before)
    assert not {"sweeps/tiny/files", "sweeps/tiny/cache", "limits/tiny", "tables/published/tiny"} & changed(before)


def test_a_sweep_without_trials_has_a_digest_that_changes_with_the_first_one(before, measured):
    trials = list(Path("raw/tiny/tiny/cache").rglob("trial.json"))
    for trial in trials:
        trial.rename(trial.with_name("hidden"))
    collect("tiny", RESULTS)
    assert "sweeps/tiny/cache" in changed(before)


def judged(**verdicts: str) -> pd.DataFrame:
    rows = [(id, id.split("_")[0], verdict, 1.5) for id, verdict in verdicts.items()]
    return pd.DataFrame(rows, columns=["id", "source", "verdict", "estimate"])


@pytest.mark.parametrize(
    ("alter", "pages"),
    [
        (lambda claims: claims.assign(estimate=[2.5, 1.5, 1.5]), {"a", "none"}),
        (lambda claims: claims.assign(verdict=["open", "open", "open"]), {"a", "b", "none"}),
        (lambda claims: claims.assign(estimate=[1.5, 1.5, 2.5]), {"b", "none"}),
    ],
)
def test_claims_of_another_source_matter_to_a_page_by_their_counts_alone(tmp_path, monkeypatch, alter, pages):
    monkeypatch.chdir(tmp_path)
    claims = judged(a_1="borne out", a_2="open", b_1="open")
    write_claim_digests(RESULTS, ["a", "b", "none"], claims)
    before = read_digests()
    assert set(before) == {"claims/a", "claims/b", "claims/none"}
    write_claim_digests(RESULTS, ["a", "b", "none"], alter(claims))
    assert changed(before) == {f"claims/{page}" for page in pages}


def test_a_campaign_without_claims_has_digests_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_claim_digests(RESULTS, ["a"], judged(), pd.DataFrame(columns=["source", "place"]))
    assert set(read_digests()) == {"claims/a"}
