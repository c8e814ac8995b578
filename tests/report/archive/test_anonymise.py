"""Names are replaced as whole words in every form, and a search finds each that is left."""

import base64
import io
import json
import random
import re
import string
import zipfile
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from coldcache.report.archive.anonymise import AnonymityError, check_records, make_replacer, search
from coldcache.report.archive.identities import Identity

NAMES = [
    Identity("path", "/gpfs/ähm", "/anonymous/path-1"),
    Identity("path", "/gpfs", "/anonymous/path-2"),
    Identity("host", "vm.acme.example", "host-1"),
    Identity("host", "vm", "host-1"),
    Identity("address", "10.0.0.1", "address-1"),
]


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        ("vm VM vm_1 vm-2 x.vm:", "host-1 host-1 host-1_1 host-1-2 x.host-1:"),
        ("kvm vmstat vm2 hvm", "kvm vmstat vm2 hvm"),
        ("/proc/sys/vm/drop_caches vm.dirty_ratio", "/proc/sys/vm/drop_caches vm.dirty_ratio"),
        ("vm.acme.example vm.dirty_ratio vm:", "host-1 vm.dirty_ratio host-1:"),
        ('c1/gpfs ./gpfs "/gpfs" x:/gpfs a\\n/gpfs', 'c1/gpfs ./gpfs "{0}" x:{0} a\\n{0}'.format("/anonymous/path-2")),
        ("-F/gpfs/x /gpfs/ähm/y /gpfsx", "-F/anonymous/path-2/x /anonymous/path-1/y /gpfsx"),
        ('"/gpfs/\\u00e4hm"', '"/anonymous/path-1"'),
        ("10.0.0.1 10.0.0.12 110.0.0.1", "address-1 10.0.0.12 110.0.0.1"),
        ("iVBORw0KGgo+vm/VM/Q==", "iVBORw0KGgo+vm/VM/Q=="),
    ],
)
def test_a_name_is_replaced_as_a_whole_word(text, replaced):
    assert make_replacer(NAMES)(text.encode()).decode() == replaced


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """Return a function that packs files, given by name and content."""
    monkeypatch.chdir(tmp_path)

    def pack(files):
        with zipfile.ZipFile("a.zip", "w") as packed:
            for name, content in files.items():
                packed.writestr(name, content)
        return Path("a.zip")

    return pack


@pytest.mark.parametrize(
    ("name", "content", "left"),
    [
        ("a.txt", b"on VM now", "VM"),
        ("raw/vm/a.txt", b"", "vm"),
        ("a.txt", b"on vm.acme.example", "vm.acme.example"),
        ("a.html", b"see /gpfs/%C3%A4hm", "/gpfs/%C3%A4hm"),
        ("a.json", b'"/gpfs/\\u00e4hm"', "/gpfs/\\u00e4hm"),
        ("a.bin", b"\0\xff" + "10.0.0.1".encode("utf-16-le"), "1\x000\x00.\x000\x00.\x000\x00.\x001\x00"),
    ],
)
def test_a_name_that_is_left_is_found_in_any_file_and_form(archive, name, content, left):
    with pytest.raises(AnonymityError) as refusal:
        search(archive({name: content}), NAMES)
    assert str(refusal.value) == f"{name} still contains {left!r}; nothing is written"


def make_dataset(noise, said=""):
    """Return the bytes of a NetCDF file with noise and a text, both compressed."""
    dataset = xr.Dataset({"noise": ("row", noise), "log": ("record", np.array([b"none", f"on {said}".encode()]))})
    encoding = {"noise": {"zlib": True}, "log": {"dtype": "S1", "zlib": True}}
    dataset.to_netcdf("made.nc", engine="h5netcdf", encoding=encoding)
    return Path("made.nc").read_bytes()


def make_image(noise, said=""):
    """Return the bytes of a PNG image with noise and a compressed text."""
    texts = PngInfo()
    texts.add_text("Title", f"measured on {said}", zip=True)
    image = io.BytesIO()
    Image.fromarray(noise.reshape(200, -1)).save(image, "PNG", pnginfo=texts)
    return image.getvalue()


def make_page(image):
    return b'<!DOCTYPE html>\n<img src="data:image/png;base64,' + base64.b64encode(image) + b'">'


def make_notebook(image):
    return json.dumps({"outputs": [{"data": {"image/png": base64.b64encode(image).decode()}}]}).encode()


