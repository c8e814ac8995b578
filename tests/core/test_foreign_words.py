"""The words of other tools lead to ours, wherever they are written."""

import pytest

from coldcache.core.foreign_words import MEANINGS, name_ours
from coldcache.core.vocabulary import FACTORS, nearest
from coldcache.design.study import Study, Sweep


@pytest.mark.parametrize(
    ("word", "known", "hint"),
    [
        ("iodepth", FACTORS, "fio's iodepth is queue_depth here"),
        ("bs", FACTORS, "fio's bs is transfer_size here"),
        ("iodepth", Sweep.model_fields, "fio's iodepth is queue_depth here, under factors"),
        ("rw", Sweep.model_fields, "fio's rw is operations here"),
        ("rw", FACTORS, "fio's rw is operations here, a key of the sweep"),
        ("rw", Study.model_fields, "fio's rw is operations here, a key of a sweep"),
        ("numjobs", Study.model_fields, "fio's numjobs is threads here, under factors of a sweep"),
        ("-t", FACTORS, "IOR's -t is transfer_size here; IOzone's -t is threads here"),
        ("-b", FACTORS, "IOR's -b is file_size here"),
        ("-n", FACTORS, "mdtest's -n is files here; Slurm's -n is threads here"),
        ("size", ("quick", "dell-lustre"), None),
        ("colour", FACTORS, None),
    ],
)
def test_a_word_of_a_tool_leads_to_ours(word, known, hint):
    assert name_ours(word, list(known)) == hint
    if hint:
        assert nearest(word, list(known)) == hint


def test_every_word_leads_to_a_factor_or_a_key():
    ours = {meaning.ours for meanings in MEANINGS.values() for meaning in meanings}
    assert ours <= {*FACTORS, *Sweep.model_fields}
    assert not set(MEANINGS) & set(FACTORS)
