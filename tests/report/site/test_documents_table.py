"""The rest of the table of documents is tested on the reference report, in `test_index_page_rendered.py`."""

from coldcache.core.vocabulary import CLAIM_VERDICTS
from coldcache.report.site.documents_table import SIGNS


def test_every_verdict_on_a_claim_has_a_sign_of_its_own():
    assert set(CLAIM_VERDICTS) <= set(SIGNS)
    assert len(set(SIGNS.values())) == len(SIGNS)
