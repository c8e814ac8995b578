"""A study of one's own with any factors ends in a report with a figure and a table, without a line of Python."""

import csv
import json
import re
import subprocess

import invented
import nbformat
import pytest
from canvas import find_misplaced
from cells import list_pictures, run_cells

STUDY = """
study: own
title: Threads and sizes
question: How do threads and transfer size change random reads?
repetitions: 2
sweeps:
  both:
    title: Random reads
    tools: [fio]
    operations: [random-read]
    seconds: 1 s
    factors:
      threads: [1, 2]
      transfer_size: [4 KiB, 64 KiB]
      file_size: [1 MiB]
      direct_io: [where-possible]
  names:
    title: Layouts
    tools: [fio]
    operations: [random-read]
    seconds: 1 s
    factors:
      threads: [2]
      transfer_size: [64 KiB]
      file_layout: [file-per-thread, shared-file]
      file_size: [1 MiB]
"""

BROKEN = nbformat.v4.new_notebook(
    cells=[
        nbformat.v4.new_markdown_cell("# Why?"),
        nbformat.v4.new_code_cell("dataset = ''\nstudy = ''", metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell("raise TypeError('<script>no</script>')"),
    ],
    metadata={"language_info": {"name": "python"}},
)


def measure(clone, study):
    (clone / "config/studies/own.yaml").write_text(study)
    (clone / "target").mkdir()
    command = ["snakemake", "--cores", "2", "--config", "campaign=own", "studies=own", f"target={clone / 'target'}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)


@pytest.mark.slow
def test_two_factors_and_names_are_drawn_by_a_study_without_notebooks(clone):
    done = measure(clone, STUDY)
    assert done.returncode == 0, done.stderr[-3000:]
    page = (clone / "results/own/report/own/every-sweep.html").read_text()
    # The site adds a sentinel.
    drawn = re.findall(r'<figure class="coldcache-figure"[^>]* data-name="([^"]*)"', page)
    assert drawn == ["own-both-sweep", "own-names-sweep", "own-sentinel-sweep"]
    assert 'data-name="own-both-sweep"' in page and 'data-name="own-names-sweep"' in page
    rows = (clone / "results/own/tables/own-both-cases.csv").read_text().splitlines()
    assert rows[0].startswith("operation,threads (1),transfer_size (B),median (1/s)")
    assert [row.split(",")[:3] for row in rows[1:]] == [
        ["random-read", "1", "4096"], ["random-read", "1", "65536"],
        ["random-read", "2", "4096"], ["random-read", "2", "65536"],
    ]  # fmt: skip


@pytest.mark.slow
def test_a_question_over_threads_has_a_curve_for_each_size_and_a_notebook_that_fails_costs_its_page(clone):
    nbformat.write(BROKEN, clone / "notebooks/broken.ipynb")
    done = measure(clone, STUDY.replace("sweeps:\n", "notebooks: [random-iops, broken]\nsweeps:\n", 1))
    assert done.returncode == 0, done.stderr[-3000:]
    assert "coldcache: notebooks/broken.ipynb, cell 3: TypeError: <script>no</script>; its page says so" in done.stderr
    assert done.stderr.count("its page says so") == 1
    page = (clone / "results/own/report/own/broken.html").read_text()
    line = re.sub(r"</?(span|code)[^>]*>", "", page[page.index("This page failed in") :])
    assert line.startswith("This page failed in cell 3: TypeError: &lt;script&gt;no&lt;/script&gt;. The notebook is in")
    assert "<script>no" not in page
    executed = json.loads((clone / "results/own/notebooks/own/random-iops.ipynb").read_text())
    shown = json.dumps(executed)
    assert "Random reads, transfer size 4 KiB" in shown and "Random reads, transfer size 64 KiB" in shown
    assert sorted(path.name for path in (clone / "results/own/figures").glob("*-rate.svg")) == [
        "own-both-transfer-size-4096-rate.svg", "own-both-transfer-size-65536-rate.svg",
    ]  # fmt: skip


FOUR = """
study: own
title: Four factors
question: What changes random transfers?
repetitions: 1
sweeps:
  four:
    title: Random transfers
    tools: [fio]
    operations: [random-read, random-write]
    seconds: 0.2 s
    factors:
      threads: [1, 2]
      transfer_size: [4 KiB, 64 KiB]
      queue_depth: [1, 8]
      file_layout: [file-per-thread, shared-file]
      file_size: [1 MiB]
"""


@pytest.mark.slow
def test_four_factors_of_numbers_and_names_are_drawn_and_none_is_pooled(clone):
    done = measure(clone, FOUR)
    assert done.returncode == 0, done.stderr[-3000:]
    with (clone / "results/own/tables/own-four-cases.csv").open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    # Each case has a row with a rate; rounds in which the sentinel drifted are measured once more.
    assert len({tuple(row[:5]) for row in rows if int(row[9]) >= 1}) == len(rows) == 32
    executed = json.loads((clone / "results/own/notebooks/own/every-sweep.ipynb").read_text())
    shown = "".join(json.dumps(cell.get("outputs", [])) for cell in executed["cells"])
    svg = (clone / "results/own/figures/own-four-sweep.svg").read_text()
    # A heading has as many lines as it needs.
    text = " ".join(re.sub("<[^>]+>", " ", svg).split())
    # Two operations, two depths and two layouts have panels; two sizes are lines over the threads.
    for operation in ("random read", "random write"):
        for depth in (1, 8):
            for layout in ("file-per-thread", "shared-file"):
                assert f"{operation}, file layout {layout}, queue depth {depth}" in text
    assert "Lines: transfer size." in shown


CROSSED = """
study: own
title: A cache, threads and sizes
question: What does the cache gain?
repetitions: 5
sweeps:
  cache:
    title: Random writes of several sizes
    tools: [fio]
    operations: [random-write]
    settings: {write_cache: qemu-nbd}
    seconds: 1 s
    factors:
      threads: [1, 2, 4]
      transfer_size: [4 KiB, 64 KiB]
      file_size: [1 MiB]
      write_cache: [writeback, unsafe]
"""


@pytest.mark.slow
@pytest.mark.parametrize("notebook", ["write-cache", "paired-settings"])
def test_a_setting_that_is_crossed_with_two_factors_has_curves_over_threads(root, project, monkeypatch, notebook):
    (project / "config/studies/own.yaml").write_text(CROSSED)
    monkeypatch.setitem(invented.TESTBEDS, "own", "here")
    dataset = project / "results/own/dataset.nc"
    invented.write_invented(project, dataset, "own")
    source = (root / f"notebooks/{notebook}.ipynb").read_text()
    path = project / f"{notebook}.ipynb"
    # The page of settings leaves this one to the page on caches.
    path.write_text(source.replace('\\"sas_driver\\", ', '\\"write_cache\\", \\"sas_driver\\", '))
    (picture,) = [one for one in list_pictures(run_cells(path, dataset, "own")) if one.name == "own-cache"]
    assert find_misplaced(picture.figure) == []
    panels = [axes for axes in picture.figure.axes if axes.get_visible()]
    assert [axes.get_title("left") for axes in panels] == ["transfer size 4 KiB", "transfer size 64 KiB"]
    # A line over three thread counts for each level.
    assert [sum(len(line.get_xdata()) == 3 for line in axes.get_lines()) for axes in panels] == [2, 2]
