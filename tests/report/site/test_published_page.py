"""The page of the documents' numbers shows the lines of the file, each with its number marked."""

from coldcache.report.site.published_page import PUBLISHED, find_lines, mark_stated_lines, write_published

HEAD = "source,item,grade,system,benchmark,workload,operation,threads,statistic,relation,value,unit,note\n"
LINES = 'one,fig 1,text,a,b,c,write,,peak,about,7,GB/s,"with 1 MiB, direct"\ntwo,fig 9,text,a,b,c,read,4,peak,=,<3,s,\n'


def test_a_line_of_a_study_has_its_number_and_a_mark(tmp_path):
    path = tmp_path / "values.csv"
    path.write_text(HEAD + LINES)
    shown = mark_stated_lines(["one"], path)
    assert shown == (
        HEAD + '<span id="line-2">one,fig 1,text,a,b,c,write,,peak,about,<mark class="foremost">7</mark>,GB/s,'
        "&#34;with 1 MiB, direct&#34;</span>"
    )
    assert '<mark class="foremost">&lt;3</mark>' in mark_stated_lines(["two"], path)
    assert mark_stated_lines(["three"], path) == mark_stated_lines(["one"], tmp_path / "none.csv") == ""


def test_a_number_is_found_by_its_item_and_as_tables_show_it(tmp_path):
    path = tmp_path / "values.csv"
    path.write_text(HEAD + LINES.replace("<3", "3"))
    assert find_lines("one", path) == {("fig 1", "about 7 GB/s"): 2}
    assert find_lines("two", path) == {("fig 9", "3 s"): 3}
    assert find_lines("one", tmp_path / "none.csv") == {}


def test_blank_lines_are_left_out_and_counted(tmp_path):
    path = tmp_path / "values.csv"
    one, two = LINES.replace("<3", "3").splitlines(keepends=True)
    path.write_text(f"{HEAD}{one}\n{two}\n\n")
    assert find_lines("two", path) == {("fig 9", "3 s"): 4}
    assert '<span id="line-4">two,fig 9,' in mark_stated_lines(["one", "two"], path)
    path.write_text("")
    assert (find_lines("one", path), mark_stated_lines(["one"], path)) == ({}, "")


def test_the_page_is_written_for_studies_with_documents_alone(tmp_path, root):
    write_published(["quick"], "c", root / "workflow/report/standalone", tmp_path)
    assert list(tmp_path.iterdir()) == []
    write_published(["dell-lustre"], "c", root / "workflow/report/standalone", tmp_path)
    assert '<span id="line-2">dell-lustre,fig 11,' in (tmp_path / PUBLISHED).read_text()
