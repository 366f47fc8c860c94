"""The engine's protocol has one source: the types of the engine. What is made of them is not stale, and what
Python reads is in it."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from pronghorn import command, engine
from pronghorn.calibration.measured import Probes
from pronghorn.load.spec import LoadSpec
from pronghorn.model.flight import Flight
from pronghorn.model.load_report import LoadReport, Progress
from pronghorn.model.path import PathFigures, PathSpec
from pronghorn.model.trial import Counters, OriginConnection, OriginRequest, PageLoad
from pronghorn.policy import outcome

from ... import engine_protocol, overheard
from ...engine_protocol import FILE
from ..load import samples

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
CORPUS = ROOT / "fuzz" / "corpus" / "spec"

Json = dict[str, Any]

SCHEMA = engine_protocol.schema()

NOT_SPECIFICATIONS = {"empty", "no-path", "nothing", "unknown-key"}
"""Seeds of the fuzzer that no reader takes for a path."""

READS: dict[str, type[BaseModel]] = {
    "Hello": engine.Hello,
    "Described": PathFigures,
    "PageLoad": PageLoad,
    "LoadReport": LoadReport,
    "LoadProgress": Progress,
    "Closed": Counters,
    "ServedRequest": OriginRequest,
    "ServedConnection": OriginConnection,
    "Flight": Flight,
    "Calibration": Probes,
    "SimulationReport": outcome.Report,
    "PathReport": command.Outcome,
}
"""The models that read answers, by the type that they read."""

OUR_OWN = {
    "LinksDescribed": {"handover"},
    "LoadProgress": {"phase"},
    "PathCounters": {"arrivals", "qlog"},
    "PageLoad": {"ahead_s", "processes_cpu_s", "report", "vitals"},
    "ConnectionRecord": {"resolving_s"},
    "ResourceRecord": {"from_cache", "served_s"},
}
"""Keys that Python adds, that other clients than the engine's tell, or that a larger type beside it has."""


@pytest.mark.needs("engine")
def test_the_committed_schema_is_the_engines() -> None:
    told = subprocess.run([engine.locate(), "schema"], capture_output=True, text=True, check=True).stdout
    assert told == FILE.read_text(encoding="utf-8"), "it is stale: make protocol"


def test_the_page_is_made_of_the_schema() -> None:
    words = [sys.executable, str(ROOT / "scripts" / "protocol_page.py"), str(FILE)]
    made = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert made == (DOCS / "engine-protocol.md").read_text(encoding="utf-8"), "it is stale: make protocol"


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", ["engine.md", "engine-protocol.md"])
def test_every_link_to_a_section_of_the_protocols_pages_leads_there(name: str) -> None:
    pages = [*DOCS.glob("*.md"), ROOT / "CHANGELOG.md"]
    links = re.compile(rf"\]\((?:docs/)?{re.escape(name)}#([^)]*)\)")
    asked = {found for page in pages for found in links.findall(page.read_text(encoding="utf-8"))}
    asked |= set(re.findall(r"\]\(#([^)]*)\)", (DOCS / name).read_text(encoding="utf-8")))
    assert asked - anchors(DOCS / name) == set()


