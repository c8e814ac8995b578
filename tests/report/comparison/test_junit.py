"""A comparison as JUnit XML: a regression is a failure."""

from xml.etree import ElementTree


def test_a_regression_is_a_failure_and_every_case_a_test(compare):
    assert compare("before", "after", "--junit=ci/junit.xml")[0] == 1
    suite = ElementTree.parse("ci/junit.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "1", "0")
    (failed,) = [test for test in suite.iter("testcase") if test.find("failure") is not None]
    assert failed.get("name") == "paced/transfers operation=random-read,threads=2 rate"
