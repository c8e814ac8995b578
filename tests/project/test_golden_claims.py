"""Every verdict, effect and interval of the reference campaign is known, and a changed log of any study shows."""

import shutil
import subprocess
import sys
from dataclasses import replace

import pandas as pd
import pytest
import yaml
from golden_claims import CLAIMS, FIGURES, RESULTS, ROOT, read_golden, tabulate_claims, tabulate_figures

from coldcache.campaign.campaign import read_campaign
from coldcache.claims.context import ClaimContext
from coldcache.claims.judge import judge_claims
from coldcache.claims.read import SourcedClaim, read_claims
from coldcache.core.errors import ColdCacheError
from coldcache.core.vocabulary import CLAIM_SCOPES, CLAIM_VERDICTS
from coldcache.design.claim import Claim
from coldcache.design.site import read_site
from coldcache.tools import read_log

STUDIES = ("anf-nfs", "dell-lustre", "fsx-metadata", "pixstor-nvme", "quick", "sas-grid", "specimens")

needs_reference = pytest.mark.skipif(not RESULTS.is_dir(), reason="needs results/reference: make reference")


@needs_reference
def test_every_verdict_effect_and_interval_is_the_known_one():
    pd.testing.assert_frame_equal(tabulate_claims(RESULTS), read_golden(CLAIMS))


@needs_reference
def test_every_figure_of_every_study_is_the_known_one():
    pd.testing.assert_frame_equal(tabulate_figures(RESULTS), read_golden(FIGURES))


def test_the_known_table_has_every_claim_with_its_scope(root, monkeypatch):
    monkeypatch.chdir(root)
    golden, stated = read_golden(CLAIMS), read_claims(STUDIES)
    assert list(golden.id) == [one.claim.id for one in stated]
    assert list(golden.scope) == [one.claim.scope for one in stated]
    assert set(golden.scope) == set(CLAIM_SCOPES)
    assert set(golden.verdict) <= set(CLAIM_VERDICTS)
    lacking = golden[golden.verdict == "not testable here"]
    assert set(lacking.scope) <= {"model", "system", "protocol"}
    assert set(lacking.estimate) == {""}
    assert not golden[golden.scope == "system"].verdict.isin(CLAIM_VERDICTS[:3]).any()
    offers = set(read_site(root / "config/sites", "reference").offers)
    met = [offers >= set(one.claim.needs) for one in stated if one.claim.scope == "model"]
    assert list(golden[golden.scope == "model"].verdict != "not testable here") == met


def alter(folder, study):
    """Change a digit of the first log of a study whose figures are read."""
    for log in sorted((folder / "raw/reference" / study).rglob("*.txt")):
        content = log.read_bytes()
        try:
            records = read_log(content)
        except ColdCacheError:
            continue
        for record in records:
            place = record.offset + min(2, record.length - 1)
            if record.length >= 3 and content[place : place + 1].isdigit() and record.value > 0:
                digit = b"1" if content[place : place + 1] != b"1" else b"2"
                log.write_bytes(content[:place] + digit + content[place + 1 :])
                return log
    raise AssertionError(f"{study} has no log to change")


@pytest.mark.slow
def test_a_changed_log_of_any_study_changes_the_known_figures(tmp_path):
    shutil.copytree(ROOT / "raw/reference", tmp_path / "raw/reference")
    (tmp_path / "raw/reference/SHA256SUMS").unlink()
    (tmp_path / "config").symlink_to(ROOT / "config")
    for study in STUDIES:
        alter(tmp_path, study)
    for step in ("collect", "claims"):
        command = [sys.executable, "-m", "coldcache", step, "--campaign=reference", "--results=results/reference"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    merged = tabulate_figures(tmp_path / "results/reference").merge(read_golden(FIGURES), how="outer", indicator=True)
    assert set(merged.study[merged._merge != "both"]) == set(STUDIES)


@needs_reference
def test_the_worked_examples_of_the_page_are_judged_as_it_says(root, monkeypatch):
    monkeypatch.chdir(root)
    page = (root / "docs/judge-claims.md").read_text()
    block = page.partition("## Two worked examples")[2].partition("```yaml\n")[2].partition("```")[0]
    claims = [SourcedClaim("quick", Claim.model_validate(stated)) for stated in yaml.safe_load(block)["claims"]]
    assert [stated.claim.id for stated in claims] == ["OU1", "OU2"]
    campaign = read_campaign(root / "raw/reference")
    threads, peak = judge_claims(ClaimContext(campaign, RESULTS), claims)
    assert (threads.verdict, peak.verdict) == ("borne out", "not testable here")
    assert threads.why.startswith("random-read: threads 4 is 2.37 times as fast as threads 1 (95 %: 2.02 to 2.79)")
    assert "four threads are 2.37 times as fast as one (95 %: 2.02 to 2.79)" in " ".join(page.split())
    assert peak.why == "needs our new array, which config/sites/reference.yaml does not offer"
    product = replace(campaign, site=campaign.site.model_copy(update={"offers": ["our new array"]}))
    _, peak = judge_claims(ClaimContext(product, RESULTS), claims)
    assert peak.verdict == "refuted"
    assert peak.why.startswith("the peak of read, at 4 threads, is 909 MB/s (93.8 %: 903 to 931 MB/s)")
    assert "five rounds give the peak of reads 903 to 931 MB/s" in " ".join(page.split())
