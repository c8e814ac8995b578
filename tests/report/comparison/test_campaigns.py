"""Campaigns that cannot be compared are refused in one line; the others are judged as their reports judge them."""

import json
import shutil
from pathlib import Path

import pytest

from coldcache.campaign.seal import write_sums
from coldcache.report.comparison.campaigns import read_compared_campaigns


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["before"], "compare: before alone cannot be compared; name two campaigns or more"),
        (["before", "before"], "compare: before is named twice; a campaign cannot be compared with itself"),
        (["./before", "before"], "compare: ./before is named twice; a campaign cannot be compared with itself"),
        (["before", "aftr"], 'raw/aftr: there is no such campaign; did you mean "after"?'),
        (["before", "after", "--threshold=0"],
         "compare: a threshold of 0 % is out of range; state it as --threshold 5"),
        (["before", "after", "--metric=speed"],
         'compare: unknown metric "speed"; known are throughput, throughput_per_process, throughput_per_core, '
         "throughput_parent, throughput_children, rate, elapsed, latency"),
        (["before", "after", "--metric=throughput_parent"],
         "compare: none of the 4 cases that before and after share can be compared; the first is paced/transfers "
         "operation=random-read,threads=1: both state no throughput_parent"),
        (["before", "other"], "compare: before and other have no case in common (their studies: paced; other)"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused_in_one_line(compare, arguments, line):
    shutil.copytree("raw/before", "raw/other")
    Path("raw/other/paced").rename("raw/other/other")
    for path in Path("raw/other").rglob("*.json"):
        path.write_text(path.read_text().replace('"paced', '"other'))
    assert compare(*arguments) == (1, "", f"coldcache: {line}\n")


def test_a_sealed_campaign_has_the_ceilings_that_its_site_states_since(root, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        place = "dell-lustre/sequential/operation=write,threads=1"
        shutil.copytree(root / "raw/reference" / place, Path("raw", name, place))
        design = json.loads((root / "raw/reference/campaign.json").read_text())
        design["studies"] = [study for study in design["studies"] if study["study"] == "dell-lustre"]
        Path("raw", name, "campaign.json").write_text(json.dumps(design))
        write_sums(Path("raw", name))
    for side in read_compared_campaigns(["a", "b"]):
        assert side.campaign.site.target.write_rate == 900e6
        judged = {trial.judgement.codes for trial in side.trials if trial.judgement.verdict != "missing"}
        assert judged == {("above-ceiling",)}
