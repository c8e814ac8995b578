"""Each number of the reference campaign's report, followed to the bytes of its log."""

import hashlib
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from jinja2 import Environment, FileSystemLoader

from coldcache.analysis.report_links import mark_of
from coldcache.core.units import show_rate
from coldcache.dataset.reader import open_records, open_sweep

CASE = "quick/random/operation=random-read,threads=4"


class Log(HTMLParser):
    """The marks of a page by their ids, each with its text and its byte place; its links with their texts; its rows."""

    def __init__(self, path: Path):
        super().__init__()
        self.marks: dict[str, tuple[str, int]] = {}
        self.shown, self.links, self.rows = "", [], []
        self._begin = self._mark = self._link = None
        self._cell = False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "data-begin" in values:
            self._begin, self.shown = int(values["data-begin"]), ""
        if tag == "mark":
            self._mark = values["id"]
            self.marks[self._mark] = ("", self._begin + len(self.shown.encode()))
        if tag == "a":
            self._link = values.get("href")
            self.links.append((self._link, ""))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self._cell = True
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self._mark = None if tag == "mark" else self._mark
        self._link = None if tag == "a" else self._link
        self._begin = None if tag == "code" else self._begin
        self._cell = self._cell and tag not in ("td", "th")

    def handle_data(self, data):
        if self._begin is not None:
            self.shown += data
        if self._mark:
            text, offset = self.marks[self._mark]
            self.marks[self._mark] = (text + data, offset)
        if self._link:
            self.links[-1] = (self._link, self.links[-1][1] + data.replace("\N{NO-BREAK SPACE}", " "))
        if self._cell:
            self.rows[-1][-1] += data.replace("\N{NO-BREAK SPACE}", " ")


def test_every_value_of_the_cubes_is_marked_at_its_bytes(reference_report, root):
    """The mark says what the log holds there, and a record of the dataset says that this is the value of the table."""
    dataset = reference_report.parent / "dataset.nc"
    records = open_records(dataset)
    pages, compared = {}, 0
    for (study, sweep), rows in records.groupby(["study", "sweep"]):
        cube = open_sweep(dataset, study, sweep)
        for record in rows.itertuples():
            if record.share or record.metric not in cube:
                continue
            of_trial = record.case.partition("operation=")[2].partition(",")[0]
            values = cube[record.metric]
            levels = {dim: of_trial if dim == "operations" else getattr(record, dim) for dim in values.dims}
            if float(values.sel(levels)) != record.value:
                continue
            key = f"{study}/{sweep}/{record.case}/r{record.repetition}"
            if key not in pages:
                pages[key] = Log(reference_report / f"trials/{key}.html")
            text, offset = pages[key].marks[mark_of(record.operation, record.metric)]
            if offset != record.offset:
                # Another figure of the log has the same value; it is marked under its own place.
                text, offset = pages[key].marks[f"byte-{record.offset}"]
            log = (root / "raw/reference" / record.log).read_bytes()
            assert (text.encode(), offset) == (log[record.offset : record.offset + record.length], record.offset)
            assert record.printed.startswith(text) or text in record.printed
            compared += 1
    # Void trials count nothing, and six of two processes state what each did, not what both did.
    assert len(pages) == 589 - 39 - 6
    assert compared > 589 * 2


def test_a_page_shows_the_log_byte_by_byte(reference_report, root):
    page = Log(reference_report / f"trials/{CASE}/r0.html")
    log = root / f"raw/reference/{CASE}/r0/stdout.txt"
    shown = re.findall("<pre><code data-begin=\"0\">(.*?)</code></pre>",
                       (reference_report / f"trials/{CASE}/r0.html").read_text(), re.S)  # fmt: skip
    assert unescape(re.sub("<[^>]+>", "", shown[0])) == log.read_text()
    addresses = {text: address for address, text in page.links}
    copy = (reference_report / f"trials/{CASE}" / unquote(addresses["stdout.txt"])).resolve()
    assert copy.read_bytes() == log.read_bytes()
    sums = dict(reversed(line.split("  ")) for line in (root / "raw/reference/SHA256SUMS").read_text().splitlines())
    checksum = sums[f"{CASE}/r0/stdout.txt"]
    assert ["stdout.txt", str(log.stat().st_size), checksum] in page.rows
    assert checksum == hashlib.sha256(copy.read_bytes()).hexdigest()


def test_a_number_at_a_glance_is_three_clicks_from_its_bytes(reference_report):
    links = Log(reference_report / "quick/index.html").links
    address = next(address for address, text in links if text == "22.9 k/s")
    assert address == f"../trials/{CASE}/index.html#random-read-rate"
    case = Log(reference_report / f"trials/{CASE}/index.html")
    assert case.rows[-2][:6] == ["median", "93.9 MB/s", "22.9 k/s", "1.05 s", "24,114.5", "176 µs"]
    trial, text = next(link for link in case.links if link[0].endswith("r2.html#random-read-rate"))
    mark, _ = Log(reference_report / f"trials/{CASE}" / urlsplit(trial).path).marks["random-read-rate"]
    assert show_rate(float(mark), "1/s") == text == "13.0 k/s"


def test_each_trial_of_a_table_leads_to_its_own_mark(reference_report):
    page = Log(reference_report / "quick/random-iops.html")
    row = next(row for row in page.rows if row[:2] == ["random-read", "4"] and "k/s" in row[2])
    shown = row[-1].removesuffix(" k/s").split()
    assert len(shown) == 10
    for repetition, value in enumerate(shown):
        address = f"../trials/{CASE}/r{repetition}.html#random-read-rate"
        assert (address, value) in page.links
        mark, _ = Log(reference_report / f"trials/{CASE}/r{repetition}.html").marks["random-read-rate"]
        assert f"{float(mark) / 1000:.4g}" == value


