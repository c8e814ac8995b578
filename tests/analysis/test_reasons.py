"""Of many reasons the first is shown, and the others are folded."""

from coldcache.analysis.reasons import fold_reasons


def test_one_reason_is_shown_as_it_is_and_escaped():
    assert fold_reasons("a < b") == "a &lt; b"


def test_further_reasons_are_folded():
    assert fold_reasons("one; two; three") == (
        'one<details class="coldcache-more-reasons"><summary>2 more</summary>two<br>three</details>'
    )


def test_a_long_reason_is_cut_at_a_comma():
    folded = fold_reasons(f"{'x' * 100}, {'y' * 100}")
    assert folded.startswith(f"{'x' * 100}<details") and folded.endswith(f"1 more</summary>{'y' * 100}</details>")
