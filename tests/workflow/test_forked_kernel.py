"""A kernel is a fork: it has the libraries of its parent, and nothing of another notebook."""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
import pytest

from coldcache.workflow import forked_kernel
from coldcache.workflow.execute_notebook import NotebookError, execute_notebook


def execute(folder, write_notebook, *sources):
    notebook = write_notebook(folder / "why.ipynb", *sources)
    execute_notebook(notebook, folder / "executed.ipynb", folder / "log.ipynb")
    return [cell.outputs for cell in nbformat.read(folder / "executed.ipynb", as_version=4).cells[2:]]


def test_a_kernel_is_a_child_of_this_process(tmp_path, write_notebook):
    (outputs,) = execute(tmp_path, write_notebook, "import os\nprint(os.getppid(), os.getpgrp() == os.getpid())")
    assert outputs[0].text == f"{os.getpid()} True\n"


def test_what_a_notebook_changes_ends_with_it(tmp_path, write_notebook):
    import fractions

    execute(tmp_path, write_notebook, "import fractions\nfractions.changed = True\nprint(1)")
    (outputs,) = execute(tmp_path, write_notebook, "import fractions\nprint(hasattr(fractions, 'changed'))")
    assert outputs[0].text == "False\n"
    assert not hasattr(fractions, "changed")


@pytest.mark.parametrize("cause", ["os._exit(3)", "os.kill(os.getpid(), 9)"])
def test_a_kernel_that_ends_early_is_one_line(tmp_path, write_notebook, cause):
    with pytest.raises(NotebookError, match="its kernel ended early"):
        execute(tmp_path, write_notebook, f"import os\n{cause}")


def test_a_kernel_that_ends_before_it_is_ready_is_one_line(tmp_path, write_notebook, monkeypatch):
    monkeypatch.setattr(forked_kernel, "_run_kernel", lambda *_: os._exit(3))
    with pytest.raises(NotebookError, match=r"its kernel ended early \(before it was ready\), perhaps for lack of"):
        execute(tmp_path, write_notebook, "print(1)")


def test_no_kernel_is_left_once_its_notebook_is_executed(tmp_path, write_notebook):
    (outputs,) = execute(tmp_path, write_notebook, "import os\nprint(os.getpid())")
    assert not Path(f"/proc/{outputs[0].text.strip()}").exists()


def test_a_figure_left_open_is_displayed_as_in_jupyterlab(tmp_path, write_notebook):
    # In a process of its own: here other tests may have chosen how pyplot draws.
    notebook = write_notebook(tmp_path / "why.ipynb", "from matplotlib import pyplot\npyplot.plot([1, 2]);")
    program = (
        "import matplotlib, sys; from pathlib import Path;"
        "from coldcache.workflow.execute_notebook import execute_notebook as run; run(*map(Path, sys.argv[1:]))"
    )
    executed = tmp_path / "executed.ipynb"
    subprocess.run([sys.executable, "-c", program, notebook, executed, tmp_path / "log.ipynb"], check=True)
    (output,) = nbformat.read(executed, as_version=4).cells[2].outputs
    assert "image/png" in output.data


def test_a_kernel_listens_on_no_port_and_leaves_no_socket(tmp_path, write_notebook, monkeypatch):
    with TemporaryDirectory(dir="/tmp") as short:
        monkeypatch.setattr("tempfile.tempdir", short)
        source = "import os\nsockets = open('/proc/net/unix').read()\nprint(sockets.count('coldcache-kernel-') >= 5)"
        (outputs,) = execute(tmp_path, write_notebook, source)
        assert outputs[0].text == "True\n"
        assert list(Path(short).iterdir()) == []


def test_a_temporary_folder_with_a_path_too_long_for_a_socket_is_not_used(tmp_path, write_notebook, monkeypatch):
    long = tmp_path / ("x" * 80)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    (outputs,) = execute(tmp_path, write_notebook, "print(1)")
    assert outputs[0].text == "1\n"
