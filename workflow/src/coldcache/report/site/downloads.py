"""What a report hands out beside its pages: dataset, tables, figures, verdicts and notebooks, in its folder `data`."""

import json
import shutil
from pathlib import Path

from markupsafe import Markup

from coldcache.report.site.html import code, link

#: Where copies lie in a report.
DATA_FOLDER = "data"

#: Bytes up to which a file is copied; a larger one stays in the folder of results.
LARGEST_COPY = 32 * 2**20

_PATTERNS = ("dataset.nc", "*.csv", "tables/*.csv", "figures/*.svg", "notebooks/*/*.ipynb")


def copy_downloads(results: Path, report: Path) -> None:
    """Copy what a campaign's folder of results holds into its report; of notebooks the code: pages show the rest."""
    for pattern in _PATTERNS:
        for path in results.glob(pattern):
            if path.stat().st_size <= LARGEST_COPY:
                copy = report / DATA_FOLDER / path.relative_to(results)
                copy.parent.mkdir(parents=True, exist_ok=True)
                if path.suffix == ".ipynb":
                    copy.write_text(_without_outputs(path.read_text(encoding="utf-8")), encoding="utf-8")
                else:
                    shutil.copyfile(path, copy)


def _without_outputs(notebook: str) -> str:
    content = json.loads(notebook)
    for cell in content["cells"]:
        if "outputs" in cell:
            cell |= {"outputs": [], "execution_count": None}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def offer(name: str, results: Path, root: str = "", text: str = "") -> Markup:
    """Return a link to a file of results, or its name where a report holds no copy.

    Parameters
    ----------
    name : str
        Its path below the folder of results.
    results : Path
        That folder.
    root : str
        The report's top folder as the page finds it: empty or ``../``.
    text : str
        What the link says; its name where empty.
    """
    if not is_offered(name, results):
        return code(f"{results.as_posix()}/{name}")
    return link(text or name.rpartition("/")[2], f"{root}{DATA_FOLDER}/{name}")


def is_offered(name: str, results: Path) -> bool:
    """Return whether a report holds a copy of a file of results."""
    path = results / name
    return path.is_file() and path.stat().st_size <= LARGEST_COPY
