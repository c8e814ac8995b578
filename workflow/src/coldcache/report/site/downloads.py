"""Downloads of a report: dataset, tables, figures, verdicts and notebooks, in its folder `data`."""

import json
import shutil
from pathlib import Path

from markupsafe import Markup

from coldcache.report.site.html import code, link

#: The folder of copies in a report.
DATA_FOLDER = "data"

#: Files up to this size, in B, are copied; larger ones stay in the folder of results.
LARGEST_COPY = 32 * 2**20

#: Files that stay in the folder of results, too: each case's page has the same figures.
_LEFT = ("records.csv",)

_PATTERNS = ("dataset.nc", "*.csv", "tables/*.csv", "figures/*.svg", "figures/*.csv", "notebooks/*/*.ipynb")


def copy_downloads(results: Path, report: Path) -> None:
    """Copy a campaign's results into its report; notebooks without outputs, which the pages show."""
    for pattern in _PATTERNS:
        for path in results.glob(pattern):
            if is_offered(path.relative_to(results).as_posix(), results):
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
    """Return a link to a file of results, or its path if the report has no copy.

    Parameters
    ----------
    name : str
        Its path below the folder of results.
    results : Path
        That folder.
    root : str
        Path from the page to the report's top folder: empty or ``../``.
    text : str
        The text of the link; by default the name of the file.
    """
    if not is_offered(name, results):
        return code(f"{results.as_posix()}/{name}")
    return link(text or name.rpartition("/")[2], f"{root}{DATA_FOLDER}/{name}")


def is_offered(name: str, results: Path) -> bool:
    """Return whether a report has a copy of a file of results."""
    path = results / name
    return name not in _LEFT and path.is_file() and path.stat().st_size <= LARGEST_COPY
