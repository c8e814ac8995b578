"""Notebooks of a few cells."""

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest


@pytest.fixture
def write_notebook() -> Callable[..., Path]:
    """Return a function that writes a notebook: a title, a cell of parameters, and the given cells."""

    def write(path: Path, *sources: str) -> Path:
        sources = sources if "dataset" in sources[0] else ("dataset = ''", *sources)
        cells = [nbformat.v4.new_markdown_cell("# Why?"), *(nbformat.v4.new_code_cell(source) for source in sources)]
        cells[1].metadata["tags"] = ["parameters"]
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"language_info": {"name": "python"}}), path)
        return path

    return write
