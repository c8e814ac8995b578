"""Write a comparison as JUnit XML for continuous integration: a regression is a failure."""

from xml.etree import ElementTree

from coldcache.report.comparison.compare import CampaignComparison, CampaignPair, show_change, show_smallest
from coldcache.report.comparison.decisions import Decision


def write_junit(comparison: CampaignComparison) -> str:
    """Return a comparison as JUnit XML: a suite per pair, a test per case; undecided cases are skipped."""
    root = ElementTree.Element("testsuites", name="coldcache compare")
    for pair in comparison.pairs:
        _add_suite(root, pair, comparison)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_suite(root: ElementTree.Element, pair: CampaignPair, comparison: CampaignComparison) -> None:
    failed = len(pair.of("worse")) + len(pair.lost)
    skipped = len(pair.of("undecided")) + len(pair.unmatched) - len(pair.lost)
    suite = ElementTree.SubElement(
        root, "testsuite", name=f"{pair.other} against {pair.base}", failures=str(failed), errors="0",
        skipped=str(skipped), tests=str(len(pair.decisions) + len(pair.unmatched)),
    )  # fmt: skip
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in [
        ("threshold", f"{100 * comparison.threshold:g} %"),
        *((f"differs: {found.group}: {found.name}", " → ".join(found.values)) for found in comparison.differences),
    ]:
        ElementTree.SubElement(properties, "property", name=_printable(name), value=_printable(value))
    for decision in pair.decisions:
        _add_decision(suite, decision)
    for case in pair.unmatched:
        test = ElementTree.SubElement(suite, "testcase", classname=case.name.split(" ")[0], name=_printable(case.name))
        ElementTree.SubElement(test, "failure" if case.lost else "skipped", message=_printable(case.reason))


def _add_decision(suite: ElementTree.Element, decision: Decision) -> None:
    case = decision.case
    name = _printable(f"{case.name} {case.metric}")
    test = ElementTree.SubElement(suite, "testcase", classname=f"{case.study}/{case.sweep}", name=name)
    said = show_change(decision)
    if decision.verdict == "worse":
        ElementTree.SubElement(test, "failure", message=f"worse: {said}", type="regression")
    elif decision.verdict == "undecided":
        ElementTree.SubElement(
            test, "skipped", message=f"undecided: {said}; would have shown: {show_smallest(decision)}"
        )
    else:
        ElementTree.SubElement(test, "system-out").text = f"{decision.verdict}: {said}"


def _printable(text: str) -> str:
    """Return a text without control characters, which XML cannot contain."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
