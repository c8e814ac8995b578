"""A question names the files about its sweep and heads its tables."""

from dataclasses import replace

from coldcache.analysis.question import Question


def test_a_question_names_files_and_heads_tables():
    question = Question("s", "w", "A sweep", ("fig 1", "table 2"))
    assert (question.name, question.heading) == ("s-w", "A sweep (fig 1; table 2)")
    assert replace(question, items=()).heading == "A sweep"
    plain = Question()
    assert (plain.study, plain.sweep, plain.title, plain.items) == ("", "", "", ())
    assert (plain.file_layout, plain.why, plain.factor) == ("", "", None)
