"""What a cell displays: parts in their order, lines as paragraphs, sentences as Markdown."""

from coldcache.analysis.display import Display, Sentences


class Part:
    def _repr_mimebundle_(self):
        return {"text/plain": "a part", "text/html": "<b>a part</b>"}


def test_parts_are_shown_in_their_order_and_absent_ones_left_out():
    bundle = Display(["first <b>", None, "", Part()])._repr_mimebundle_()
    assert bundle == {
        "text/plain": "first <b>\na part",
        "text/html": '<p class="coldcache-absent">first &lt;b&gt;</p>\n<b>a part</b>',
    }


def test_each_sentence_is_a_paragraph():
    assert Sentences(["One.", None, "", "Two."])._repr_mimebundle_() == {
        "text/plain": "One.\n\nTwo.", "text/markdown": "One.\n\nTwo.",
    }  # fmt: skip
    assert Sentences([])._repr_mimebundle_() == {"text/plain": "", "text/markdown": ""}
