"""Modules of a Rust crate import one way: what imports in a circle lies in one folder."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

CRATES = Path(__file__).parents[3] / "crates"

Name = tuple[str, ...]
"""Where something stands in its crate, from the crate's root: `("state", "entry", "Entry")`."""

# What says nothing about imports: comments, literals, and the tests within a file.
NOISE = re.compile(
    r"//[^\n]*|/\*.*?\*/|b?r(#*)\".*?\"\1|b?\"(?:\\.|[^\"\\])*\"|b?'(?:\\.[^']*|[^\\'])'", re.DOTALL
)
TESTS = re.compile(
    r"#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([a-z]+\))?\s+)?(?:mod|fn|impl|use)\b[^{;]*"
)
USE = re.compile(r"\buse ([^;]+;)")
PATH = re.compile(r"(?<![:\w])\w+(?:::\w+)+")
WORDS = re.compile(r"::|[{},;*]|\w+")


@dataclass
class Module:
    file: Path
    text: str
    names: dict[str, Name] = field(default_factory=dict)
    """What its `use` statements bring in, by the name that it has here."""
    whole: list[Name] = field(default_factory=list)
    """Modules that it imports with `*`."""


def without_tests(text: str) -> str:
    while found := TESTS.search(text):
        end = found.end()
        if text[end] == "{":
            depth = 1
            while depth:
                end += 1
                depth += {"{": 1, "}": -1}.get(text[end], 0)
        text = text[: found.start()] + text[end + 1 :]
    return text


def read(source: Path) -> dict[Name, Module]:
    """The modules of a crate, but for those of its tests."""
    found = {}
    ahead: list[tuple[Name, Path]] = [
        ((), source / name) for name in ("lib.rs", "main.rs") if (source / name).exists()
    ]
    while ahead:
        name, file = ahead.pop()
        text = without_tests(NOISE.sub('""', file.read_text(encoding="utf-8")))
        found[name] = Module(file, text)
        folder = file.parent if file.stem in ("lib", "main", "mod") else file.with_suffix("")
        for child in re.findall(r"\bmod (\w+);", text):
            paths = (folder / f"{child}.rs", folder / child / "mod.rs")
            ahead.append(((*name, child), next(path for path in paths if path.exists())))
    return found


def leaves(tokens: list[str]) -> Iterator[tuple[list[str], str]]:
    """The paths of a `use` statement, each with the name that it is known by."""
    path: list[str] = []
    while tokens and tokens[0] not in "},;":
        match tokens.pop(0):
            case "::":
                pass
            case "as":
                yield path, tokens.pop(0)
                return
            case "{":
                while tokens[0] != "}":
                    for rest, name in leaves(tokens):
                        yield (
                            [*path, *([] if rest == ["self"] else rest)],
                            path[-1] if rest == ["self"] else name,
                        )
                    if tokens[0] == ",":
                        tokens.pop(0)
                tokens.pop(0)
                return
            case word:
                path.append(word)
    if path:
        yield path, path[-1]


def absolute(path: list[str], at: Name, crate: dict[Name, Module]) -> Name | None:
    """A path as it stands in module `at`, from the crate's root; None where it leads out of the crate."""
    if path[0] == "crate":
        return tuple(path[1:])
    if path[0] in ("self", "super"):
        ups = sum(word == "super" for word in path)
        return (*at[: len(at) - ups], *(word for word in path if word not in ("self", "super")))
    if (*at, path[0]) in crate:
        return (*at, *path)
    known = crate[at].names.get(path[0])
    return (*known, *path[1:]) if known is not None else None


def definer(name: Name, crate: dict[Name, Module]) -> Name:
    """The module in which what `name` names is defined, whoever re-exports it."""
    module = next(name[:length] for length in range(len(name), -1, -1) if name[:length] in crate)
    rest = name[len(module) :]
    if rest and rest[0] in crate[module].names:
        return definer((*crate[module].names[rest[0]], *rest[1:]), crate)
    for other in crate[module].whole if rest else ():
        if re.search(rf"\b(?:struct|enum|fn|const|type|trait)\s+{rest[0]}\b", crate[other].text):
            return other
    return module


