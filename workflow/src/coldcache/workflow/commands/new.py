"""`python -m coldcache new`: make a folder of one's own for studies, sites, notebooks, logs and results."""

from importlib.resources import as_file, files
from pathlib import Path
from shutil import copytree

from pydantic import TypeAdapter, ValidationError

from coldcache.core.errors import DesignError
from coldcache.core.program_files import PROGRAM
from coldcache.core.yaml_models import Name
from coldcache.design.claim import CLAIMS, STUDIES

#: The name of the study in the files that are copied.
_PLACEHOLDER = "STUDY"


def make_folder(folder: Path) -> None:
    """Make a folder with a study of its own, and print what to run in it.

    Parameters
    ----------
    folder : Path
        A folder that is empty or not there; its name becomes the study's.

    Raises
    ------
    DesignError
        If the folder holds files, or its name cannot name a study, or names a study or claims of the program.
    OSError
        If it cannot be written.
    """
    name = folder.absolute().name
    try:
        TypeAdapter(Name).validate_python(name)
    except ValidationError as error:
        raise DesignError(
            f'"{name}" names a study, too: use lower-case letters, digits and hyphens, at most 63'
        ) from error
    if any((PROGRAM / place / f"{name}.yaml").is_file() for place in (STUDIES, CLAIMS)):
        raise DesignError(
            f'"{name}" names a study, too, and is that of a study or claims of the program; choose another'
        )
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise DesignError(f"{folder}: is there already, and is not empty; choose another name")
    with as_file(files("coldcache.workflow") / "new_folder") as template:
        for path in sorted(template.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                place = folder / str(path.relative_to(template)).replace(_PLACEHOLDER, name)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(path.read_text().replace(_PLACEHOLDER, name))
    (folder / "gitignore").rename(folder / ".gitignore")
    for shipped in ("config/schema", "profiles", "slurm"):
        copytree(PROGRAM / shipped, folder / shipped)
    print(f"cd {folder}")
    print(f"python -m coldcache plan --study {name}")
    print("snakemake --cores all")
