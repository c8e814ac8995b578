"""Write everything of a report that Sphinx does not, in processes beside it."""

import gc
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from coldcache.report.site.context import ReportContext
from coldcache.report.site.documents_table import list_thumbnails
from coldcache.report.site.downloads import copy_downloads
from coldcache.report.site.published_page import write_published
from coldcache.report.site.raw_files import RawFiles
from coldcache.report.site.shown import list_shown
from coldcache.report.site.summary import write_summary
from coldcache.report.site.thumbnails import write_thumbnails
from coldcache.report.site.trial_pages import CaseSummary, TrialPages
from coldcache.report.site.trials import JudgedTrial


class _Work(NamedTuple):
    context: ReportContext
    files: RawFiles
    pages: TrialPages
    templates: Path
    folder: Path


#: What the processes work on. They are forked, so that it need not be sent to each of them.
_work: _Work


@contextmanager
def write_beside(context: ReportContext, templates: Path, folder: Path) -> Iterator[None]:
    """Write downloads, raw files, thumbnails, the summary and the pages of trials while the block runs.

    Parameters
    ----------
    context : ReportContext
        The content of the report.
    templates : Path
        Folder with the templates of pages that Sphinx does not write.
    folder : Path
        The folder to write to.
    """
    folder.mkdir()
    files = RawFiles(context.campaign.folder)
    work = _Work(context, files, TrialPages(context, files, templates, folder), templates, folder)
    with ProcessPoolExecutor(initializer=_share, initargs=(work,), mp_context=get_context("fork")) as pool:
        others = pool.submit(_write_others)
        cases = [pool.submit(_write_cases, batch) for batch in work.pages.list_batches()]
        yield
        others.result()
        work.pages.write_sweeps(summary for written in cases for summary in written.result())


def _share(work: _Work) -> None:
    global _work
    _work = work
    # Most of what is made here stays until the end, so a search for cyclic garbage finds hardly any.
    gc.freeze()
    gc.set_threshold(200_000)


def _write_cases(batch: Sequence[Sequence[JudgedTrial]]) -> list[CaseSummary]:
    return _work.pages.write_cases(batch)


def _write_others() -> None:
    context, folder = _work.context, _work.folder
    copy_downloads(context.results, folder)
    _work.files.copy(folder)
    studies = [study.study for study in context.campaign.studies]
    if len(studies) > 1:
        shown = list_shown(context.chapters, context.overviews)
        write_thumbnails(list_thumbnails(context, shown), context.results, folder)
    write_published(studies, context.campaign.name, _work.templates, folder)
    write_summary(context, _work.templates, folder)
