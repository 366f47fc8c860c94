"""Imports go one way, from the command line down to what things are."""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pronghorn
from pronghorn.clients import CLIENTS
from pronghorn.model import stacks
from pronghorn.origins import CONFIGURABLE, ORIGINS

from .layers import LAYERS

MEASURING = {"engine", "origins", "clients", "host", "execute"}

ROOT = Path(pronghorn.__file__).parent


def modules() -> dict[str, Path]:
    """Every module by its name, a package by its `__init__`."""
    files = {file.relative_to(ROOT.parent).with_suffix(""): file for file in ROOT.rglob("*.py")}
    return {".".join(name.parts).removesuffix(".__init__"): file for name, file in files.items()}


def statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Import statements, those within functions too, without those for type checking alone."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            yield from (found for other in child.orelse for found in statements(ast.Module([other], [])))
        else:
            yield from statements(child)


def imported(file: Path, known: dict[str, Path]) -> set[str]:
    """Which of the `known` modules a file imports."""
    named = set()
    for found in statements(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(found, ast.Import):
            named |= {alias.name for alias in found.names}
        elif isinstance(found, ast.ImportFrom):
            assert found.level == 0, f"{file}: a relative import"
            within = {alias.name: f"{found.module}.{alias.name}" for alias in found.names}
            named |= {name if name in known else str(found.module) for name in within.values()}
    return named & known.keys()


@cache
def graph() -> dict[str, set[str]]:
    known = modules()
    return {name: imported(file, known) - {name} for name, file in known.items()}


def package(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def of_packages(modules: dict[str, set[str]]) -> dict[str, set[str]]:
    packages: dict[str, set[str]] = {}
    for name, others in modules.items():
        packages.setdefault(package(name), set()).update({package(other) for other in others})
    return {name: others - {name} for name, others in packages.items()}


def test_every_package_has_its_layer() -> None:
    assert sorted(name for layer in LAYERS for name in layer) == sorted(of_packages(graph()))


def test_a_package_imports_lower_layers_alone() -> None:
    level = {name: number for number, layer in enumerate(LAYERS) for name in layer}
    against = [
        f"{name} imports {other}"
        for name, others in graph().items()
        for other in others
        if package(name) != package(other) and level[package(name)] <= level[package(other)]
    ]
    assert not against


def test_nothing_imports_in_a_circle() -> None:
    modules = graph()
    for imports in (modules, of_packages(modules)):
        assert len(list(TopologicalSorter(imports).static_order())) == len(imports)


def test_reading_a_run_imports_nothing_that_measures() -> None:
    packages = of_packages(graph())
    for reader in ("runs", "analysis", "checks", "export", "mapping"):
        reached, ahead = set(), [reader]
        while ahead:
            reached.add(found := ahead.pop())
            ahead += packages[found] - reached
        assert not reached & MEASURING, reader


def test_experiments_may_name_what_there_is() -> None:
    assert tuple(ORIGINS) == stacks.ORIGINS
    assert tuple(CONFIGURABLE) == stacks.CONFIGURABLE
    assert tuple(CLIENTS) == stacks.CLIENTS
