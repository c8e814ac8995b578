"""CloudWatch's answers are kept as they come, and each trial gets the periods that it shares in."""

import json
from datetime import UTC, datetime
from pathlib import Path

import boto3
import pytest
from botocore.stub import Stubber

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.seal import seal
from coldcache.campaign.trials import collect_trials
from coldcache.core.errors import CampaignError, ToolError
from coldcache.dataset.cloudwatch import fetch_series, join_series
from coldcache.dataset.collect import collect
from coldcache.tools import read_file

SPECIMENS = Path(__file__).parents[1] / "specimens"
FILE_SYSTEM = "fs-0123456789abcdef0"


@pytest.fixture
def client():
    """Return a client that reaches no network, and the answers that it is given."""
    keys = {"aws_access_key_id": "none", "aws_secret_access_key": "none"}
    made = boto3.client("cloudwatch", region_name="us-east-1", **keys)
    with Stubber(made) as stubber:
        yield made, stubber
        stubber.assert_no_pending_responses()


@pytest.fixture
def recorded():
    """Return a recorded answer as boto3 gives it, with times in place of text."""
    answer = json.loads((SPECIMENS / "cloudwatch-statistics-write.json").read_bytes())
    points = [{**point, "Timestamp": datetime.fromisoformat(point["Timestamp"])} for point in answer["Datapoints"]]
    return {"Label": answer["Label"], "Datapoints": points}


def move(start, end, folder=Path("raw/tiny")):
    """Let every trial of the campaign have run at one time."""
    for path in folder.glob("*/*/*/r*/trial.json"):
        path.write_text(json.dumps({**json.loads(path.read_text()), "start": start, "end": end}))


def ask(start, end):
    return {
        "Namespace": "AWS/FSx", "MetricName": "DataWriteBytes", "Period": 60, "Statistics": ["Sum"],
        "Dimensions": [{"Name": "FileSystemId", "Value": FILE_SYSTEM}], "StartTime": start, "EndTime": end,
    }  # fmt: skip


def test_the_minutes_of_the_trials_are_asked_for_and_kept_as_answered(measured, client, recorded):
    made, stubber = client
    move("2026-11-21T08:40:30+00:00", "2026-11-21T08:42:15+00:00")
    start, end = datetime(2026, 11, 21, 8, 39, tzinfo=UTC), datetime(2026, 11, 21, 8, 43, 15, tzinfo=UTC)
    stubber.add_response("get_metric_statistics", recorded, ask(start, end))
    (path,) = fetch_series(read_campaign(Path("raw/tiny")), FILE_SYSTEM, ["DataWriteBytes"], made)
    assert path == Path(f"raw/tiny/cloudwatch/{FILE_SYSTEM}-DataWriteBytes.json")
    specimen = read_file(SPECIMENS / "cloudwatch-statistics-write.json")
    assert [record.value for record in read_file(path)] == [record.value for record in specimen]


def test_more_than_a_day_takes_several_answers(measured, client, recorded):
    made, stubber = client
    move("2026-11-20T08:40:00+00:00", "2026-11-21T09:00:00+00:00")
    first, second = (datetime(2026, 11, day, 8, 39, tzinfo=UTC) for day in (20, 21))
    end = datetime(2026, 11, 21, 9, 1, tzinfo=UTC)
    stubber.add_response("get_metric_statistics", {"Label": "DataWriteBytes", "Datapoints": []}, ask(first, second))
    stubber.add_response("get_metric_statistics", recorded, ask(second, end))
    (path,) = fetch_series(read_campaign(Path("raw/tiny")), FILE_SYSTEM, ["DataWriteBytes"], made)
    assert len(read_file(path)) == 30


def test_each_trial_gets_the_periods_that_it_shares_in(measured):
    move("2026-11-21T08:40:30+00:00", "2026-11-21T08:42:15+00:00")
    folder = Path("raw/tiny/cloudwatch")
    folder.mkdir()
    (folder / "write.json").write_bytes((SPECIMENS / "cloudwatch-statistics-write.json").read_bytes())
    campaign = read_campaign(Path("raw/tiny"))
    trials = list(collect_trials(campaign))
    joined = join_series(campaign, trials)
    assert len(joined) == 3 * len(trials)
    one = joined[(joined.sweep == "cache") & (joined.case == joined.case.iloc[0]) & (joined.repetition == 0)]
    assert [round(share, 6) for share in one.share] == [0.5, 1, 0.25]
    times = {record.factors["time"]: record.value for record in read_file(folder / "write.json")}
    assert [times[time] for time in one.time] == list(one["value"])
    collect("tiny", Path("results/tiny"))
    assert Path("results/tiny/cloudwatch.csv").read_text().startswith("study,sweep,case,repetition,operation,metric,")


def test_every_reason_not_to_fetch_is_one_line(measured, client):
    made, stubber = client
    campaign = read_campaign(Path("raw/tiny"))
    with pytest.raises(ToolError) as refused:
        fetch_series(campaign, FILE_SYSTEM, ["DataWriteByte"], made)
    assert str(refused.value) == 'unknown metric "DataWriteByte"; did you mean "DataWriteBytes"?'
    stubber.add_client_error("get_metric_statistics", "AccessDenied", "not for you")
    with pytest.raises(ToolError) as refused:
        fetch_series(campaign, FILE_SYSTEM, ["DataWriteBytes"], made)
    message = "An error occurred (AccessDenied) when calling the GetMetricStatistics operation: not for you"
    assert str(refused.value) == f"CloudWatch, DataWriteBytes: {message}"
    seal(campaign.folder)
    with pytest.raises(CampaignError) as sealed:
        fetch_series(campaign, FILE_SYSTEM, ["DataWriteBytes"], made)
    assert str(sealed.value) == "raw/tiny is sealed: no file can be added"


def test_an_answer_that_is_broken_stops_the_collection(measured):
    Path("raw/tiny/cloudwatch").mkdir()
    Path("raw/tiny/cloudwatch/broken.json").write_text('{"Label": "DataWriteBytes", "Datapoints": [')
    campaign = read_campaign(Path("raw/tiny"))
    with pytest.raises(CampaignError) as refused:
        join_series(campaign, [])
    line = "line 1: the JSON that starts here is cut short or broken; fetch it again: python -m coldcache cloudwatch"
    assert str(refused.value) == f"raw/tiny/cloudwatch/broken.json: {line}"
