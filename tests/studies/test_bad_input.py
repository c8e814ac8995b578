"""What a study or a site gets wrong is refused in one line that names the file and the key."""

import shutil

import pytest

from coldcache.__main__ import main


@pytest.fixture
def refusal(root, tmp_path, monkeypatch, capsys, change):
    """Return the one line that `plan` prints once a piece of a file is replaced."""
    shutil.copytree(root / "config", tmp_path / "config")
    monkeypatch.chdir(tmp_path)

    def plan(study, file, old, new):
        change(tmp_path / file, old, new)
        arguments = ["plan", "--study", study, "--site", f"{study.partition('-')[0]}-testbed", "--full"]
        assert main(arguments) == 1
        printed = capsys.readouterr()
        assert printed.out == ""
        (line,) = printed.err.splitlines()
        return line

    return plan


SAS, FSX = "config/studies/sas-grid.yaml", "config/studies/fsx-metadata.yaml"


@pytest.mark.parametrize(
    ("study", "file", "old", "new", "line"),
    [
        (
            "fsx-metadata", FSX, "tools: [mdtest]", "tools: [mdtets]",
            f'{FSX}, line 13, sweeps.metadata-iops.tools.0: unknown "mdtets"; did you mean "mdtest"?',
        ),
        (
            "fsx-metadata", FSX, "metadata_iops: [12000, 192000]", "metadata_ipos: [12000, 192000]",
            f'{FSX}, line 34, sweeps.metadata-iops: factors: unknown factor "metadata_ipos"; '
            'did you mean "metadata_iops"?',
        ),
        (
            "fsx-metadata", FSX, "throughput_tier: [250 MB/s, 1000 MB/s]", "throughput_tier: [250 MBs, 1000 MB/s]",
            f'{FSX}, line 35, sweeps.metadata-iops: factors.throughput_tier: "250 MBs" has an unknown unit "MBs"; '
            'did you mean "MB/s"?',
        ),
        (
            "sas-grid", SAS, "{memory: 2, round: down}", "{memory_of: 2, round: down}",
            f'{SAS}, line 67, sweeps.per-core.factors.file_size: unknown key "memory_of"; did you mean "memory"?',
        ),
        (
            "fsx-metadata", FSX, "metadata_iops: [12000, 192000]", "metadata_iops: [13000, 192000]",
            f"{FSX}, line 34, sweeps.metadata-iops: factors.metadata_iops: 13,000 metadata IOPS cannot be provisioned: "
            "choose 1,500, 3,000, 6,000 or a multiple of 12,000 up to 192,000; the nearest is 12,000",
        ),
        (
            "fsx-metadata", "config/sites/fsx-testbed.yaml", "streams: 6400", "streams: 640",
            f"{FSX}, line 32, sweeps.metadata-iops: factors.threads: 800 are more than the 640 streams that can be "
            "started: lower them, or raise clients.streams in config/sites/fsx-testbed.yaml",
        ),
        (
            "sas-grid", "config/sites/sas-testbed.yaml", "  memory: 256 GiB\n", "",
            f"{SAS}, line 67, sweeps.per-core: factors.file_size.memory: config/sites/sas-testbed.yaml does not state "
            "the memory of a client: set clients.memory there",
        ),
        (
            "sas-grid", SAS, "{memory: 2, round: down}", "{aggregate: 1 GB}",
            f"{SAS}, line 67, sweeps.per-core: factors.file_size: 953.7 MiB per thread is no whole number of transfers "
            "of 64 KiB; set round to down or up",
        ),
    ],
)  # fmt: skip
def test_bad_input_gets_one_line_with_file_and_key(refusal, study, file, old, new, line):
    assert refusal(study, file, old, new) == f"coldcache: {line}"
