"""What befalls a text on a disk or in a foreign program's hands, by a seed."""

import json
from collections.abc import Callable
from random import Random
from typing import Any

STRANGE: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    10**30,
    2**63,
    -(2**70),
    -1e300,
    1e300,
    1e-320,
    float("nan"),
    float("inf"),
    "",
    "7",
    "\x00\x1b[2J",
    "\ud800",
    [],
    {},
    [[[]]],
    {"": {"": None}},
)
"""Values that no field has."""

DEPTH = 300_000


def mutated(line: bytes, random: Random) -> bytes:
    """The line, or what was JSON of several, after one or more of them."""
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        line = random.choice(MUTATIONS)(line, random)
    return line


def _flipped(line: bytes, random: Random) -> bytes:
    changed = bytearray(line or b" ")
    for _ in range(random.randint(1, 4)):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _cut(line: bytes, random: Random) -> bytes:
    return line[: random.randrange(len(line) + 1)]


def _without_a_part(line: bytes, random: Random) -> bytes:
    begin, end = sorted(random.randrange(len(line) + 1) for _ in range(2))
    return line[:begin] + line[end:]


def _with_a_part_twice(line: bytes, random: Random) -> bytes:
    begin, end = sorted(random.randrange(len(line) + 1) for _ in range(2))
    return line[:end] + line[begin:end] + line[end:]


def _with_rubbish(line: bytes, random: Random) -> bytes:
    place = random.randrange(len(line) + 1)
    rubbish = random.choice((b"\x00" * 9, b"\xff\xfe", b"\r", b"\xef\xbb\xbf", random.randbytes(40)))
    return line[:place] + rubbish.replace(b"\n", b"") + line[place:]


def _with_a_mark(line: bytes, random: Random) -> bytes:  # noqa: ARG001
    return b"\xef\xbb\xbf" + line


def _nested(line: bytes, random: Random) -> bytes:
    opened = random.choice((b"[", b'{"a":'))
    place = line.rfind(b":", 0, random.randrange(1, len(line) + 1) if line else 0) + 1
    return line[:place] + opened * DEPTH + line[place:]


def _with_another_value(line: bytes, random: Random) -> bytes:
    def change(parent: Any, key: Any) -> None:
        parent[key] = random.choice(STRANGE)

    return _at_a_place(line, random, change)


def _without_a_key(line: bytes, random: Random) -> bytes:
    def change(parent: Any, key: Any) -> None:
        del parent[key]

    return _at_a_place(line, random, change)


def _with_a_key_more(line: bytes, random: Random) -> bytes:
    def change(parent: Any, key: Any) -> None:
        if isinstance(parent, dict):
            parent[f"{key}_"] = random.choice(STRANGE)
        else:
            parent.append(random.choice(STRANGE))

    return _at_a_place(line, random, change)


def _with_a_key_twice(line: bytes, random: Random) -> bytes:
    if not line.startswith(b"{"):
        return line
    return (
        b'{"' + random.choice((b"status", b"metrics", b"type", b"warnings", b"load_s")) + b'":{},' + line[1:]
    )


def _at_a_place(line: bytes, random: Random, change: Callable[[Any, Any], None]) -> bytes:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return line
    places = list(_places(value))
    if not places:
        return line
    change(*random.choice(places))
    return json.dumps(value).encode()


def _places(value: Any) -> Any:
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


MUTATIONS = (
    _flipped,
    _cut,
    _without_a_part,
    _with_a_part_twice,
    _with_rubbish,
    _with_a_mark,
    _nested,
    _with_another_value,
    _with_another_value,
    _with_another_value,
    _with_another_value,
    _without_a_key,
    _with_a_key_more,
    _with_a_key_twice,
)


def mutated_lines(content: bytes, random: Random) -> bytes:
    """A file of lines in which some were mutated, swapped, doubled, lost or run together."""
    lines = content.removesuffix(b"\n").split(b"\n")
    for _ in range(random.randint(1, 3)):
        place, other = random.randrange(len(lines)), random.randrange(len(lines))
        fate = random.randrange(10)
        if fate == 0:
            lines[place], lines[other] = lines[other], lines[place]
        elif fate == 1:
            lines.insert(other, lines[place])
        elif fate == 2 and len(lines) > 2:
            del lines[place]
        elif fate == 3:
            lines[place] = lines[place] + lines[other]
        elif fate == 4:
            lines[place] = lines[place] + b"\r"
        else:
            lines[place] = mutated(lines[place], random)
    return b"\n".join(lines) + random.choice((b"\n", b"\n", b"", b"\n\n"))
