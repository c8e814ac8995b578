"""CloudWatch metrics of a campaign: fetch them, keep the answers beside the logs, join them to trials by time.

Source: AWS, "GetMetricStatistics" (the time of a point is the start of its period; at most 1,440 points per answer)
and "FSx for Lustre metrics and dimensions".
"""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd

from coldcache.campaign.campaign import CLOUDWATCH_FOLDER, Campaign
from coldcache.campaign.seal import is_sealed
from coldcache.campaign.trial_json import list_trial_files, read_outcome
from coldcache.campaign.trials import CollectedTrial
from coldcache.core.errors import CampaignError, LogError, ToolError
from coldcache.core.records import Record
from coldcache.core.vocabulary import nearest
from coldcache.tools import read_file
from coldcache.tools.cloudwatch import BYTES, METRIC_OPERATIONS

FETCHED_METRICS = ("DataReadBytes", "DataWriteBytes", "DataReadOperations", "DataWriteOperations", "MetadataOperations")

SERIES_COLUMNS = [
    "study", "sweep", "case", "repetition", "operation", "metric", "series", "time", "period", "value", "unit", "share",
]  # fmt: skip

_PERIOD = 60
_MOST_POINTS = 1440


def fetch_series(
    campaign: Campaign,
    file_system: str,
    metrics: Iterable[str] = FETCHED_METRICS,
    client: Any = None,
    region: str | None = None,
) -> list[Path]:
    """Fetch CloudWatch metrics for the time of a campaign's trials, and write the answers into the campaign.

    Parameters
    ----------
    campaign : Campaign
        It must not be sealed.
    file_system : str
        The id of the FSx file system.
    metrics : iterable of str
        Metrics whose sums are bytes or operations.
    client : object, optional
        A CloudWatch client of boto3; by default a new one for `region`.
    region : str, optional
        AWS region of the file system; by default the one that boto3 is configured for.

    Returns
    -------
    list of Path
        One file per metric that has values, in the format that the AWS CLI prints.

    Raises
    ------
    CampaignError
        If the campaign is sealed, or none of its trials has run.
    ToolError
        If a metric is unknown, boto3 is not installed, or CloudWatch refuses.
    """
    chosen = list(metrics)
    for metric in chosen:
        if metric not in {**BYTES, **METRIC_OPERATIONS}:
            raise ToolError(f'unknown metric "{metric}"; {nearest(metric, [*BYTES, *METRIC_OPERATIONS])}')
    if is_sealed(campaign.folder):
        raise CampaignError(f"{campaign.folder} is sealed: no file can be added")
    start, end = _find_span(campaign)
    client = client or _make_client(region)
    folder = campaign.folder / CLOUDWATCH_FOLDER
    written = []
    for metric in chosen:
        answers = [answer for answer in _ask(client, file_system, metric, start, end) if answer["Datapoints"]]
        if answers:
            folder.mkdir(exist_ok=True)
            path = folder / f"{file_system}-{metric}.json"
            temporary = path.with_suffix(".partial")
            temporary.write_text("".join(json.dumps(answer, indent=4, default=_show_time) + "\n" for answer in answers))
            temporary.rename(path)
            written.append(path)
    return written


def _find_span(campaign: Campaign) -> tuple[datetime, datetime]:
    """Return the first and last minute of the trials that have run."""
    outcomes = [read_outcome(path) for path in list_trial_files(campaign.folder, campaign.planned)]
    times = [time for outcome in outcomes for time in (outcome.started, outcome.ended) if time]
    if not times:
        raise CampaignError(f"{campaign.folder}: no trial has run yet, so there is no time to ask for")
    start = min(times).astimezone(UTC).replace(second=0, microsecond=0)
    # The length of a period is read from the distance of two points, so one period is not enough.
    return start - timedelta(seconds=_PERIOD), max(times).astimezone(UTC) + timedelta(seconds=_PERIOD)


def _make_client(region: str | None) -> Any:
    try:
        import boto3
        from botocore.exceptions import BotoCoreError
    except ImportError as error:
        raise ToolError('boto3 is not installed: pip install "coldcache[aws]"') from error
    try:
        return boto3.client("cloudwatch", region_name=region)
    except BotoCoreError as error:
        raise ToolError(f"CloudWatch cannot be asked: {error}") from error


def _ask(client: Any, file_system: str, metric: str, start: datetime, end: datetime) -> Iterator[dict[str, Any]]:
    """Yield the answers for one metric; the service limits the points per answer."""
    from botocore.exceptions import BotoCoreError, ClientError

    step = timedelta(seconds=_PERIOD * _MOST_POINTS)
    while start < end:
        try:
            answer = client.get_metric_statistics(
                Namespace="AWS/FSx", MetricName=metric, Dimensions=[{"Name": "FileSystemId", "Value": file_system}],
                StartTime=start, EndTime=min(start + step, end), Period=_PERIOD, Statistics=["Sum"],
            )  # fmt: skip
        except (BotoCoreError, ClientError) as error:
            raise ToolError(f"CloudWatch, {metric}: {str(error).splitlines()[0]}") from error
        yield {"Label": answer["Label"], "Datapoints": answer["Datapoints"]}
        start += step


def _show_time(moment: datetime) -> str:
    return moment.isoformat()


def join_series(campaign: Campaign, trials: Iterable[CollectedTrial]) -> pd.DataFrame:
    """Return the CloudWatch points that overlap each trial in time.

    Parameters
    ----------
    campaign : Campaign
        Its folder holds the answers.
    trials : iterable of CollectedTrial
        Trials without a start and an end have no rows.

    Returns
    -------
    DataFrame
        Columns `SERIES_COLUMNS`; one row per trial and period that overlap: ``time`` in s since 1970, ``period`` in s,
        ``value`` in B/s or 1/s over the period, and ``share``, the fraction of the period in which the trial ran.

    Raises
    ------
    CampaignError
        If an answer cannot be read.
    """
    points: list[Record] = []
    for path in sorted((campaign.folder / CLOUDWATCH_FOLDER).glob("*.json")):
        try:
            points += read_file(path)
        except LogError as error:
            raise CampaignError(f"{path}: {error}; fetch it again: python -m coldcache cloudwatch") from error
    rows = []
    for outcome in (trial.outcome for trial in trials if points):
        if outcome.started is None or outcome.ended is None:
            continue
        start, end = outcome.started.timestamp(), outcome.ended.timestamp()
        for point in points:
            time, period = point.factors["time"], point.factors["period"]
            shared = min(end, time + period) - max(start, time)
            if shared > 0:
                rows.append([
                    outcome.study, outcome.sweep, outcome.case, outcome.repetition, point.operation, point.metric,
                    point.factors["series"], time, period, point.value, point.unit, shared / period,
                ])  # fmt: skip
    return pd.DataFrame(rows, columns=SERIES_COLUMNS)
