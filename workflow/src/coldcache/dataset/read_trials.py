"""Read all trials of a campaign into the columns of its long table, a large campaign in several processes."""

import gc
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.trials import CollectedTrial, TrialReader
from coldcache.dataset.record_columns import RecordColumns
from coldcache.dataset.tables import find_doubtful

#: Up to this many trials are read in this process: starting others takes as long. They get as many at a time.
_FEW = 1_000


class ReadTrials(NamedTuple):
    """All trials of a campaign.

    Attributes
    ----------
    columns : RecordColumns
        Their records.
    trials : list of CollectedTrial
        The trials; only those of a sentinel have records, the records of all would take many GB.
    doubtful : set of str
        As `find_doubtful` returns them.
    """

    columns: RecordColumns
    trials: list[CollectedTrial]
    doubtful: set[str]


class _Work(NamedTuple):
    campaign: Campaign
    reader: TrialReader


#: What the processes work on. They are forked, so that it need not be sent to each of them.
_work: _Work


def read_trials(campaign: Campaign) -> ReadTrials:
    """Return all trials of a campaign, sorted by key.

    Raises
    ------
    CampaignError
        If a `trial.json` cannot be read.
    """
    work = _Work(campaign, TrialReader(campaign))
    if sum(map(len, work.reader.cases)) <= _FEW:
        return _read(work, work.reader.cases)
    whole = ReadTrials(RecordColumns(), [], set())
    with ProcessPoolExecutor(initializer=_share, initargs=(work,), mp_context=get_context("fork")) as pool:
        for part in pool.map(_read_shared, _list_batches(work.reader.cases)):
            whole.columns.extend(part.columns)
            whole.trials.extend(map(work.reader.adopt, part.trials))
            whole.doubtful.update(part.doubtful)
    return whole


def _list_batches(cases: Sequence[list[str]]) -> Iterator[list[list[str]]]:
    batch: list[list[str]] = []
    for case in cases:
        batch.append(case)
        if sum(map(len, batch)) >= _FEW:
            yield batch
            batch = []
    if batch:
        yield batch


def _share(work: _Work) -> None:
    global _work
    _work = work
    # Most of what is made here stays until the end, so a search for cyclic garbage finds hardly any.
    gc.freeze()
    gc.set_threshold(200_000)


def _read_shared(cases: list[list[str]]) -> ReadTrials:
    return _read(_work, cases)


def _read(work: _Work, cases: list[list[str]]) -> ReadTrials:
    found = ReadTrials(RecordColumns(), [], set())
    for case in cases:
        trials = list(work.reader.read(case))
        for trial in trials:
            found.columns.add(trial)
        found.doubtful.update(find_doubtful(trials, work.campaign))
        found.trials.extend(
            trial._replace(records=trial.records if trial.outcome.sentinel else (), series=()) for trial in trials
        )
    return found
