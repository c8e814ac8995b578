"""End Snakemake as soon as its last job has ended."""

import threading


def cancel_timers() -> None:
    """Cancel the timers of this process.

    Snakemake looks for more jobs a second after it has started some, and does not end before it has looked.
    """
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.cancel()
