"""Apply settings on one node of a job: ``python -m coldcache.measure.settings.node_agent WORK``.

It reads one question per line, in JSON, and answers each with one line. It restores what it changed when its input
ends, which happens whenever the runner ends, or on SIGTERM, by which Slurm ends a job.
"""

import json
import os
import platform
import signal
import sys
from pathlib import Path
from typing import Any

from coldcache.core.errors import SettingError
from coldcache.measure.settings.changes import Changes
from coldcache.measure.settings.journal import of_node
from coldcache.measure.settings.on_nodes import LAST
from coldcache.measure.settings.registry import driver_of


def answer(changes: Changes, question: dict[str, Any]) -> dict[str, str]:
    """Do what one question asks for, and return the answer: ``read``, or ``error``."""
    address = question["address"]
    try:
        match question["do"]:
            case "why not":
                return {"read": driver_of(address).why_not(address) or ""}
            case "put":
                return {"read": changes.put(question["factor"], address, question["asked"], question["value"])}
            case "undo":
                changes.undo_one(question["factor"])
                return {"read": ""}
            case _:
                return {"read": changes.read(address)}
    except (SettingError, OSError) as error:
        return {"error": str(error)}


def main(work: Path) -> None:
    """Answer until the input ends, or a signal ends this process."""
    for ending in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        # One that is ignored, as by nohup, stays so.
        if signal.getsignal(ending) is not signal.SIG_IGN:
            signal.signal(ending, lambda *_: sys.exit(1))
    # Commands inherit this instead of the target's lock, which this host may not share.
    nothing = os.open(os.devnull, os.O_RDONLY)
    told = {"read": ""}
    try:
        with Changes(work, nothing, of_node(platform.node())) as changes:
            _say(0, read="")
            for line in sys.stdin:
                question = json.loads(line)
                _say(question["number"], **answer(changes, question))
    except SettingError as error:
        told = {"error": str(error)}
    finally:
        _say(LAST, **told)


def _say(number: int, **told: str) -> None:
    # One write, so that the lines of many nodes do not mix.
    os.write(sys.stdout.fileno(), f"{json.dumps({'host': platform.node(), 'number': number, **told})}\n".encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
