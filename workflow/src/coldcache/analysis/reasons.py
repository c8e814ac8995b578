"""Reasons for a verdict: the first in a sentence, further ones folded."""

from markupsafe import Markup, escape

#: Letters of a reason that is shown.
_LONGEST = 140


def fold_reasons(why: str) -> Markup:
    """Return the first of several reasons, separated by ``; ``, as HTML, and the others folded behind it."""
    first, *others = why.split("; ")
    if len(first) > _LONGEST and ", " in first[:_LONGEST]:
        cut = first[:_LONGEST].rindex(", ")
        first, others = first[:cut], [first[cut + 2 :], *others]
    if not others:
        return escape(first)
    rest = Markup("<br>").join(others)
    counted = f"{len(others)} more"
    return Markup('{}<details class="coldcache-more-reasons"><summary>{}</summary>{}</details>').format(
        first, counted, rest
    )
