"""Prints docs/engine-protocol.md, made of the protocol's JSON Schema: `protocol_page.py SCHEMA`."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Schema = dict[str, Any]

HEAD = """\
# The engine's protocol

Look up here what `pronghorn-engine` can be asked and what it answers. [engine.md](engine.md) explains what it
then does.

`make protocol` makes this page from the types in `crates/`; an edit here is lost. The same as JSON Schema is
in [engine-protocol.schema.json](engine-protocol.schema.json); `pronghorn-engine schema` prints it.

The engine reads one JSON object a line on stdin and writes one a line to stdout. It answers requests in their
order.

    {"id": 1, "op": "wait", "process": 3, "timeout_s": 0.5}
    {"id": 1, "ok": {"status": null}}
    {"id": 1, "error": {"kind": "input", "message": "no process 3 was spawned in this bench", "mend": null}}

- Times are seconds, unless a name ends in `_ns` (nanoseconds) or `_ms` (milliseconds). Rates are bits per
  second, sizes bytes.
- A parameter without a default must be given. A key that isn't listed is refused.
- An answer has all keys that are listed, unless a description says when one is absent.
"""

OF_FORMAT = {"double": "number", "float": "number", "ip": "IP address", "ipv4": "IPv4 address"}


def anchor(heading: str) -> str:
    """The anchor that Markdown's readers give a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def link(name: str) -> str:
    """A link to a type."""
    return f"[{name}](#{anchor(name)})"


def kind(schema: Schema | bool) -> str:
    """What a value is, in few words."""
    if isinstance(schema, bool) or not schema:
        return "anything"
    if "$ref" in schema:
        return link(schema["$ref"].rsplit("/", 1)[1])
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(kind(each) for each in schema[key])
    if "allOf" in schema:
        return " and ".join(kind(each) for each in schema["allOf"])
    types = schema.get("type", "anything")
    return " or ".join(_kind(each, schema) for each in ([types] if isinstance(types, str) else types))


def _kind(name: str, schema: Schema) -> str:
    if name == "array":
        if "prefixItems" in schema:
            return "[" + ", ".join(kind(each) for each in schema["prefixItems"]) + "]"
        inner = kind(schema.get("items", True))
        if schema.get("minItems") == schema.get("maxItems") is not None:
            return "[" + ", ".join([inner] * schema["minItems"]) + "]"
        return f"[{inner}]"
    if name == "object":
        if isinstance(values := schema.get("additionalProperties"), dict):
            return f"{{name: {kind(values)}}}"
        if patterns := schema.get("patternProperties"):
            return f"{{number: {kind(next(iter(patterns.values())))}}}"
        if "properties" in schema:
            return (
                "{"
                + ", ".join(f"`{key}`: {kind(value)}" for key, value in schema["properties"].items())
                + "}"
            )
        return "`{}`"
    return OF_FORMAT.get(str(schema.get("format")), name) if name != "null" else "null"


def default(schema: Schema) -> str:
    """What stands for a key that is left out."""
    if "default" in schema:
        return json.dumps(schema["default"])
    return "null" if _is_nullable(schema) else "[]" if schema.get("type") == "array" else "{}"


def _is_nullable(schema: Schema) -> bool:
    types = schema.get("type", ())
    alternatives = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    return types == "null" or "null" in types or any(_is_nullable(each) for each in alternatives)


def words(schema: Schema) -> str:
    """The description, as one line of a table."""
    text = re.sub(r"\s+", " ", schema.get("description", "")).strip()
    text = re.sub(r"\(([a-z-]+\.md)\)", r"([\1](\1))", text)
    return text.replace("|", "\\|")


def keys(schema: Schema, *, asked: bool, without: tuple[str, ...] = ()) -> Iterator[str]:
    """A table of an object's keys."""
    named = {name: value for name, value in schema.get("properties", {}).items() if name not in without}
    if not named:
        yield "None."
        return
    yield "| key | type | default | |" if asked else "| key | type | |"
    yield "|---|---|---|---|" if asked else "|---|---|---|"
    for name, value in named.items():
        said = [f"`{name}`", kind(value)]
        if asked:
            required = name in schema.get("required", ())
            said.append("" if required else f"`{default(value)}`")
        yield "| " + " | ".join([*said, words(value)]) + " |"


