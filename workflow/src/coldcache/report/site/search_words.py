"""The words that the search of a report knows: those that begin with a letter."""

import re
from functools import cache
from typing import Any

from sphinx.search.en import SearchEnglish


class SearchWords(SearchEnglish):
    """English words; Sphinx itself leaves out numbers, and this class also what begins with one, such as ``0052as``."""

    _word_re = re.compile(r"\b[^\W\d]\w*")

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(options)
        # Pages share most of their words.
        self.stem = cache(super().stem)  # type: ignore[method-assign]
