"""What Python and the engine say to each other in a test, held against the protocol's schema in the end.

It is noted while the test runs and judged afterwards: judging takes CPU time, which would
disturb a measurement."""

import json
from collections.abc import Hashable, Iterator
from typing import Any

import pytest

from pronghorn.engine import Engine, EngineError

from . import engine_protocol

Exchange = tuple[dict[str, Any], dict[str, Any]]


def listen(monkeypatch: pytest.MonkeyPatch) -> list[Exchange]:
    """Notes each request that `Engine` makes from now on, with its answer."""
    heard: list[Exchange] = []
    asked = Engine.request

    async def request(self: Engine, op: str, **parameters: Any) -> dict[str, Any]:
        said = {name: value for name, value in parameters.items() if name != "patience_s"}
        message = json.loads(json.dumps({"id": 0, "op": op, **said}))
        try:
            ok = await asked(self, op, **parameters)
        except EngineError as refusal:
            error = {"kind": refusal.kind, "message": refusal.message, "mend": refusal.hint}
            heard.append((message, {"error": error}))
            raise
        heard.append((message, {"ok": ok}))
        return ok

    monkeypatch.setattr(Engine, "request", request)
    return heard


_judged: set[Hashable] = set()
"""The shapes of exchanges that this process has found to be as the schema says: judging one takes tens of
milliseconds, and tests have thousands."""


def shape(value: Any) -> Hashable:
    """What of a message the schema mostly judges: keys and types, of lists each shape of an entry once. A
    text counts as one, whatever it says: the tests of the protocol itself judge each message in full."""
    if isinstance(value, dict):
        return frozenset((key, shape(inner)) for key, inner in value.items())
    if isinstance(value, list):
        return ("list", frozenset(shape(inner) for inner in value))
    return type(value).__name__


def new_faults(heard: list[Exchange]) -> Iterator[str]:
    """As `faults`, of exchanges of a shape that this process hasn't judged yet."""
    for request, answer in heard:
        kind = answer["error"].get("kind") if "error" in answer else None
        sort = (request.get("op"), kind, shape(request), shape(answer))
        if sort not in _judged:
            _judged.add(sort)
            yield from faults([(request, answer)])


def faults(heard: list[Exchange]) -> Iterator[str]:
    """What isn't as the schema says, each once."""
    seen = set()
    for request, answer in heard:
        for fault in engine_protocol.faults_of_exchange(request, answer):
            if fault not in seen:
                seen.add(fault)
                yield f"{request['op']}: {fault}"
