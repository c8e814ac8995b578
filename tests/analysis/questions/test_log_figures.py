"""Every sweep of a study that nobody designed is shown, series by their peaks."""

from pathlib import Path

import pytest

from coldcache.analysis.questions.log_figures import LogFigures, tabulate_medians, title_medians
from coldcache.analysis.tables import Table
from coldcache.campaign.importing.import_logs import import_logs
from coldcache.core.errors import NoData
from coldcache.dataset.collect import collect

SPECIMENS = Path(__file__).parents[2] / "specimens"


@pytest.fixture
def overview(tmp_path, monkeypatch):
    """Return a function that imports specimens and shows them."""
    monkeypatch.chdir(tmp_path)

    def show(*names):
        Path("logs").mkdir()
        for name in names:
            (Path("logs") / name).write_bytes((SPECIMENS / name).read_bytes())
        import_logs(Path("logs"), "old")
        collect("old", Path("results"))
        return LogFigures(Path("results/dataset.nc"), "imported")

    return show


def test_the_highest_median_of_each_sweep_is_the_finding(overview):
    shown = overview("ior-4.0.0-rep3.txt", "mdtest-330-pixstor.txt")
    assert shown.finding() == (
        "Highest medians: ior, throughput read 9.94 GB/s (3 runs: 9.94, 12.0, 9.82 GB/s); "
        "ior, rate read 9.49 k/s (3 runs: 9.49, 11.5, 9.37 k/s); mdtest, rate file-stat 970 k/s (1 run)."
    )
    assert {name: sweep.tool for name, sweep in shown.sweeps.items()} == {
        "ior, throughput": "ior 4.0.0", "ior, rate": "ior 4.0.0", "mdtest, rate": "mdtest 3.3.0",
    }  # fmt: skip
    assert [sweep.name for sweep in shown.sweeps.values()] == [
        "imported-ior-throughput", "imported-ior-rate", "imported-mdtest-rate",
    ]  # fmt: skip


def test_sweeps_are_grouped_by_the_metric_that_they_state(overview):
    shown = overview("ior-4.0.0-rep3.txt", "mdtest-330-pixstor.txt")
    grouped = {metric: [sweep.name for sweep in sweeps] for metric, sweeps in shown.by_metric().items()}
    assert grouped == {
        "throughput": ["imported-ior-throughput"], "rate": ["imported-ior-rate", "imported-mdtest-rate"],
    }  # fmt: skip
    assert title_medians(shown.by_metric()["throughput"]) == "Throughput of 2 cases: 1.65 to 9.94 GB/s"


def test_the_drawn_medians_have_a_row_per_case_with_its_levels(overview):
    (throughputs, rates) = overview("ior-4.0.0-rep3.txt", "mdtest-330-pixstor.txt").by_metric().values()
    drawn = tabulate_medians(throughputs).set_index("operation")["median (B/s)"]
    assert drawn.round(-7).to_dict() == {"read": 9.94e9, "write": 1.65e9}
    table = tabulate_medians(rates)
    assert set(table.sweep) == {"ior", "mdtest"} and table["median (1/s)"].notna().all()
    assert table[table.operation == "file-stat"]["median (1/s)"].max().round(-3) == 970_000


def test_of_many_tables_the_highest_median_of_each_metric_is_the_finding(overview, monkeypatch):
    monkeypatch.setattr("coldcache.analysis.questions.log_figures._MOST_LISTED", 2)
    shown = overview("ior-4.0.0-rep3.txt", "mdtest-330-pixstor.txt")
    assert shown.finding() == (
        "Highest medians of 3 tables: mdtest, rate file-stat 970 k/s (1 run); "
        "ior, throughput read 9.94 GB/s (3 runs: 9.94, 12.0, 9.82 GB/s)."
    )


def test_as_many_tables_as_are_listed_are_not_counted(overview, monkeypatch):
    monkeypatch.setattr("coldcache.analysis.questions.log_figures._MOST_LISTED", 3)
    assert overview("ior-4.0.0-rep3.txt", "mdtest-330-pixstor.txt").finding().startswith("Highest medians: ior,")


def test_a_factor_that_a_log_does_not_state_is_told(overview):
    found = overview("mdtest-400-dellF.txt", "mdtest-400-pixstor.txt", "mdtest-400-fsx.txt")
    table = Table.of(found.sweeps["mdtest, rate"], "")
    assert set(table.shown["items per directory"]) == {"not stated", "32", "50"}


def test_a_table_has_the_cases_that_state_its_figure(overview):
    found = overview("io500-02091cf-stdout.txt").sweeps.values()
    throughput, rate = (Table.of(sweep, "").shown for sweep in found)
    assert set(throughput.operation) == {"random-read", "read", "write"}
    assert set(rate.operation) == {"file-create", "file-read", "file-remove", "file-stat", "find"}
    assert set(throughput.n) == set(rate.n) == {1}


def test_a_series_is_shown_by_its_peak(overview):
    shown = overview("cloudwatch-statistics-write.json")
    assert shown.finding() == "Peaks of series (p99.9): cloudwatch write 54.8 MB/s."
    assert shown.sweeps == {}
    row = shown.series.iloc[0]
    assert (row.points, row.greatest, row["median"]) == (30, 3291480064 / 60, pytest.approx(52e6, rel=0.01))


def test_a_study_that_is_not_there_is_told(overview):
    overview("ior-4.0.0-rep3.txt")
    with pytest.raises(NoData, match="no trial of quick counts: see the page on validity"):
        LogFigures(Path("results/dataset.nc"), "quick")
