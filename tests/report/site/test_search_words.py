"""The search of a report knows words that begin with a letter, by their stems."""

from coldcache.report.site.search_words import SearchWords


def test_numbers_and_what_begins_with_one_are_no_words():
    words = SearchWords({})
    assert words.split("4096 B in 0.0052as fio3 réponse r0, re-read") == [
        "B",
        "in",
        "fio3",
        "réponse",
        "r0",
        "re",
        "read",
    ]
    assert [words.stem(word) for word in ("intervals", "interval", "rates")] == ["interval", "interval", "rate"]


def test_a_stop_word_is_left_out():
    words = SearchWords({})
    assert [words.word_filter(word) for word in ("the", "cache")] == [False, True]
