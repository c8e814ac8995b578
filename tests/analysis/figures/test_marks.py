"""What a mark says and its series end up as attributes of the drawing."""

from coldcache.analysis.figures.marks import say, say_case, say_levels, write_marks

NAN = float("nan")


def test_a_case_is_said_with_its_interval_and_runs():
    levels = {"operation": "random-read", "threads": 4, "transfer_size": 4096}
    assert say_levels(levels) == "random read, threads 4, transfer size 4 KiB"
    assert say_case({"operation": "read"}, 2e9, 1e9, 3e9, 5, "B/s") == (
        "read: 2.00 GB/s (93.8 %: 1.00 to 3.00 GB/s), 5 runs"
    )
    assert say_case({"operation": "read"}, 2e9, NAN, NAN, 4, "B/s") == "read: 2.00 GB/s, 4 runs"
    assert say_case({"operation": "read"}, 2e9, NAN, NAN, 1, "B/s") == "read: 2.00 GB/s (1 run)"


def test_links_get_what_they_say_as_label_and_the_tab_key_skips_trials():
    drawn = '<a xlink:href="../s/w/c=1/r0.html#m c 1, r0: 5 &lt; 6" target="_blank">'
    assert write_marks(drawn) == '<a href="../s/w/c=1/r0.html#m" tabindex="-1" aria-label="c 1, r0: 5 &lt; 6">'
    drawn = f'<a xlink:href="{say("../s/w/c=1/index.html#m", "c 1")}" target="_blank">'
    assert write_marks(drawn) == '<a href="../s/w/c=1/index.html#m" aria-label="c 1">'


def test_a_link_that_says_nothing_names_its_trial_or_case():
    assert 'aria-label="r2 of c=1"' in write_marks('<a xlink:href="../s/w/c=1/r2.html#m" target="_blank">')
    assert 'aria-label="Trials of c=1"' in write_marks('<a xlink:href="../s/w/c=1/index.html" target="_blank">')


def test_ids_of_series_become_attributes_which_may_repeat():
    assert write_marks('<g id="series-read"/><g id="series-read"/>') == '<g data-series="read"/><g data-series="read"/>'
    assert (
        write_marks('<g id="name-of-read-one-file"/><g id="axes_1"/>')
        == '<g data-series-name="read-one-file"/><g id="axes_1"/>'
    )
