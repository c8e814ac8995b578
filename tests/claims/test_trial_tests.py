"""Claims on the size of files are refuted by small files, unless the scale made them small."""

from coldcache.claims.judge import judge_claims
from coldcache.claims.read import read_claims


def test_small_files_refute_a_claim_on_their_size_but_not_where_the_scale_made_them_small(made_records, make_context):
    small = made_records[made_records.study == "pixstor-nvme"].copy()
    small["file_size"] /= 1000
    claims = [stated for stated in read_claims() if stated.claim.id == "PN12"]
    (scaled,) = judge_claims(make_context(small), claims)
    assert scaled.verdict == "open"
    assert "the campaign is scaled down (at most " in scaled.why
    full = make_context(small)
    full.scale = lambda study, sweep: ""
    assert judge_claims(full, claims)[0].verdict == "refuted"
