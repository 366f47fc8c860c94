"""The documentation names each kind of finding, and tests prove each."""

import ast
import re
from pathlib import Path

from pronghorn.check import rules
from pronghorn.check.finding import SEVERITIES

from .judged_facts import FOUND

ROOT = Path(__file__).parents[3]


def raised() -> set[str]:
    """The code of every Finding that the rules can make."""
    calls = (
        call
        for file in Path(rules.__file__).parent.glob("*.py")
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "Finding"
    )
    return {str(call.args[0].value) for call in calls if isinstance(call.args[0], ast.Constant)}


def test_the_document_lists_every_kind_of_finding() -> None:
    document = (ROOT / "docs/check.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([a-z0-9.-]+)` \|", document, re.MULTILINE)) == raised()


def test_the_document_names_every_severity() -> None:
    document = (ROOT / "docs/check.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `([a-z0-9.-]+)` \| ([a-z ]+) \|", document, re.MULTILINE))
    for file in Path(rules.__file__).parent.glob("*.py"):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "Finding":
                code, severity = (ast.unparse(each) for each in call.args[:2])
                made = {each for each in SEVERITIES if f"'{each}'" in severity}
                assert set(told[ast.literal_eval(code)].split(" or ")) == made, code


def test_every_kind_is_made_by_a_test_of_the_rules() -> None:
    made = {code for _, codes in FOUND.values() for code in codes}
    assert raised() - made == {"early-data-unmarked"}  # which has a test of its own


def test_the_long_tests_plant_as_many_faults_as_the_document_says() -> None:
    tree = ast.parse((ROOT / "tests/verify/test_check.py").read_text(encoding="utf-8"))
    planted = next(
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "FAULTS"
    )
    assert isinstance(planted, ast.Dict)
    document = (ROOT / "docs/check.md").read_text(encoding="utf-8")
    assert f"plants {len(planted.keys)} of these faults" in document
