"""JUnit XML: as Jenkins' schema and GitLab's reader take it, with the evidence in the text."""

import xml.etree.ElementTree as ET

from pronghorn.checks import cases, junit
from pronghorn.checks.cases import Case
from pronghorn.checks.result import Finding, Result

ALLOWED: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {"time", "skipped", "timestamp", "hostname", "id", "package"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": (
        {"name"},
        {"time", "classname", "group"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": (set(), {"type", "message"}, set()),
    "skipped": (set(), {"type", "message"}, set()),
    "system-out": (set(), set(), set()),
}
"""Of each element of xunit-plugin's junit-10.xsd that we write: the attributes that it must have, those that
it may have, and what may stand in it."""

RESULTS = [
    Result(
        "h3/h2 < 1.05",
        (
            Finding("lan", True, "h3/h2 = 0.90; 12 blocks"),
            Finding("lte", False, "h3/h2 = 1.10 & <so on>; 12 blocks"),
            Finding("fiber", True, "h3/h2 = 1.04; the interval reaches 1.07", doubtful=True),
        ),
    )
]
VERDICTS = [
    cases.of_verdict("h3 against h2 [lan]", "faster", "lan: h3 is faster than h2"),
    cases.of_verdict("h3 against h2 [lte]", "undecided", "lte: undecided"),
]


def written(name: str = "Is it? v1.2", found: list[Case] | None = None) -> ET.Element:
    groups = {"checks": cases.of_checks(RESULTS) if found is None else found, "verdicts": VERDICTS}
    content = junit.document(name, groups, started="2026-11-21T10:00:00.123Z", properties={"seed": "7"})
    assert content.startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n')
    return ET.fromstring(content)


def assert_allowed(element: ET.Element) -> None:
    must, may, children = ALLOWED[element.tag]
    assert must <= element.attrib.keys() <= must | may, element.tag
    for child in element:
        assert child.tag in children, f"{child.tag} in {element.tag}"
        assert_allowed(child)


def test_elements_and_attributes_are_those_of_the_schema() -> None:
    root = written()
    assert root.tag == "testsuites"
    assert_allowed(root)


def test_the_counts_are_those_of_the_cases() -> None:
    root = written()
    assert (root.get("tests"), root.get("failures")) == ("5", "1")
    for suite in root:
        found = suite.findall("testcase")
        assert suite.get("tests") == str(len(found))
        assert suite.get("failures") == str(sum(case.find("failure") is not None for case in found))
        assert suite.get("skipped") == str(sum(case.find("skipped") is not None for case in found))


def test_a_case_is_a_check_in_a_cell_and_its_name_holds_no_figure() -> None:
    found = {(case.get("classname"), case.get("name")) for case in written().iter("testcase")}
    assert found == {
        ("pronghorn.Is-it-v1-2.checks", "h3/h2 < 1.05 [lan]"),
        ("pronghorn.Is-it-v1-2.checks", "h3/h2 < 1.05 [lte]"),
        ("pronghorn.Is-it-v1-2.checks", "h3/h2 < 1.05 [fiber]"),
        ("pronghorn.Is-it-v1-2.verdicts", "h3 against h2 [lan]"),
        ("pronghorn.Is-it-v1-2.verdicts", "h3 against h2 [lte]"),
    }


def test_the_evidence_stands_in_the_text_of_every_case() -> None:
    texts = {case.get("name"): "".join(case.itertext()).strip() for case in written().iter("testcase")}
    assert texts["h3/h2 < 1.05 [lte]"] == "h3/h2 < 1.05\nlte: h3/h2 = 1.10 & <so on>; 12 blocks"
    assert "the interval reaches 1.07" in texts["h3/h2 < 1.05 [fiber]"]
    assert texts["h3 against h2 [lte]"] == "lte: undecided"


def test_a_run_without_checks_has_its_verdicts() -> None:
    assert [suite.get("name") for suite in written(found=[])] == ["Is it? v1.2: verdicts"]


def test_a_case_named_twice_counts_once() -> None:
    twice = [Case("a", "failed", "first", "first"), Case("a", "passed", "second", "second")]
    suite = written(found=twice)[0]
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")


def test_what_xml_cannot_hold_is_replaced() -> None:
    root = written("bell \x07 and \ud800", [Case("a\x00b", "failed", "\x1b[31m", "\ufffe")])
    assert root.get("name") == "bell \\u0007 and \\ud800"
    assert [case.get("name") for case in root[0].iter("testcase")] == ["a\\u0000b"]


def test_two_writings_are_the_same_bytes() -> None:
    assert ET.tostring(written()) == ET.tostring(written())