def definition(schema: Schema, *, asked: bool) -> Iterator[str]:
    """What a type allows."""
    if "properties" in schema:
        yield from keys(schema, asked=asked)
    elif any(key in schema for key in ("oneOf", "anyOf")):
        variants = schema.get("oneOf") or schema["anyOf"]
        singles = [each for each in variants if not each.get("properties")]
        if tagged := [each for each in variants if _is_tagged(each)]:
            yield "| key | type | |"
            yield "|---|---|---|"
            for each in tagged:
                ((name, value),) = each["properties"].items()
                yield f"| `{name}` | {kind(value)} | {words(each)} |"
            yield ""
        if singles:
            yield "| value | |"
            yield "|---|---|"
            yield from (f"| {kind(each)} | {words(each)} |" for each in singles)
        for each in variants:
            if each.get("properties") and each not in tagged:
                yield from ("", *_lines(each), "")
                yield from keys(each, asked=asked)
    else:
        yield f"{kind(schema)}."


def _is_tagged(schema: Schema) -> bool:
    """Whether it is a variant of an enumeration that is told by its only key."""
    named = schema.get("properties", {})
    return len(named) == 1 and all("const" not in value for value in named.values())


def _lines(schema: Schema) -> Iterator[str]:
    fixed = [f"`{name}` is {kind(value)}" for name, value in schema["properties"].items() if "const" in value]
    text = words(schema)
    yield " ".join(filter(None, [f"**{', '.join(fixed)}.**" if fixed else "", text])) or "Or:"


def asked_types(schema: Schema) -> set[str]:
    """The types that requests are made of."""
    definitions = schema["$defs"]
    ahead = [operation["request"] for operation in schema["operations"].values()]
    ahead += [mode["request"] for mode in schema["modes"].values()]
    found: set[str] = set()
    while ahead:
        for name in re.findall(r'"#/\$defs/([^"]+)"', json.dumps(ahead.pop())):
            if name not in found:
                found.add(name)
                ahead.append(definitions[name])
    return found


def told_once(schema: Schema) -> set[str]:
    """The types that one operation answers and nothing else has: they stand with it."""
    everywhere = re.findall(r'"#/\$defs/([^"]+)"', json.dumps(schema))
    answers = re.findall(
        r'"#/\$defs/([^"]+)"',
        json.dumps([operation["answer"] for operation in schema["operations"].values()]),
    )
    return {name for name in answers if everywhere.count(name) == 1}


def page(schema: Schema) -> Iterator[str]:
    """The page, line by line."""
    inlined = told_once(schema)
    yield from HEAD.splitlines()
    yield from ("", "## Operations", "", "| op | |", "|---|---|")
    for name, operation in schema["operations"].items():
        yield f"| [`{name}`](#{anchor(name)}) | {words(operation).split('. ')[0].rstrip('.')}. |"
    for name, operation in schema["operations"].items():
        yield from ("", f"### {name}", "", words(operation), "", "Parameters:", "")
        yield from keys(operation["request"], asked=True, without=("id", "op"))
        name = operation["answer"]["$ref"].rsplit("/", 1)[1]
        if name in inlined:
            answer = schema["$defs"][name]
            yield from ("", f"Answer: {words(answer)}".rstrip(), "")
            yield from keys(answer, asked=False)
        elif "properties" not in schema["$defs"][name]:
            yield from ("", f"Answer: {kind(schema['$defs'][name])}.")
        else:
            yield from ("", f"Answer: {link(name)}.")
    yield from ("", f"An error is {kind(schema['error'])}.", "", "## Modes", "")
    yield "`pronghorn-engine MODE` does one thing and ends. [engine.md](engine.md#modes) explains how."
    yield from ("", "| mode | reads | writes |", "|---|---|---|")
    for name, mode in schema["modes"].items():
        written = " or ".join(kind(value) for key, value in mode.items() if key != "request")
        yield f"| `{name}` | {kind(mode['request'])} | {written} |"
    yield from ("", "## Types")
    asked = asked_types(schema)
    for name, value in sorted(schema["$defs"].items()):
        if name in inlined or kind(value) == "`{}`":
            continue
        yield from ("", f"### {name}", "")
        if text := words(value):
            yield from (text, "")
        yield from definition(value, asked=name in asked)


def main() -> None:
    schema = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(page(schema))).rstrip() + "\n"
    anchors = [anchor(heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
    if twice := {name for name in anchors if anchors.count(name) > 1}:
        sys.exit(
            f"two headings have the anchor {', '.join(sorted(twice))}: rename a type by #[schemars(rename)]"
        )
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