def make_packed_files(noise, said=""):
    image = make_image(noise, said)
    return {
        "a.nc": make_dataset(noise, said), "a.png": image, "a.html": make_page(image), "a.ipynb": make_notebook(image),
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_packed_bytes_that_spell_a_short_name_by_chance_hold_none(archive, seed):
    name = "".join(random.Random(seed).choices(string.ascii_lowercase, k=2))
    noise = np.random.default_rng(seed).integers(0, 256, 200 * 1500, dtype=np.uint8)
    files = make_packed_files(noise)
    for packed in ("a.nc", "a.png"):
        assert re.search(rb"(?i)(?<![A-Za-z0-9])%b(?![A-Za-z0-9])" % name.encode(), files[packed])
    assert search(archive(files), [Identity("host", name, "host-1")]) == (4, 0)


@pytest.mark.parametrize("name", ["a.nc", "a.png", "a.html", "a.ipynb"])
def test_a_short_name_that_packed_bytes_say_is_found(archive, name):
    content = make_packed_files(np.zeros(200, dtype=np.uint8), "VM")[name]
    assert b"VM" not in content
    with pytest.raises(AnonymityError, match=rf"{name} still contains 'VM'"):
        search(archive({name: content}), NAMES)


@pytest.mark.parametrize("where", ["attribute", "value", "name", "dimension"])
def test_a_name_is_found_wherever_netcdf_has_it(archive, where):
    words = {place: "on vm" if place == where else "x" for place in ("attribute", "value", "name", "dimension")}
    dataset = xr.Dataset({words["name"]: ([words["dimension"]], ["b", words["value"]], {"note": words["attribute"]})})
    dataset.to_netcdf("made.nc", engine="h5netcdf")
    with pytest.raises(AnonymityError, match=r"x\.nc still contains 'vm'"):
        search(archive({"x.nc": Path("made.nc").read_bytes()}), NAMES)


def test_a_long_name_is_found_in_packed_bytes_as_they_are(archive):
    content = make_image(np.zeros(200, dtype=np.uint8)) + b"login7"
    with pytest.raises(AnonymityError, match="still contains 'login7'"):
        search(archive({"a.png": content}), [Identity("host", "login7", "host-1")])


def test_what_is_no_image_but_begins_like_one_is_searched_as_it_is(archive):
    with pytest.raises(AnonymityError, match="still contains 'vm'"):
        search(archive({"a.png": make_image(np.zeros(200, dtype=np.uint8))[:40] + b" vm "}), NAMES)


@pytest.mark.parametrize(
    ("page", "name", "left"),
    [
        ('<h1 class="c1" style="color: red">x</h1>', "h1", ""),
        ('<h1 class="c1" style="color: red">x</h1>', "c1", ""),
        ("<td>n1<mark>4</mark></td><td>x</td>", "n14", "n14"),
        ("<td>n1</td><td>x</td>", "n1", "n1"),
        ('<a href="n1/index.html">x</a>', "n1", "n1"),
        ("<!-- n1 --><p>x", "n1", "n1"),
        ("<script>let x = 'n1'</script>", "n1", "n1"),
        ("<td>&#97;b</td>", "ab", "ab"),
    ],
)
def test_of_a_page_its_words_are_searched_not_its_elements(archive, page, name, left):
    packed = archive({"a.html": f"<!doctype html>{page}"})
    names = [Identity("host", name, "host-1")]
    if left:
        with pytest.raises(AnonymityError, match=f"still contains '{left}'"):
            search(packed, names)
    else:
        assert search(packed, names) == (1, 0)


def test_what_names_nobody_passes(archive):
    assert search(archive({"a.txt": b"kvm, /proc/sys/vm/drop_caches"}), NAMES) == (1, 0)


def test_the_kernels_names_pass_where_sphinx_takes_them_apart(archive):
    files = {"report/system.html": "<!DOCTYPE html>vm.dirty_ratio", "report/searchindex.js": '{"vm":4,"dirty_ratio":4}'}
    assert search(archive(files), NAMES) == (2, 0)


def test_records_that_no_longer_hit_their_number_are_refused(reported):
    dataset, raw = Path("results/tiny/dataset.nc"), Path("raw/tiny")
    assert check_records(dataset, dataset, raw, NAMES) > 100
    log = sorted(raw.rglob("stdout.txt"))[0]
    log.write_bytes(b" " + log.read_bytes())
    with pytest.raises(AnonymityError, match="is where"):
        check_records(dataset, dataset, raw, NAMES)
