"""Every readable text of a file is found, also within packed formats, and markup and packed bytes are told apart."""

import base64
import io

import numpy as np
import xarray as xr
from PIL import Image, PngImagePlugin

from coldcache.report.archive.file_texts import is_packed, list_parts


def said(content: bytes) -> list[bytes]:
    return [part.text for part in list_parts(content) if part.is_said]


def image(**texts: str) -> bytes:
    info, kept = PngImagePlugin.PngInfo(), io.BytesIO()
    for name, text in texts.items():
        info.add_text(name, text)
    Image.new("L", (1, 1)).save(kept, "PNG", pnginfo=info)
    return kept.getvalue()


def test_a_plain_text_is_said_as_it_is():
    assert [*list_parts(b"host: node1\n")] == [(b"host: node1\n", True)]
    assert not is_packed(b"host: node1\n")


def test_markup_is_not_said_but_its_words_and_attributes_are():
    page = b'<!doctype html><p class="x" title="on node1">no<wbr>de2</p><!-- node3 --><a href="node4">z</a>'
    parts = [*list_parts(page)]
    assert parts[0] == (page, False)
    words, attributes = said(page)
    assert b"node2" in words and b"node3" in words and b"class" not in words
    assert attributes.split(b"\n") == [b"on node1", b"node4"]


def test_the_metadata_of_an_image_is_said_and_its_bytes_are_not():
    content = image(Author="node1")
    assert is_packed(content)
    assert [part.text for part in list_parts(content) if not part.is_said] == [content]
    assert b"".join(said(content)).split(b"\n") == [b"Author", b"node1"]


def test_an_image_within_a_text_is_opened():
    embedded = b'{"image/png": "' + base64.b64encode(image(Author="node1")) + b'", "name": "node2"}'
    found = said(embedded)
    assert b"Author\nnode1" in found
    assert found[-1] == b'{"image/png": "\n", "name": "node2"}'


def test_names_attributes_and_values_of_a_dataset_are_said(tmp_path):
    dataset = xr.Dataset({"host": ("trial", np.array(["node1"], dtype=object))}, attrs={"site": "node2"})
    xr.DataTree.from_dict({"/": dataset}).to_netcdf(tmp_path / "d.nc", engine="h5netcdf")
    content = (tmp_path / "d.nc").read_bytes()
    assert is_packed(content)
    found = b"\n".join(said(content)).split(b"\n")
    assert {b"host", b"trial", b"node1", b"site", b"node2"} <= set(found)


def test_a_file_that_violates_its_format_is_a_text_as_a_whole():
    for content in (b"\x89PNG\r\n\x1a\nnode1", b"\x89HDF\r\n\x1a\nnode1"):
        assert [*list_parts(content)] == [(content, True)]
