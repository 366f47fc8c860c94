"""What the engine's protocol allows, by docs/engine-protocol.schema.json, and whether messages keep to it."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

FILE = Path(__file__).parents[1] / "docs" / "engine-protocol.schema.json"

_LONGEST = 300


@cache
def schema() -> dict[str, Any]:
    """The whole schema."""
    read: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return read


def operations() -> dict[str, Any]:
    """What is said of each operation, by its name."""
    found: dict[str, Any] = schema()["operations"]
    return found


@cache
def _validator(pointer: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/{pointer}", **schema()})


def faults(pointer: str, message: Any) -> list[str]:
    """Where a message isn't as the part of the schema at `pointer`, such as `$defs/PathSpec`, says."""
    return list(_told(pointer, message))


def _told(pointer: str, message: Any) -> Iterator[str]:
    # The alternatives of a type that has some are told one by one; the deepest says most.
    for error in _validator(pointer).iter_errors(message):
        deepest = max(_leaves(error), key=lambda one: len(one.absolute_path))
        place = "/".join(str(step) for step in deepest.absolute_path)
        yield f"{pointer}: /{place}: {deepest.message[:_LONGEST]}"


def _leaves(error: Any) -> Iterator[Any]:
    if not error.context:
        yield error
    for one in error.context or ():
        yield from _leaves(one)


def faults_of_request(request: dict[str, Any]) -> list[str]:
    """Where a request isn't as the schema says."""
    name = request.get("op")
    if name not in operations():
        return [f"there is no operation {name!r}"]
    return faults(f"operations/{name}/request", request)


def faults_of_answer(op: str, answer: dict[str, Any]) -> list[str]:
    """Where an answer isn't as the schema says: `ok` of the operation, or `error`."""
    if "error" in answer:
        return faults("error", answer["error"])
    return faults(f"operations/{op}/answer", answer["ok"])


def faults_of_exchange(request: dict[str, Any], answer: dict[str, Any]) -> list[str]:
    """Where the two aren't as the schema says. What it doesn't allow must have been refused as `input`."""
    op = request["op"]
    found = faults_of_answer(op, answer) if op in operations() or "error" in answer else []
    refused = "error" in answer and answer["error"].get("kind") == "input"
    return found if refused else [*faults_of_request(request), *found]
