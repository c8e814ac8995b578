"""What preconditioned a target is read back as it was written, and its rates come from its logs."""

import json

import pytest

from coldcache.campaign.preconditioned import (
    PreconditionLog,
    PreconditionStep,
    read_preconditioned,
    read_rates,
    write_preconditioned,
)
from coldcache.core.errors import CampaignError

PARTS = (
    PreconditionStep(
        "sequential-1", "write", ("fio", "--rw=write"), "2026-01-01T00:00:00+00:00", "2026-01-01T00:00:02+00:00", 2.0
    ),
)
FOUND = PreconditionLog(
    {"fill": 0.5}, "/mnt/x", 2**30, 2**30 + 4096, "rounds", "here", "3.33", {"written_bytes": 2**31}, PARTS
)


@pytest.fixture
def written(tmp_path):
    (tmp_path / "precondition").mkdir()
    write_preconditioned(tmp_path / "precondition", FOUND)
    return tmp_path


def test_notes_are_read_as_they_were_written(written):
    assert read_preconditioned(written) == FOUND


def test_a_campaign_without_notes_was_not_preconditioned(tmp_path):
    assert read_preconditioned(tmp_path) is None


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 2}', '{"format": 1, "parts": [{"name": "x"}]}'])
def test_broken_notes_are_an_error_that_names_the_file(written, content):
    path = written / "precondition/precondition.json"
    path.write_text(content)
    with pytest.raises(CampaignError, match=r"precondition\.json: "):
        read_preconditioned(written)


def test_a_rate_is_that_of_the_log_and_a_log_without_one_is_an_error(written, root):
    log = written / "precondition/sequential-1/stdout.txt"
    log.parent.mkdir()
    log.write_bytes((root / "raw/reference/quick/random/operation=random-write,threads=1/r0/stdout.txt").read_bytes())
    random = PARTS[0]._replace(operation="random-write")
    ((part, name, record),) = read_rates(written, FOUND._replace(parts=(random,)))
    assert (part, name) == (random, "precondition/sequential-1/stdout.txt")
    assert record.metric == "throughput"
    stated = json.loads(log.read_text())["jobs"][0]["write"]["bw_bytes"]
    assert record.value == stated
    with pytest.raises(CampaignError, match="states no rate of write"):
        list(read_rates(written, FOUND))
    log.write_text("fio: no space left on device")
    with pytest.raises(CampaignError, match=r"stdout\.txt: "):
        list(read_rates(written, FOUND))