def test_a_sweep_lists_its_cases_in_words_and_by_their_numbers(reference_report):
    html = (reference_report / "trials/anf-nfs/wsize/index.html").read_text()
    shown = re.findall(r'<a href="io_size=(\d+)/index.html">([^<]+)</a>', html)
    sizes = [65536 << power for power in range(5)]
    assert shown == [(str(size), f"rsize and wsize {size // 1024} KiB") for size in sizes[:-1]] + [
        (str(sizes[-1]), "rsize and wsize 1 MiB")
    ]


def test_points_of_a_figure_lead_to_cases_and_dots_to_trials(reference_report):
    html = (reference_report / "quick/random-iops.html").read_text()
    drawn = html[html.index("<svg role=") : html.index("</svg>", html.index("<svg role="))]
    assert drawn.startswith('<svg role="group" aria-label="Random reads grow')
    said = "random read, threads 4: 22.9 k/s (95 %: 16.9 to 28.1 k/s), 10 runs"
    assert f'<a href="../trials/{CASE}/index.html#random-read-rate" aria-label="{said}">' in drawn
    dot = f'<a href="../trials/{CASE}/r2.html#random-read-rate" tabindex="-1" aria-label="'
    assert f"{dot}random read, threads 4, r2: 13.0 k/s" in drawn


def test_a_figure_says_where_it_comes_from_and_how_to_measure_it_again(reference_report):
    html = (reference_report / "quick/random-iops.html").read_text()
    caption = html[html.index("<figcaption>") : html.index("</figcaption>")]
    assert 'Source: <a href="../trials/quick/random/index.html">quick/random</a> of campaign reference.' in caption
    assert '<a href="../data/figures/quick-random-rate.csv">CSV</a>' in caption
    assert '<a href="../data/figures/quick-random-rate.svg">SVG</a>' in caption
    assert re.sub("<wbr/?>", "", caption).endswith(
        "<summary>Measure it again</summary><code>snakemake --cores all --config campaign=again studies=quick "
        "site=reference target=/mnt/scratch -- results/again/blocks/quick.random.json</code></details>"
    )


@pytest.mark.parametrize(
    ("key", "told"),
    [
        (
            "quick/write-cache-random/write_cache=unsafe/r0",
            [["Verdict", "valid"], ["write_cache", "unsafe", "unsafe", "", "command line of qemu-nbd"]],
        ),
        (
            f"{CASE}/r3",
            [
                ["Read", "cold: 66.8 MiB of 66.8 MiB crossed the device of this guest; how much its host held in "
                 "memory is unknown; the page cache held 0 B of the files' 268,435,456 B before it (eviction)"],
                ["Ran", "2026-11-22 07:02:51 to 07:02:53 UTC"],
                ["system kernel", "6.18.44-fc-v669"],
                ["system memory", "23.5 GiB"],
                ["system hypervisor", "yes"],
                ["free before", "3.1 GiB"],
                ["load before", "1.91"],
                ["read bytes", "42,211,534,848", "42,281,543,680", "70,008,832"],
            ],
        ),
        (
            "quick/metadata/operation=file-remove,threads=1/r0",
            [["Verdict", "suspect: file-remove was measured over 0.56 s, less than 1 s: set 100,000 files in all "
              "in the study, and enough limits.layout_seconds in the site to create them (too-short)"]],
        ),
    ],
)  # fmt: skip
def test_a_page_shows_how_its_trial_ran_and_its_verdict(reference_report, key, told):
    rows = Log(reference_report / f"trials/{key}.html").rows
    for row in told:
        assert row in rows


def test_a_number_that_is_made_of_streams_leads_to_what_the_first_of_them_states(reference_report):
    folder = reference_report / "trials/sas-grid/per-core/operation=read,threads=2"
    marked = re.search(r'id="read-throughput"[^>]*>([0-9]+)<', (folder / "r0.html").read_text())
    assert marked[1] == "425872354"
    assert '<span id="read-throughput"></span>' in (folder / "index.html").read_text()


def test_the_command_line_is_shown_as_it_was_run(reference_report):
    html = unescape((reference_report / f"trials/{CASE}/r3.html").read_text())
    assert "--directory=/mnt/scratch/coldcache/quick/random '--filename_format=t$jobnum' \\\n  --direct=1" in html


def test_a_report_stays_small_and_its_search_knows_no_trial(reference_report):
    assert sum(path.stat().st_size for path in reference_report.rglob("*") if path.is_file()) < 30e6
    assert "operation=" not in (reference_report / "searchindex.js").read_text()


def test_a_log_of_a_series_and_a_case_without_an_interval_say_no_more_than_they_have(root):
    templates = Environment(loader=FileSystemLoader(root / "workflow/report/standalone"), autoescape=True)
    values = {
        "title": "t", "lead": "l", "ids": "", "marks": [], "rows": [], "reads": False, "counted": "c", "figures": [],
        "logs": [], "trail": [], "here": "h", "campaign": "c", "program": "p",
    }  # fmt: skip
    for others, said in ((9, "Its log states a series over time"), (0, "Its log gave no numbers.")):
        assert said in templates.get_template("trial.html").render(values, others=others)
    for interval, count in (("95 %: 1 to 2", 1), ("", 0)):
        columns = [{"mark": "m", "name": "Rate", "median": "1.5", "interval": interval}]
        html = templates.get_template("case.html").render(values, columns=columns)
        assert html.count('<th scope="row">interval</th>') == count
