"""The files of a trial on the model: dealt out evenly over the targets that the sweep's folder names, and cold."""

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from coldcache.design.model.stripes import Layout
from coldcache.measure.input_files import write_marked_pages
from coldcache.measure.model.clients import remount_clients, settle_targets
from coldcache.measure.model.folders import has_layout, read_folder
from coldcache.measure.model.layout import forget_stripes, has_stripes, make_files
from coldcache.measure.model.limits import limit_metadata, limit_target
from coldcache.measure.model.place import Place, read_specification
from coldcache.tools.protocols import Tool
from coldcache.tools.run import Inputs, Run

#: Files that are filled at the same time: most of the time goes by while targets answer.
_WRITERS = 8


def lay_out_on_model(place: Place, folder: Path, inputs: Inputs, tool: Tool, run: Run) -> None:
    """Recreate the files of a trial: those that it reads with data, those that it writes without.

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
    files = inputs if inputs.names else tool.inputs(run._replace(operations=("read",)))
    names = [name for own in files.names for name in own]
    with unlimited(place):
        if has_stripes(place):
            # A removed file stays as long as a client knows it; the first has removed it itself.
            remount_clients(place, first=2)
            forget_stripes(place)
        make_files(place, folder, names, files.size, _choose_layout(place, folder, run))
        if inputs.names:
            with ThreadPoolExecutor(_WRITERS) as pool:
                list(pool.map(lambda name: _fill(folder / name, files.size), names))
            settle_targets(place, read_specification(place))


def _fill(path: Path, size: int) -> None:
    # Without truncation, so that the layout stays.
    with path.open("r+b", buffering=0) as file:
        write_marked_pages(file, size)


def empty(folder: Path, run: Run) -> None:
    """Remove the files of a sweep's folder, and all that its subfolders hold; these stay, or are made."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in list(folder.iterdir()):
        if not path.is_dir():
            path.unlink()
    for name in run.subfolders:
        (folder / name).mkdir(parents=True, exist_ok=True)
        for path in list((folder / name).iterdir()):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()


def _choose_layout(place: Place, folder: Path, run: Run) -> Layout:
    """Return the layout that a folder states; where it states none, a file that all share lies on all targets."""
    if run.file_layout == "shared-file" and not has_layout(folder):
        targets = read_specification(place).targets
        return replace(read_folder(place, folder), targets=targets, stripe_count=targets)
    return read_folder(place, folder)


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
