"""Checks and verdicts as JUnit XML, as Jenkins' schema (xunit-plugin, junit-10.xsd) and GitLab's reader have
it.

Readers follow a case by its class and name from run to run, so neither holds a figure, and show of a case its
text, which therefore holds the whole evidence.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence

from pronghorn.checks.cases import Case
from pronghorn.foreign import visible


def document(
    name: str, groups: Mapping[str, Sequence[Case]], *, started: str | None, properties: Mapping[str, str]
) -> bytes:
    """The cases, group by group, of the run or comparison called `name`, as UTF-8.

    `started` is UTC in ISO 8601; `properties` are told with every group. A group without cases is left out,
    and of two cases of one name the first counts, as with the readers.
    """
    suites = ET.Element("testsuites", name=_legal(name))
    total = failed = 0
    for group, found in groups.items():
        named: dict[str, Case] = {}
        for case in found:
            named.setdefault(case.name, case)
        unlike = list(named.values())
        if not unlike:
            continue
        failures = sum(case.outcome == "failed" for case in unlike)
        suite = ET.SubElement(
            suites,
            "testsuite",
            name=_legal(f"{name}: {group}"),
            tests=str(len(unlike)),
            failures=str(failures),
            errors="0",
            skipped=str(sum(case.outcome == "skipped" for case in unlike)),
            time="0",
        )
        if started is not None:
            suite.set("timestamp", started.partition(".")[0].removesuffix("Z"))
        told = ET.SubElement(suite, "properties")
        for key, value in properties.items():
            ET.SubElement(told, "property", name=_legal(key), value=_legal(value))
        for case in unlike:
            _add(suite, f"pronghorn.{_slug(name)}.{group}", case)
        total, failed = total + len(unlike), failed + failures
    suites.attrib.update(tests=str(total), failures=str(failed), errors="0", time="0")
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'.encode()


def _add(suite: ET.Element, group: str, case: Case) -> None:
    element = ET.SubElement(suite, "testcase", classname=group, name=_legal(case.name), time="0")
    match case.outcome:
        case "failed":
            failure = ET.SubElement(element, "failure", message=_legal(case.message), type="check")
            failure.text = _legal(case.evidence)
        case "skipped":
            ET.SubElement(element, "skipped", message=_legal(case.message))
            ET.SubElement(element, "system-out").text = _legal(case.evidence)
        case "passed":
            ET.SubElement(element, "system-out").text = _legal(case.evidence)


def _slug(name: str) -> str:
    """A name without dots, by which readers divide classes into packages."""
    return re.sub(r"[^\w-]+", "-", name).strip("-") or "run"


def _legal(text: str) -> str:
    """Without what XML 1.0 (section 2.2) has no way to write."""
    return visible(text)