def imports(source: Path) -> dict[Path, set[Path]]:
    """Which files of a crate each of its files imports."""
    crate = read(source)
    for at, module in crate.items():
        for statement in USE.findall(module.text):
            for path, name in leaves(WORDS.findall(statement)):
                if (target := absolute([word for word in path if word != "*"], at, crate)) is None:
                    continue
                if path[-1] == "*":
                    module.whole.append(target)
                elif target != (*at, name):
                    module.names[name] = target
    files = {}
    for at, module in crate.items():
        paths = [path.split("::") for path in PATH.findall(USE.sub("", module.text))]
        paths += [
            path for statement in USE.findall(module.text) for path, _ in leaves(WORDS.findall(statement))
        ]
        used = [target for path in paths if (target := absolute(path, at, crate)) is not None]
        files[module.file] = {crate[definer(name, crate)].file for name in used} - {module.file}
    return files


def folder(file: Path) -> Path:
    """A module with children lies with them, however its file is called."""
    return file.with_suffix("") if file.with_suffix("").is_dir() else file.parent


def components(graph: dict[Path, set[Path]]) -> list[set[Path]]:
    """Sets of two or more files that all lead to each other (Kosaraju 1978)."""
    order: list[Path] = []
    back: dict[Path, set[Path]] = {file: set() for file in graph}
    for file, others in graph.items():
        for other in others:
            back[other].add(file)

    def walk(start: Path, edges: dict[Path, set[Path]], seen: set[Path], last: list[Path]) -> None:
        seen.add(start)
        for other in edges[start] - seen:
            if other not in seen:
                walk(other, edges, seen, last)
        last.append(start)

    seen: set[Path] = set()
    for file in graph:
        if file not in seen:
            walk(file, graph, seen, order)
    found: list[list[Path]] = []
    seen = set()
    for file in reversed(order):
        if file not in seen:
            part: list[Path] = []
            walk(file, back, seen, part)
            found.append(part)
    return [set(part) for part in found if len(part) > 1]


def circles(source: Path) -> list[str]:
    """Sets of modules that import each other in a circle and lie in several folders."""
    across = [part for part in components(imports(source)) if len({folder(file) for file in part}) > 1]
    return [" ".join(sorted(str(file.relative_to(source)) for file in part)) for part in across]


@pytest.mark.parametrize("crate", sorted(path.parent.name for path in CRATES.glob("*/src")))
def test_modules_import_each_other_within_one_folder_alone(crate: str) -> None:
    assert not circles(CRATES / crate / "src")


def test_a_layout_imports_no_rule_that_imports_it() -> None:
    """The decision core: what lies in shared memory knows nothing of what is made of it."""
    for file, others in imports(CRATES / "policy" / "src").items():
        if folder(file).name == "state":
            assert not {folder(other).name for other in others} & {"estimate", "rules"}, file


def made(folder: Path, **modules: str) -> Path:
    for name, text in modules.items():
        file = folder / f"{name.replace('__', '/')}.rs"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "turned",
    [
        "use crate::rules::Steering;",
        "fn f() -> crate::rules::steer::Steering { todo!() }",
        "use crate::{rules::{steer::*}};",
    ],
)
def test_one_arrow_that_is_turned_makes_a_circle(tmp_path: Path, turned: str) -> None:
    files = {
        "lib": "mod entry; mod rules; pub use rules::Steering;",
        "rules__mod": "mod steer; pub(crate) use steer::Steering;",
        "rules__steer": "use crate::entry::Entry; pub struct Steering(Entry);",
    }
    straight = made(tmp_path / "straight", entry="// use crate::rules::Steering;\npub struct Entry;", **files)
    assert not circles(straight)
    tests = f"#[cfg(test)]\nmod tests {{ {turned} }}\npub struct Entry;"
    assert not circles(made(tmp_path / "in_tests", entry=tests, **files))
    assert circles(made(tmp_path / "turned", entry=turned, **files))
