from coldcache.analysis.report_links import lead, mark_of, page_of, page_of_trial, without_links


def test_pages_lie_beside_the_folders_of_the_notebooks_pages():
    case = page_of("quick", "random", "operation=read,threads=4")
    assert case == "../trials/quick/random/operation=read,threads=4/index.html"
    assert page_of_trial(case, 3) == "../trials/quick/random/operation=read,threads=4/r3.html"


def test_signs_that_mean_something_in_an_address_are_written_as_numbers():
    assert page_of("logs", "a#b", "x=50%?") == "../trials/logs/a%23b/x=50%25%3F/index.html"


def test_a_mark_is_named_after_operation_and_metric():
    assert mark_of("random-read", "throughput_per_process") == "random-read-throughput-per-process"


def test_a_text_leads_to_a_page_and_shows_every_sign_as_it_is():
    assert lead("<1 GB/s", "../x.html", "read-rate") == '<a href="../x.html#read-rate">&lt;1 GB/s</a>'
    assert lead("1 GB/s", "") == "1 GB/s"


def test_links_are_taken_off_a_sentence_and_a_drawing():
    assert without_links('Reads <a href="../x.html">grow</a> <b>fast</b>.') == "Reads grow <b>fast</b>."
    assert without_links('<g><a xlink:href="x" tabindex="-1"><use/></a></g>') == "<g><use/></g>"
