"""A campaign keeps the design that it began with, and a seal tells every file that is no longer what was measured."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.progress import missing_trials
from coldcache.campaign.seal import SUMS, check_seal, is_sealed, seal
from coldcache.core.errors import CampaignError
from coldcache.workflow.configuration import read_design

RAW = Path("raw/tiny")
LOG = "tiny/transfers/operation=read,threads=1/r0/stdout.txt"


@pytest.fixture
def design(measured):
    return read_campaign(RAW)


@pytest.fixture
def sealed(measured):
    seal(RAW)
    return RAW


def refusal(function, *arguments):
    with pytest.raises(CampaignError) as refused:
        function(*arguments)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_campaign_is_read_as_it_began(measured):
    config = {"campaign": "tiny", "studies": "tiny", "site": "here", "target": ""}
    design = read_design(config)
    assert read_campaign(RAW) == design
    assert design.blocks() == read_campaign(RAW).blocks()
    assert sorted((block.round, block.name, len(block.trials)) for block in design.blocks()) == [
        (number, name, count)
        for number in (1, 2)
        for name, count in (("tiny.cache", 2), ("tiny.files", 3), ("tiny.transfers", 4))
    ]
    assert design.environment.tools == {"tiny/transfers": "fio", "tiny/files": "fio", "tiny/cache": "fio"}


def test_a_campaign_whose_folder_was_renamed_is_the_one_that_lies_there(measured):
    shutil.copytree(RAW, "raw/monday")
    shutil.rmtree("raw/tiny/tiny")
    design = read_campaign(Path("raw/monday"))
    assert (design.name, design.folder) == ("monday", Path("raw/monday"))
    assert missing_trials(design) == []
    assert len(missing_trials(read_campaign(RAW))) == 18


def test_a_name_that_no_campaign_has_is_refused_with_the_nearest_one(project):
    for name in ("tiny", "before"):
        Path("raw", name).mkdir(parents=True)
        Path("raw", name, "campaign.json").touch()
    for name, hint in (("tny", 'did you mean "tiny"?'), ("x", "known are before, tiny")):
        with pytest.raises(CampaignError) as refusal:
            read_campaign(Path("raw", name))
        assert str(refusal.value) == f"raw/{name} holds no campaign.json: it is no campaign; {hint}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "raw/tiny holds no campaign.json: it is no campaign"),
        (
            "{",
            "raw/tiny/campaign.json: not the design of a campaign "
            "(Expecting property name enclosed in double quotes: line 1 column 2 (char 1))",
        ),
        (
            "[]",
            "raw/tiny/campaign.json: not the design of a campaign (list indices must be integers or slices, not str)",
        ),
        ('{"format": 99}', "raw/tiny/campaign.json: of format 99, this version reads 1"),
        ('{"format": 1}', "raw/tiny/campaign.json: not the design of a campaign ('site')"),
        (
            '{"format": 1, "site": {"site": "m", "title": "M", "targets": {"a": {"path": "/x/y"}}, "model": {}}}',
            "raw/tiny/campaign.json: not the design of a campaign (targets.a.path: /x/y is not on the model's first "
            "client; name a folder such as /var/tmp/model/c1/data)",
        ),
    ],
)  # fmt: skip
def test_what_is_no_campaign_is_refused(project, text, message):
    RAW.mkdir(parents=True)
    if text is not None:
        (RAW / "campaign.json").write_text(text)
    assert refusal(read_campaign, RAW) == message


def test_missing_trials_are_named(design):
    assert missing_trials(design) == []
    shutil.rmtree(RAW / "tiny/cache/write_cache=unsafe/r1")
    (RAW / "tiny/files/operation=file-stat/r0/trial.json").unlink()
    assert sorted(missing_trials(design)) == ["tiny/cache/write_cache=unsafe/r1", "tiny/files/operation=file-stat/r0"]


def test_a_campaign_with_missing_trials_is_not_sealed(measured):
    shutil.rmtree(RAW / "tiny/cache/write_cache=unsafe/r1")
    message = refusal(seal, RAW)
    assert message == "raw/tiny: 1 trials are missing, the first is tiny/cache/write_cache=unsafe/r1; measure them"
    assert not is_sealed(RAW)


def test_a_campaign_with_an_outcome_that_cannot_be_read_is_not_sealed(measured):
    outcome = RAW / "tiny/cache/write_cache=unsafe/r1/trial.json"
    outcome.write_text('{"study"')
    assert refusal(seal, RAW) == (
        f"{outcome}: not the outcome of a trial (Expecting ':' delimiter: line 1 column 9 (char 8)); "
        "move the trial's folder away and start again"
    )
    assert not is_sealed(RAW)


def test_a_seal_covers_every_file_and_sha256sum_agrees(measured):
    count = seal(RAW)
    files = [path for path in RAW.rglob("*") if path.is_file()]
    assert count == len(files) - 1 == 3 + 18 * 3
    assert is_sealed(RAW)
    assert check_seal(RAW) == []
    subprocess.run(["sha256sum", "--check", "--quiet", "--strict", SUMS], cwd=RAW, check=True, capture_output=True)


def test_a_seal_tells_what_was_changed_added_and_removed(sealed):
    log = bytearray((sealed / LOG).read_bytes())
    log[len(log) // 2] ^= 1
    (sealed / LOG).write_bytes(log)
    (sealed / "tiny/cache/write_cache=unsafe/r0/stderr.txt").unlink()
    (sealed / "note.txt").touch()
    (sealed / "tiny" / SUMS).touch()
    assert check_seal(sealed) == [
        "note.txt: added since the campaign was sealed",
        "tiny/SHA256SUMS: added since the campaign was sealed",
        "tiny/cache/write_cache=unsafe/r0/stderr.txt: removed since the campaign was sealed",
        f"{LOG}: changed since the campaign was sealed",
    ]


def test_a_link_is_no_file_of_a_campaign_wherever_it_leads(sealed, tmp_path):
    (tmp_path / "same.txt").write_bytes((sealed / LOG).read_bytes())
    (sealed / LOG).unlink()
    (sealed / LOG).symlink_to(tmp_path / "same.txt")
    assert check_seal(sealed) == [f"{LOG}: removed since the campaign was sealed"]


def test_a_sealed_campaign_is_not_sealed_again_over_a_change(sealed):
    (sealed / LOG).write_text("another figure")
    message = refusal(seal, sealed)
    assert message == "raw/tiny is sealed already; python -m coldcache seal --check tiny compares its files"
    assert check_seal(sealed) == [f"{LOG}: changed since the campaign was sealed"]


@pytest.mark.parametrize("line", ["no sums", "0123  ", "\x00"])
def test_a_broken_seal_is_refused(sealed, line):
    with (sealed / SUMS).open("a") as sums:
        sums.write(f"{line}\n")
    message = refusal(check_seal, sealed)
    assert message == "raw/tiny/SHA256SUMS, line 58: not a checksum and a file; the seal is broken"


def test_an_unsealed_campaign_has_no_seal_to_check(measured):
    assert refusal(check_seal, RAW) == "raw/tiny is not sealed: python -m coldcache seal tiny"


def test_a_sealed_campaign_is_never_measured_again(sealed, measure_arguments, change):
    change(Path("config/studies/tiny.yaml"), "repetitions: 2", "repetitions: 3")
    before = {path: path.read_bytes() for path in RAW.rglob("*") if path.is_file()}
    command = ["python", "-m", "coldcache", *measure_arguments("tiny.transfers")]
    subprocess.run(command, check=True)
    assert {path: path.read_bytes() for path in RAW.rglob("*") if path.is_file()} == before
    shutil.rmtree(RAW / Path(LOG).parent)
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert found.stderr == (
        "coldcache: raw/tiny is sealed, but tiny/transfers/operation=read,threads=1/r0 is missing; "
        "it is never measured again\n"
    )
    assert not (RAW / LOG).exists()


def test_the_program_seals_and_checks(measured):
    def run(*words):
        return subprocess.run(["python", "-m", "coldcache", *words], capture_output=True, text=True, check=False)

    assert run("seal", "tiny").stdout == "raw/tiny is sealed: 57 files\n"
    assert run("seal", "--check", "tiny").returncode == 0
    (RAW / LOG).write_text("another figure")
    found = run("seal", "--check", "tiny")
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr == f"coldcache: raw/tiny/{LOG}: changed since the campaign was sealed\n"


def test_the_reference_campaign_is_as_it_was_sealed(root):
    folder = root / "raw/reference"
    assert is_sealed(folder)
    assert check_seal(folder) == []
    assert missing_trials(replace(read_campaign(folder), name=str(folder))) == []
