"""The run that measures a case: its processes, the folders of their files, and the command line of a study."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from coldcache.core.errors import DesignError
from coldcache.core.vocabulary import DATA_OPERATIONS
from coldcache.design.command_sweep import fill_variables
from coldcache.design.command_template import fill, fill_words
from coldcache.design.model.clients import spread_over_clients
from coldcache.design.scale import count_items, find_duration
from coldcache.design.settings import Setting, is_in_guest
from coldcache.design.settings.nfs_guest import FOLDER, Guest
from coldcache.design.site import Clients, Site
from coldcache.design.study import Study, Sweep
from coldcache.tools.command.form import CommandForm
from coldcache.tools.launchers import start_ranks
from coldcache.tools.run import Run

#: The socket of a served block device, relative to the folder of the trial's sweep.
SOCKET = "nbd.socket"


def make_run(
    operations: tuple[str, ...], factors: dict[str, Any], settings: dict[str, Setting | str], study: Study, name: str,
    sweep: Sweep, site: Site, tool: str, full: bool, guest: Guest | None,
) -> Run:  # fmt: skip
    """Return the run of a case.

    Parameters
    ----------
    operations : tuple of str
        Those that one execution measures.
    factors, settings : dict
        The level of each factor, and how it is put in force.
    study : Study
        Its scale counts.
    name : str
        The sweep's name, which is a folder.
    sweep, site : Sweep, Site
        What is measured, and where.
    tool : str
        One of the sweep's.
    full : bool
        Whether nothing is scaled down.
    guest : Guest or None
        In which the run takes place, if not on this system itself.

    Raises
    ------
    DesignError
        If the model has fewer clients or servers than the levels ask for, or a command cannot be filled in.
    """
    known: dict[str, Any] = {field: factors[field] for field in Run._fields if field in factors}
    if "items_per_directory" in factors:
        known["files"] = count_items(factors) // factors["threads"]
    directory = site.target.path if site.plan_only else f"{site.target.path}/coldcache/{study.study}/{name}"
    directory = FOLDER if guest else directory
    served = "qemu-nbd" in sweep.settings.values() and not (study.scale == "site" and full)
    clients, starter = site.clients, "" if site.clients.launcher == "local" else site.clients.launcher
    known = {"nodes": clients.nodes_for(factors["threads"]), "starter": starter, **known}
    traits = sweep.find_tool(tool).TRAITS
    if guest:
        known |= {"nodes": 1, "mounts": guest.mounts}
    elif site.model:
        known |= spread_over_clients(site.model, directory, operations, factors, settings, traits)
    elif _has_own_directories(sweep, tool, settings) and known["nodes"] == 1:
        known["subfolders"] = tuple(f"d{thread}" for thread in range(factors["threads"]))
    shrinks = study.scale == "site" and not full and not sweep.keeps_sizes
    moves = operations[0] in DATA_OPERATIONS
    moves_once = operations[0] in ("write", "read") and not served and not factors.get("direct_io")
    seconds, series = find_duration(sweep, site, moves_once) if shrinks else (sweep.seconds, sweep.series or 0.0)
    run = Run(
        operations=operations, directory=directory, seconds=seconds, options=tuple(sweep.options.get(tool, ())),
        device=f"nbd+unix:///?socket={quote(directory)}/{SOCKET}" if served else "",
        launcher=_choose_launcher(clients, (name, tool), factors["threads"], known, traits.is_mpi),
        series=series if traits.series_logs else 0.0,
        ramp=sweep.ramp if sweep.form or (traits.is_time_bound and moves and not moves_once) else 0.0, **known,
    )  # fmt: skip
    if sweep.form:
        values = fill_variables(sweep.form, factors, sweep.words, operations[0], seconds)
        return run._replace(command=_fill_words(sweep.form, values))
    command = sweep.command.get(tool)
    return run._replace(command=_fill_template(command, run, factors, sweep, site, tool)) if command else run


def _choose_launcher(
    clients: Clients, names: tuple[str, str], threads: int, known: Mapping[str, Any], is_mpi: bool
) -> tuple[str, ...]:
    """Return what starts the ranks: the words that the site states for the sweep or the tool, or those of its MPI."""
    for name in names:
        if stated := clients.launchers.get(name):
            return tuple(stated.replace("{threads}", str(threads)).split())
    if not known["starter"] or not is_mpi:
        return ()
    cores = clients.total_cores() // clients.nodes * known["nodes"]
    return start_ranks(known["starter"], clients.mpi, threads, known["nodes"], cores)


def _has_own_directories(sweep: Sweep, tool: str, settings: Mapping[str, Setting | str]) -> bool:
    makes = sweep.find_tool(tool).TRAITS.makes_directories
    return sweep.own_directories and not makes and not is_in_guest(settings)


def _fill_words(form: CommandForm, values: Mapping[str, Any]) -> tuple[str, ...]:
    try:
        return fill_words(form.words, values)
    except DesignError as error:
        raise DesignError(f"command: {error}") from error


def _name_folders(run: Run, command: str) -> str:
    """Return the folders of a run as mdtest takes them."""
    if not run.starter:
        return run.directory
    # It deals folders that are separated by @ out to ranks in turn; it refuses several if ranks use those of others.
    has_stride = any(word.startswith("-N") for word in command.split())
    return run.folders[0] if has_stride else "@".join(run.folders)


def _fill_template(
    command: str, run: Run, factors: dict[str, Any], sweep: Sweep, site: Site, tool: str
) -> tuple[str, ...]:
    """Return the words of a study's command line, filled in for a site."""
    module = sweep.find_tool(tool)
    traits = module.TRAITS
    values = {
        **factors, "files": run.files, "iterations": sweep.iterations,
        "directory": _name_folders(run, command),
        "program": site.clients.programs.get(tool, traits.program.name),
        "launcher": run.launcher or module.place(run),
        "test": traits.test_words.get(run.operations[0], ""), "direct_io": ("-I",) if run.direct_io else (),
    }  # fmt: skip
    try:
        return fill(command, values)
    except DesignError as error:
        raise DesignError(f"command.{tool}: {error}") from error
