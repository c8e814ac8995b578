"""Processes on the model's clients: each sees its own client's mount in the place of the first one's."""

import shlex
from pathlib import Path

from coldcache.measure.model.groups import list_entrances
from coldcache.measure.model.place import Place
from coldcache.tools.launchers import CLIENT, RANK, REMOTE

#: The control group of processes that run on clients: it gets what the model's servers leave. Ranks of MPI that wait
#: for others never sleep.
GROUP = "ranks"

_RANK = """\
#!/bin/sh
# Print on which client this process runs and which target it sees, then become the program there: the client's mount
# lies where the first one's does.
rank=${{PMIX_RANK:-${{OMPI_COMM_WORLD_RANK:-0}}}}
client=${{{CLIENT}:-c$((rank % {clients} + 1))}}
for group in {entrances}; do
    echo $$ 2>/dev/null >"$group"
done
exec unshare --mount sh -c '
    mount --no-mtab --bind "$2/$3" "$2/c1" || exit 1
    printf "coldcache: rank %s on %s sees %s\\n" "$1" "$3" "$(cat "$4" 2>/dev/null || echo nothing)" >&2
    shift 4
    exec "$@"
' sh "$rank" {folder} "$client" {mark} "$@"
"""

_REMOTE = """\
#!/bin/sh
# IOzone's remote shell, called as: 127.0.0.3 -n COMMAND for the third client.
export {CLIENT}="c${{1##*.}}"
shift
if [ "$1" = -n ]; then shift; fi
exec {RANK} sh -c "exec $*"
"""


def write_client_scripts(place: Place, clients: int, mark: Path) -> dict[str, str]:
    """Return the scripts of a trial's folder by which processes run on the model's clients, by name.

    Parameters
    ----------
    place : Place
        Where the model lies.
    clients : int
        How many of its clients take part; ranks of MPI are dealt out to them in turn.
    mark : Path
        A file of the target, as the first client names it: its content proves that all see the same target.
    """
    entrances = " ".join(shlex.quote(str(file)) for file in list_entrances(place.name, GROUP))
    words = {"clients": clients, "entrances": entrances, "CLIENT": CLIENT, "RANK": RANK}
    words |= {"folder": shlex.quote(str(place.folder)), "mark": shlex.quote(str(mark))}
    return {RANK: _RANK.format(**words), REMOTE: _REMOTE.format(**words)}
