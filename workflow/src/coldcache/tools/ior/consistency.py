"""Compare IOR's figures with each other: latency with rate, summary with rows."""

import re
from collections.abc import Iterable, Sequence

from coldcache.core.errors import LogError
from coldcache.core.records import VERIFIED, Record
from coldcache.tools.ior.columns import IorFacts
from coldcache.tools.repetitions import number_runs

_STAMP = re.compile(rb"(?:Began|Finished)[^\n]*")
MISCOUNTED = ("latency-miscounts-transfers",)
_SHARED_BYTES = re.compile(r"3\.[012]|3\.3(?:alpha|\.0\+dev)")
_UNFLUSHED = re.compile(rb"WARNING: (?:(?:fsync|msync)\(\d*\)|hdfsFlush\(\)) failed")


def refuse_failed(log: bytes, start: int = 0, end: int | None = None) -> None:
    """Raise `LogError` if a part of a log says that data are wrong or did not reach the storage: IOR only warns.

    Parameters
    ----------
    log : bytes
        The whole log, in any of IOR's formats.
    start, end : int
        The part; by default all of it.
    """
    end = len(log) if end is None else end
    if log.find(b"ncorrect data on ", start, end) >= 0:
        raise LogError("IOR read back incorrect data: the file system or the test is faulty")
    failed = _UNFLUSHED.search(log, start, end)
    if failed:
        what = failed[0].decode().removeprefix("WARNING: ")
        raise LogError(f"IOR could not flush what it wrote: {what}: its figures cannot be trusted, run it again")


def refuse_idle(backend: str, dry_run: str) -> None:
    """Raise `LogError` if a test only went through the motions.

    Parameters
    ----------
    backend : str
        Name of IOR's backend (``api``), in any case. ``DUMMY`` waits, if at all (``src/aiori-DUMMY.c``).
    dry_run : str
        The setting ``dryRun`` as printed; empty if it is not.
    """
    if dry_run.strip() not in ("", "0"):
        raise LogError("IOR moved nothing: a dry run")
    if backend.strip().upper() == "DUMMY":
        raise LogError("IOR moved nothing: the backend DUMMY")


def half_step(text: bytes) -> float:
    """Return the largest rounding error of a printed decimal number, in its own unit."""
    dot = text.find(b".")
    return 0.5 if dot < 0 else 0.5 * 10.0 ** (dot + 1 - len(text))


def latency_caveat(latency: bytes, rate: bytes, context: IorFacts) -> tuple[str, ...]:
    """Return the caveat of a latency that IOR divided by a wrong number of transfers.

    IOR before 2025 divides a rank's time by the transfers of one block: the latency is too large if a file has
    several segments, and too small if a stonewall ended the block early (``src/ior.c``: ReduceIterResults).

    Parameters
    ----------
    latency, rate : bytes
        As printed, in s and 1/s.
    context : IorFacts
        Of the test; ``threads`` among its factors is the number of ranks.

    Returns
    -------
    tuple of str
        ``latency-miscounts-transfers``, or nothing. The fastest rank's mean latency cannot exceed ranks / rate.
    """
    if "stonewalled" in context.caveats and context.version is not None and not context.version.startswith("4.1"):
        return MISCOUNTED
    ranks = context.factors.get("threads", 0)
    per_second = 0.0 if rate == b"-" else float(rate)
    if (
        ranks
        and float(latency) * per_second > 1.05 * ranks
        and float(latency) > ranks / per_second + half_step(latency)
    ):
        return MISCOUNTED
    return ()


def compare_summary(
    access: str, rates: Sequence[bytes], maximum: bytes, minimum: bytes, version: str | None
) -> tuple[str, ...]:
    """Return the caveat of a summary that contradicts its rows by a known defect; empty if they agree.

    Before 3.3 one field holds the bytes of both write and read: summary and maximum of the write use the bytes of the
    read, which differ under a stonewall.

    Parameters
    ----------
    access : str
        ``write`` or ``read``.
    rates : sequence of bytes
        Rates of the rows in MiB/s, as printed; empty if only the summary is left.
    maximum, minimum : bytes
        The summary's, in MiB/s, as printed.
    version : str or None
        As the log states it.

    Returns
    -------
    tuple of str
        ``bytes-of-last-phase``, or nothing.

    Raises
    ------
    LogError
        If rows and summary contradict each other in any other way.
    """
    if not rates:
        return ()
    for stated, pick in ((maximum, max), (minimum, min)):
        rate = pick(rates, key=float)
        if abs(float(rate) - float(stated)) > (half_step(rate) + half_step(stated)) * 1.01 + 1e-9 * float(stated):
            if version and _SHARED_BYTES.match(version):
                return ("bytes-of-last-phase",)
            raise LogError(f"IOR's summary and its result rows contradict each other on {access}")
    return ()


def mark_verified(records: Iterable[Record]) -> list[Record]:
    """Return the records of a test that verifies what it reads; their reads say that its time is in them."""
    return [
        record._replace(caveats=(*record.caveats, VERIFIED)) if record.operation.endswith("read") else record
        for record in records
    ]


def list_once(runs: Iterable[tuple[bytes, list[Record]]]) -> list[Record]:
    """Return the records of all runs; one that was pasted twice, with the same text of stamps and figures, counts once.

    Runs of one test differ in ``repetition``.

    Parameters
    ----------
    runs : iterable of (bytes, list of Record)
        The text of each run, and what it states.
    """
    every = list(runs)
    if len(every) < 2:
        return [record for _, records in every for record in records]
    chosen: dict[tuple[tuple[bytes, ...], tuple[str, ...]], list[Record]] = {}
    for text, records in every:
        chosen.setdefault((tuple(_STAMP.findall(text)), tuple(one.printed for one in records)), records)
    return number_runs(list(chosen.values()))
