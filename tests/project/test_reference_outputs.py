"""What the pages of every study say of the reference campaign is what the repository says they say."""

import json

import pytest
from reference_outputs import EXECUTED, digest, digest_all, list_texts, read_digests


@pytest.mark.skipif(not EXECUTED.is_dir(), reason="needs results/reference: make reference")
def test_every_notebook_of_every_study_displays_the_same_numbers_and_sentences():
    assert digest_all() == read_digests()


def test_no_notebook_failed_when_the_digests_were_written():
    # The page of a notebook that failed has no code cell.
    assert digest([]) not in read_digests().values()


def test_a_changed_digit_of_any_cell_changes_the_digest(tmp_path):
    notebook = tmp_path / "one.ipynb"

    def write(*texts):
        cells = [
            {"cell_type": "code", "metadata": {}, "outputs": [{"data": {"text/plain": text}}]} for text in texts
        ] + [{"cell_type": "code", "metadata": {"tags": ["injected-parameters"]}, "outputs": []}]
        notebook.write_text(json.dumps({"cells": cells}))
        return digest(list_texts(notebook))

    assert write("1.17 GB/s", "2") == write("1.17 GB/s", "2")
    assert len({write("1.17 GB/s", "2"), write("1.18 GB/s", "2"), write("1.17 GB/s", "3"), write("1.17 GB/s")}) == 4
