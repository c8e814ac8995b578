"""The files of a trial on the model: dealt out evenly over the targets that the sweep's folder names, and cold."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from coldcache.measure.model.clients import settle_targets
from coldcache.measure.model.folders import read_folder
from coldcache.measure.model.layout import forget_stripes, has_stripes, make_files
from coldcache.measure.model.limits import limit_metadata, limit_target
from coldcache.measure.model.place import Place, read_specification
from coldcache.tools.protocols import Tool
from coldcache.tools.run import Inputs, Run

_CHUNK = 1 << 20


def lay_out(place: Place, folder: Path, inputs: Inputs, tool: Tool, run: Run) -> None:
    """Make the files of a trial anew: those that it reads with data, those that it writes without.

    Parameters
    ----------
    place : Place
        Where the model lies.
    folder : Path
        The sweep's folder, whose layout the files get; other files in it are removed.
    inputs : Inputs
        The files that the trial reads.
    tool, run : Tool, Run
        What writes, and how: it writes the files that it would read.

    Raises
    ------
    ModelError
        If the layout does not fit the model, or a target does not answer.
    OSError
        If they cannot be written.
    """
    empty(folder, run)
    if has_stripes(place):
        forget_stripes(place)
    files = inputs if inputs.names else tool.inputs(run._replace(operations=("read",)))
    names = [name for own in files.names for name in own]
    make_files(place, folder, names, files.size, read_folder(place, folder))
    if inputs.names:
        with unlimited(place):
            for name in names:
                _fill(folder / name, files.size)
            settle_targets(place, read_specification(place))


def empty(folder: Path, run: Run) -> None:
    """Remove the files of a sweep's folder and of its subfolders, which stay, or are made."""
    for place in (folder, *(folder / name for name in run.subfolders)):
        place.mkdir(parents=True, exist_ok=True)
        for path in list(place.iterdir()):
            if not path.is_dir():
                path.unlink()


@contextmanager
def unlimited(place: Place) -> Iterator[None]:
    """Let targets and metadata servers be as fast as they can for a while."""
    specification = read_specification(place)
    targets = range(1, specification.targets + 1)
    servers = range(specification.metadata_servers + specification.standby_servers)
    free = specification.change(target_rate=None, target_iops=None, uncached_write_rate=None)
    try:
        for target in targets:
            limit_target(place, free, target)
        for server in servers:
            limit_metadata(place, server, None)
        yield
    finally:
        for target in targets:
            limit_target(place, specification, target)
        for server in servers:
            limit_metadata(place, server, specification.metadata_cpu)


def _fill(path: Path, size: int) -> None:
    """Overwrite a file with bytes that do not compress; its layout stays."""
    descriptor = os.open(path, os.O_WRONLY)
    try:
        left = size
        while left:
            left -= os.write(descriptor, os.urandom(min(left, _CHUNK)))
        os.fsync(descriptor)
    finally:
        with suppress(OSError):
            os.close(descriptor)
