"""Processes on the model's clients: each sees its own client's mount in the place of the first one's."""

import os
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.groups import list_entrances
from coldcache.measure.model.place import Place, enter_groups
from coldcache.tools.launchers import CLIENT, RANK, REMOTE

#: The control group of processes that run on clients: it gets what the model's servers leave. Ranks of MPI that wait
#: for others never sleep.
RANKS = "ranks"

#: Holds a mount namespace, in which a client's mount lies where the first one's does, until it is killed.
_HOLD = 'mount --no-mtab --bind "$1/$2" "$1/c1" && echo held && exec sleep infinity'

_RANK = """\
#!/bin/sh
# Print on which client this process runs and which target it sees, then become the program there.
rank=${{PMIX_RANK:-${{OMPI_COMM_WORLD_RANK:-0}}}}
client=${{{CLIENT}:-c$((rank % {clients} + 1))}}
for group in {entrances}; do
    echo $$ 2>/dev/null >"$group"
done
case $client in
{cases}
esac
exec nsenter --target "$view" --mount sh -c '
    cd "$1" || exit 1
    seen=nothing
    [ -r "$4" ] && read -r seen <"$4"
    printf "coldcache: rank %s on %s sees %s\\n" "$2" "$3" "$seen" >&2
    shift 4
    exec "$@"
' sh "$PWD" "$rank" "$client" {mark} "$@"
"""

_REMOTE = """\
#!/bin/sh
# IOzone's remote shell, called as: 127.0.0.3 -n COMMAND for the third client.
export {CLIENT}="c${{1##*.}}"
shift
if [ "$1" = -n ]; then shift; fi
exec {RANK} sh -c "exec $*"
"""


@contextmanager
def open_client_views(place: Place, clients: int, mark: Path) -> Iterator[dict[str, str]]:
    """Yield the scripts of a trial's folder by which processes run on the model's clients, by name.

    Each client has one mount namespace for all of its processes, as making one for each would take longer than most
    trials. It ends with the context.

    Parameters
    ----------
    place : Place
        Where the model lies.
    clients : int
        How many of its clients take part; ranks of MPI are dealt out to them in turn.
    mark : Path
        A file of the target, as the first client names it: its content proves that all see the same target.

    Raises
    ------
    ModelError
        If a client's mount cannot be put in the first one's place.
    """
    views: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for number in range(1, clients + 1):
            views[f"c{number}"] = _hold(place, f"c{number}")
        cases = "\n".join(f"    {client}) view={view.pid} ;;" for client, view in views.items())
        entrances = " ".join(shlex.quote(str(file)) for file in list_entrances(place.name, RANKS))
        words = {"clients": clients, "entrances": entrances, "CLIENT": CLIENT, "RANK": RANK, "cases": cases}
        words["mark"] = shlex.quote(str(mark))
        yield {RANK: _RANK.format(**words), REMOTE: _REMOTE.format(**words)}
    finally:
        for view in views.values():
            with suppress(ProcessLookupError):
                os.kill(view.pid, 9)
            view.wait()


def _hold(place: Place, client: str) -> "subprocess.Popen[bytes]":
    """Return the process that holds a client's namespace, once its mount is there; it ends with this one."""
    words = [*enter_groups(place, RANKS), "setpriv", "--pdeathsig", "KILL"]
    words += ["unshare", "--mount", "sh", "-c", _HOLD, "sh", str(place.folder), client]
    view = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    assert view.stdout is not None
    said = view.stdout.readline().decode(errors="replace").strip()
    if said != "held":
        view.wait()
        raise ModelError(f"client {client}: its mount cannot be put in the place of c1: {said}")
    return view
