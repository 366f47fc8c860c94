"""The tests stand where their subjects do, and share builders rather than each other."""

import ast
from pathlib import Path

import pronghorn

TESTS = Path(__file__).parents[2]
PACKAGE = Path(pronghorn.__file__).parent

HOUSE = "house"
"""The one folder of unit tests that is of no package: it holds the order of the house itself."""


def imported(file: Path) -> set[str]:
    """The last names of the modules that a file imports, and the names that it imports from modules."""
    names: set[str] = set()
    for found in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(found, ast.Import):
            names |= {alias.name.rpartition(".")[2] for alias in found.names}
        elif isinstance(found, ast.ImportFrom):
            names |= {alias.name for alias in found.names} | {(found.module or "").rpartition(".")[2]}
    return names


def test_nothing_imports_from_a_file_of_tests() -> None:
    files = {file.stem for file in TESTS.rglob("test_*.py")}
    against = {
        f"{file.relative_to(TESTS)} imports {name}"
        for file in TESTS.rglob("*.py")
        for name in imported(file) & files
    }
    assert not against


def test_unit_tests_stand_in_folders_of_their_packages() -> None:
    folders = {file.parent.relative_to(TESTS / "unit") for file in TESTS.glob("unit/**/*.py")}
    assert all((PACKAGE / folder / "__init__.py").exists() for folder in folders - {Path(HOUSE)})


def test_unit_tests_of_a_single_module_stand_beside_those_folders() -> None:
    """Whatever stands there imports such a module, or is about one that needs the whole program."""
    modules = {file.stem for file in PACKAGE.glob("*.py")}
    beside = {file: imported(file) for file in TESTS.glob("unit/test_*.py")}
    assert all(names & (modules | {"laboratory"}) for names in beside.values())
