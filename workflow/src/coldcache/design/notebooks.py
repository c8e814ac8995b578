"""The notebooks that are executed for a study."""

from pathlib import Path

from coldcache.core.errors import DesignError
from coldcache.core.program_files import find_file, list_files
from coldcache.core.vocabulary import nearest
from coldcache.core.yaml_mistakes import name_place
from coldcache.design.imported_study import AnyStudy
from coldcache.design.study import Study, read_study

#: Notebooks besides those that studies name: each study at a glance; the verdicts on claims, for each study that has
#: some; the validity of the statistics, once per campaign; and the speed of the program, only with the campaign that
#: comes with it.
OVERVIEW, CLAIMS, RELIABILITY, SPEED = "overview", "claims", "how-far-statistics-hold", "how-fast-the-program-is"

#: The campaign that comes with the program.
REFERENCE = "reference"


def list_notebooks(study: AnyStudy, first: bool, campaign: str, is_copy: bool = True) -> list[str]:
    """Return the notebooks of a study: those that it names, and the common ones.

    Parameters
    ----------
    study : Study or ForeignStudy
        The study.
    first : bool
        Whether it is the campaign's first study, with which the campaign's own notebook is executed.
    campaign : str
        The campaign's name.
    is_copy : bool
        Whether it may be the copy in `campaign.json`, which omits claims: its own file then says whether it has some.

    Raises
    ------
    DesignError
        If the study's file is not a study.
    """
    once = [RELIABILITY, *([SPEED] if campaign == REFERENCE else [])] if first else []
    beside = [OVERVIEW, *([CLAIMS] if _has_claims(study, is_copy) else []), *once]
    return list(dict.fromkeys([*study.notebooks, *beside]))


def refuse_unknown_notebooks(study: AnyStudy, file: Path) -> None:
    """Raise `DesignError` if a study names a notebook that is neither in this folder nor of the program.

    Parameters
    ----------
    study : Study or ForeignStudy
        The study.
    file : Path
        The YAML that names its notebooks.
    """
    known = [path.stem for path in list_files(Path("notebooks"), "*.ipynb")]
    for place, notebook in enumerate(study.notebooks):
        if notebook not in known:
            message = f'notebooks.{place}: unknown notebook "{notebook}"; {nearest(notebook, known)}'
            raise DesignError(name_place(file, message))


def _has_claims(study: AnyStudy, is_copy: bool) -> bool:
    """Return whether the study has claims: in a file of its name, or in its own file."""
    if find_file(Path("config/claims", f"{study.study}.yaml")).is_file():
        return True
    if isinstance(study, Study) and not is_copy:
        return bool(study.claims)
    studies = Path("config/studies")
    return find_file(studies / f"{study.study}.yaml").is_file() and bool(read_study(studies, study.study).claims)