def properties(schema: Any) -> Iterator[tuple[str, Json]]:
    """Each key that a schema or a part of it names, with what it says of it."""
    if isinstance(schema, dict):
        named = schema.get("properties", {})
        yield from named.items()
        for part in schema.values():
            yield from properties(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from properties(part)


def kinds(schema: Json) -> set[str]:
    """The JSON types that a schema allows."""
    if "$ref" in schema:
        found: Json = SCHEMA
        for step in schema["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        return kinds(found)
    if "const" in schema or "enum" in schema:
        names = {bool: "boolean", int: "integer", str: "string", type(None): "null"}
        return {names[type(value)] for value in schema.get("enum", [schema.get("const")])}
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return {kind for each in schema[key] for kind in kinds(each)}
    types = schema.get("type", [])
    return {types} if isinstance(types, str) else set(types)


def test_a_congestion_control_has_one_shape_under_each_name() -> None:
    shapes: dict[str, set[str]] = {}
    for name, schema in properties(SCHEMA):
        if "congestion_control" in name:
            shapes.setdefault(name, set()).update(kinds(schema) - {"null"})
    assert shapes == {
        "congestion_control": {"object"},
        "tcp_congestion_control": {"string"},
        "tcp_congestion_control_by": {"string"},
        "tcp_congestion_controls": {"array"},
        "congestion_controls": {"array"},
        "congestion_controller": {"string"},
    }


def test_recorded_messages_are_as_the_schema_says() -> None:
    assert engine_protocol.faults("$defs/LoadReport", samples.REPORT) == []
    seeds = [seed for seed in CORPUS.iterdir() if seed.name not in NOT_SPECIFICATIONS]
    wrong = {
        seed.name: found
        for seed in seeds
        if (found := engine_protocol.faults("$defs/PathSpec", json.loads(seed.read_bytes())))
    }
    assert wrong == {}


def resolved(schema: Json, root: Json) -> Json:
    while "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def alternatives(schema: Json, root: Json) -> list[Json]:
    schema = resolved(schema, root)
    several = schema.get("anyOf") or schema.get("oneOf")
    return [one for each in several for one in alternatives(each, root)] if several else [schema]


def types(schema: Json, root: Json) -> set[str]:
    found: set[str] = set()
    for one in alternatives(schema, root):
        if "const" in one or "enum" in one:
            found |= kinds(one)
        else:
            said = one.get("type", ["anything"])
            found |= {said} if isinstance(said, str) else set(said)
    return found


def beyond(asked: set[str], allowed: set[str]) -> set[str]:
    if "anything" in allowed:
        return set()
    return asked - allowed - ({"integer"} if "number" in allowed else set())


def differences(model: Json, root: Json, told: Json, at: str) -> Iterator[str]:
    """Where what the engine tells of something is not what a model of Python reads there."""
    if missing := beyond(types(told, SCHEMA), types(model, root)):
        yield f"{at}: the engine tells {', '.join(sorted(missing))}, which the model doesn't take"
    for here in alternatives(told, SCHEMA):
        for there in alternatives(model, root):
            if "properties" in here and "properties" in there:
                yield from _keys(there, root, here, at)
            elif here.get("type") == there.get("type") == "array" and "items" in here and "items" in there:
                yield from differences(there["items"], root, here["items"], f"{at}[]")


def _keys(model: Json, root: Json, told: Json, at: str) -> Iterator[str]:
    name = next((name for name, schema in SCHEMA["$defs"].items() if schema is told), "")
    for key, schema in model["properties"].items():
        if key in told["properties"]:
            yield from differences(schema, root, told["properties"][key], f"{at}.{key}")
        elif key in model.get("required", ()):
            yield f"{at}.{key} is required, and the engine doesn't tell it"
        elif key not in OUR_OWN.get(name, ()):
            yield f"{at}.{key} is read, and the engine doesn't tell it"
    for key in set(model.get("required", ())) & set(told["properties"]) - set(told.get("required", ())):
        yield f"{at}.{key} is required, and the engine may leave it out"


@pytest.mark.parametrize("name", READS)
def test_a_model_reads_what_the_engine_tells(name: str) -> None:
    model = READS[name].model_json_schema(mode="validation")
    assert list(differences(model, model, SCHEMA["$defs"][name], name)) == []


def reached(name: str) -> set[str]:
    """The types of which a type is made, itself among them."""
    found, ahead = set(), {name}
    while ahead:
        one = ahead.pop()
        found.add(one)
        ahead |= set(re.findall(r'"#/\$defs/([^"]+)"', json.dumps(SCHEMA["$defs"][one]))) - found
    return found


@pytest.mark.parametrize(("name", "model"), [("PathSpec", PathSpec), ("LoadSpec", LoadSpec)])
def test_a_model_asks_for_keys_that_the_engine_knows(name: str, model: type[BaseModel]) -> None:
    known = {key for part in reached(name) for key, _ in properties(SCHEMA["$defs"][part])}
    asked = {key for key, _ in properties(model.model_json_schema(mode="serialization"))}
    assert asked - known == set()


def test_what_is_not_as_the_schema_says_is_told() -> None:
    request = {"id": 1, "op": "wait", "process": 1, "timeout_s": 0.5}
    whole = {"ok": {"status": None}}
    wrong: list[overheard.Exchange] = [
        (request | {"patience": 1}, whole),
        (request | {"timeout_s": "1"}, whole),
        ({"id": 1, "op": "wait", "process": 1}, whole),
        (request | {"op": "await"}, whole),
        (request, {"ok": {}}),
        (request, {"ok": {"status": "0"}}),
        (request, {"ok": {"status": 0, "signal": 9}}),
        (request, {"error": {"kind": "engine", "message": "it broke", "mend": None}}),
    ]
    assert [exchange for exchange in wrong if not list(overheard.faults([exchange]))] == []
    refused = {"error": {"kind": "input", "message": "unknown field", "mend": None}}
    assert list(overheard.faults([(request, whole), (request | {"patience": 1}, refused)])) == []


def test_every_operation_says_what_it_does() -> None:
    assert [
        name for name, operation in engine_protocol.operations().items() if len(operation["description"]) < 20
    ] == []
