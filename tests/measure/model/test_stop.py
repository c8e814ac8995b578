"""Only what is known to be a model's is removed."""

import pytest

from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.place import MARK, open_place
from coldcache.measure.model.stop import refuse_foreign, stop


def test_a_folder_with_foreign_files_is_refused(tmp_path):
    (tmp_path / "letter").write_text("dear")
    with pytest.raises(ModelError, match="holds files that are no model's"):
        refuse_foreign(open_place(tmp_path))
    assert (tmp_path / "letter").read_text() == "dear"


def test_what_a_killed_removal_left_is_known_by_its_mark(tmp_path):
    (tmp_path / MARK).touch()
    (tmp_path / "log").mkdir()
    refuse_foreign(open_place(tmp_path))


def test_where_no_model_lies_there_is_nothing_to_do(tmp_path):
    stop(open_place(tmp_path / "none"))
    assert not (tmp_path / "none").exists()


def test_two_folders_never_share_names(tmp_path):
    assert open_place(tmp_path / "a").name != open_place(tmp_path / "b").name
