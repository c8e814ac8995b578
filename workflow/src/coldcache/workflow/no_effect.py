"""Refuse what a new design states to no effect: words that nothing uses, and groups that leave nothing out.

Designs of campaigns that are sealed or only read are not looked at, so they stay readable.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from coldcache.core.errors import DesignError
from coldcache.core.program_files import list_files
from coldcache.core.vocabulary import nearest
from coldcache.core.yaml_mistakes import name_place
from coldcache.design.command_sweep import refuse_labels
from coldcache.design.grid import Environment, refuse_unmatched
from coldcache.design.site import SITES, Site
from coldcache.design.study import Study, read_study
from coldcache.tools import TOOLS
from coldcache.workflow.named_studies import STUDIES


def refuse_no_effect(site: Site, studies: Sequence[Study], environment: Environment) -> None:
    """Refuse what a site or its studies state to no effect.

    Parameters
    ----------
    site : Site
        Its launchers and programs are looked at.
    studies : sequence of Study
        Those that are asked for.
    environment : Environment
        It has the tool of each sweep.

    Raises
    ------
    DesignError
        If a launcher or a program is that of no tool, a group of ``leave_out`` matches no case, or a command does not
        name a factor that only its words could put in force.
    """
    refuse_unknown_names(site, studies)
    for study in studies:
        for name, sweep in study.sweeps.items():
            tool = environment.tools[f"{study.study}/{name}"]
            try:
                refuse_unmatched(sweep, site, environment, sweep.find_tool(tool).separate(tuple(sweep.operations)))
                if sweep.form is not None:
                    refuse_labels(sweep)
            except DesignError as error:
                raise DesignError(name_place(STUDIES / f"{study.study}.yaml", f"sweeps.{name}: {error}")) from error


def refuse_unknown_names(site: Site, studies: Iterable[Study]) -> None:
    """Refuse programs of a site of which no tool is known, and launchers that start neither a tool nor a sweep.

    Parameters
    ----------
    site : Site
        Its `clients` are looked at.
    studies : iterable of Study
        Those that are asked for; the others are read only for a name that these do not have.

    Raises
    ------
    DesignError
        If a name is unknown.
    """
    _refuse_unknown(site, "programs", site.clients.programs, set(TOOLS), "tool")
    known = {*TOOLS, *(sweep for study in studies for sweep in study.sweeps)}
    if not known.issuperset(site.clients.launchers):
        for path in list_files(STUDIES, "*.yaml"):
            # A study that is not asked for may be unfinished.
            with suppress(DesignError):
                known.update(read_study(STUDIES, path.stem).sweeps)
    _refuse_unknown(site, "launchers", site.clients.launchers, known, "tool or sweep")


def _refuse_unknown(site: Site, field: str, stated: Iterable[str], known: set[str], what: str) -> None:
    for name in stated:
        if name not in known:
            cause = f'clients.{field}: unknown {what} "{name}"; {nearest(name, sorted(known))}'
            raise DesignError(name_place(SITES / f"{site.site}.yaml", cause))
