"""The notebooks that are executed for a study."""

from pathlib import Path

from coldcache.design.imported_study import AnyStudy
from coldcache.design.study import read_study

#: Notebooks besides those that studies name: each study at a glance; the verdicts on claims, for each study that has
#: some; the validity of the statistics, once per campaign; and the speed of the program, only with the campaign that
#: comes with it.
OVERVIEW, CLAIMS, RELIABILITY, SPEED = "overview", "claims", "how-far-statistics-hold", "how-fast-the-program-is"

#: The campaign that comes with the program.
REFERENCE = "reference"


def list_notebooks(study: AnyStudy, first: bool, project: Path, campaign: str) -> list[str]:
    """Return the notebooks of a study: those that it names, and the common ones.

    Parameters
    ----------
    study : Study or ForeignStudy
        The study.
    first : bool
        Whether it is the campaign's first study, with which the campaign's own notebook is executed.
    project : Path
        Holds `notebooks/` and `config/`.
    campaign : str
        The campaign's name.

    Raises
    ------
    DesignError
        If the study's file is not a study.
    """
    once = [RELIABILITY, *([SPEED] if campaign == REFERENCE else [])] if first else []
    beside = [OVERVIEW, *([CLAIMS] if _has_claims(study, project) else []), *once]
    more = [name for name in beside if (project / "notebooks" / f"{name}.ipynb").is_file()]
    return list(dict.fromkeys([*study.notebooks, *more]))


def _has_claims(study: AnyStudy, project: Path) -> bool:
    """Return whether the study has claims: in a file of its name, or in its own file (a campaign's copy omits them)."""
    if (project / "config/claims" / f"{study.study}.yaml").is_file():
        return True
    studies = project / "config/studies"
    return (studies / f"{study.study}.yaml").is_file() and bool(read_study(studies, study.study).claims)
