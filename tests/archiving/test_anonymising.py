"""Names are replaced where they stand by themselves, in every form; a search finds each that is left."""

import zipfile
from pathlib import Path

import pytest
import xarray as xr

from coldcache.archiving.anonymising import AnonymityError, check_records, make_replacer, search
from coldcache.archiving.identities import Identity

NAMES = [
    Identity("path", "/gpfs/ähm", "/anonymous/path-1"),
    Identity("path", "/gpfs", "/anonymous/path-2"),
    Identity("host", "vm", "host-1"),
    Identity("address", "10.0.0.1", "address-1"),
]


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        ("vm VM vm_1 vm-2 x.vm:", "host-1 host-1 host-1_1 host-1-2 x.host-1:"),
        ("kvm vmstat vm2 hvm", "kvm vmstat vm2 hvm"),
        ("/proc/sys/vm/drop_caches vm.dirty_ratio", "/proc/sys/vm/drop_caches vm.dirty_ratio"),
        ("-F/gpfs/x /gpfs/ähm/y /gpfsx", "-F/anonymous/path-2/x /anonymous/path-1/y /gpfsx"),
        ('"/gpfs/\\u00e4hm"', '"/anonymous/path-1"'),
        ("10.0.0.1 10.0.0.12 110.0.0.1", "address-1 10.0.0.12 110.0.0.1"),
    ],
)
def test_a_name_is_replaced_where_it_stands_by_itself(text, replaced):
    assert make_replacer(NAMES)(text.encode()).decode() == replaced


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """Return a function that packs one file."""
    monkeypatch.chdir(tmp_path)

    def pack(name, content):
        with zipfile.ZipFile("a.zip", "w") as packed:
            packed.writestr(name, content)
        return Path("a.zip")

    return pack


@pytest.mark.parametrize(
    ("name", "content", "left"),
    [
        ("a.txt", b"on VM now", "VM"),
        ("raw/vm/a.txt", b"", "vm"),
        ("a.html", b"see /gpfs/%C3%A4hm", "/gpfs/%C3%A4hm"),
        ("a.json", b'"/gpfs/\\u00e4hm"', "/gpfs/\\u00e4hm"),
        ("a.bin", b"\0\xff" + "10.0.0.1".encode("utf-16-le"), "1\x000\x00.\x000\x00.\x000\x00.\x001\x00"),
    ],
)
def test_a_name_that_is_left_is_found_in_any_file_and_form(archive, name, content, left):
    with pytest.raises(AnonymityError) as refusal:
        search(archive(name, content), NAMES)
    assert str(refusal.value) == f"{name} would still hold {left!r}; nothing is written"


@pytest.mark.parametrize("place", ["attribute", "value"])
def test_a_name_that_netcdf_packs_is_found(archive, tmp_path, place):
    texts = xr.Dataset({"log": ("record", ["a", "on vm" if place == "value" else "b"])})
    texts["log"].attrs["note"] = "vm" if place == "attribute" else ""
    texts.to_netcdf(tmp_path / "x.nc", engine="h5netcdf", encoding={"log": {"zlib": True}} if place == "x" else {})
    with pytest.raises(AnonymityError, match=r"x\.nc would still hold 'vm'"):
        search(archive("x.nc", (tmp_path / "x.nc").read_bytes()), NAMES)


def test_what_names_nobody_passes(archive):
    assert search(archive("a.txt", b"kvm, /proc/sys/vm/drop_caches"), NAMES) == (1, 0)


def test_records_that_no_longer_hit_their_number_are_refused(reported):
    dataset, raw = Path("results/tiny/dataset.nc"), Path("raw/tiny")
    assert check_records(dataset, dataset, raw, NAMES) > 100
    log = sorted(raw.rglob("stdout.txt"))[0]
    log.write_bytes(b" " + log.read_bytes())
    with pytest.raises(AnonymityError, match="stands where"):
        check_records(dataset, dataset, raw, NAMES)
