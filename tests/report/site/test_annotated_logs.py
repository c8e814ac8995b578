import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from coldcache.report.site.annotated_logs import LogMark, mark_log


def place(log, number, name, foremost=True):
    return LogMark(log.index(number), len(number), name, f"what {name} is", foremost)


def text_of(html):
    return unescape(re.sub(r"<[^>]+>", "", html))


LOG = b"<script>alert(1)</script> & rate=1234.5 IOPS\nbw=99 \xff\n"


def test_a_number_is_marked_at_its_place_and_markup_is_shown_as_it_is():
    (piece,) = mark_log(LOG, [place(LOG, b"1234.5", "read-rate"), place(LOG, b"99", "byte-48", False)])
    assert (piece.begin, piece.end) == (0, len(LOG))
    assert piece.html == (
        "&lt;script&gt;alert(1)&lt;/script&gt; &amp; rate="
        '<mark id="read-rate" class="foremost" title="what read-rate is">1234.5</mark> IOPS\n'
        'bw=<mark id="byte-48" title="what byte-48 is">99</mark> \ufffd\n'
    )


def test_two_figures_of_one_number_both_lead_to_it():
    (piece,) = mark_log(LOG, [place(LOG, b"99", "write-rate"), place(LOG, b"99", "byte-48", False)])
    assert '<span id="byte-48"></span><mark id="write-rate"' in piece.html
    assert text_of(piece.html) == LOG.decode(errors="replace")


def test_of_numbers_that_overlap_the_first_is_marked_and_the_other_leads_to_it():
    whole, part = place(LOG, b"1234.5", "a"), place(LOG, b"34.5", "b")
    (piece,) = mark_log(LOG, [part, whole])
    assert '>1234.5</mark><span id="b"></span> IOPS' in piece.html
    assert text_of(piece.html) == LOG.decode(errors="replace")


def test_a_place_beyond_the_end_is_left_out():
    (piece,) = mark_log(LOG, [LogMark(len(LOG) - 1, 2, "x", "", True), LogMark(-1, 0, "y", "", True)])
    assert "mark" not in piece.html


def test_of_a_long_log_the_lines_around_each_number_are_shown():
    lines = [b"line %04d with some words in it\n" % number for number in range(4000)]
    lines[2000] = b"rate 777.25 of all\n"
    log = b"".join(lines)
    (piece,) = mark_log(log, [place(log, b"777.25", "read-rate")], whole=1000)
    shown = text_of(piece.html).encode()
    assert log[piece.begin : piece.end] == shown
    assert shown.startswith(b"line ") and shown.endswith(b"\n")
    assert 1000 < len(shown) < 1400
    assert b"rate 777.25 of all" in shown


def test_pieces_that_touch_become_one_and_others_stay_apart():
    log = b"x" * 5000 + b" 1.5 " + b"x" * 300 + b" 2.5 " + b"x" * 5000 + b" 3.5 " + b"x" * 5000
    pieces = mark_log(log, [place(log, number, f"n{number[0]}") for number in (b"1.5", b"2.5", b"3.5")], whole=0)
    assert len(pieces) == 2
    assert [re.findall("<mark[^>]*>([^<]+)</mark>", piece.html) for piece in pieces] == [["1.5", "2.5"], ["3.5"]]


@given(st.binary(max_size=300), st.lists(st.tuples(st.integers(0, 300), st.integers(1, 9)), max_size=8))
def test_pieces_show_every_byte_of_their_stretch_once(log, spans):
    places = [LogMark(offset, length, f"n{number}", "", True) for number, (offset, length) in enumerate(spans)]
    (piece,) = mark_log(log, places)
    # A mark may part the bytes of one sign, which is then shown as replacement characters.
    assert text_of(piece.html).encode("ascii", "ignore") == log.decode("ascii", "ignore").encode()
    assert len(set(re.findall('id="([^"]+)"', piece.html))) == len(re.findall('id="', piece.html))
