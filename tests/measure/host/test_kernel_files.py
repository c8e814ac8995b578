"""Properties are read without the space around them; a file that the kernel does not have is no error."""

from coldcache.measure.host.kernel_files import read_properties, read_property


def test_a_property_is_read_without_the_space_around_it(tmp_path):
    (tmp_path / "scheduler").write_text("none [mq-deadline] \n")
    assert read_property(tmp_path / "scheduler") == "none [mq-deadline]"
    assert read_properties(tmp_path / "scheduler") == ["none [mq-deadline]"]


def test_a_property_that_cannot_be_read_is_none(tmp_path):
    assert read_property(tmp_path / "dio") is None
    assert read_properties(tmp_path / "io.max") == []
    # A folder cannot be read either.
    assert read_property(tmp_path) is None


def test_an_empty_property_is_empty(tmp_path):
    (tmp_path / "io.max").write_text("\n")
    assert read_property(tmp_path / "io.max") == ""
    assert read_properties(tmp_path / "io.max") == []
