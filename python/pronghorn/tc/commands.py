"""A text to tc's commands: a whole script's lines, or no more than what a discipline is and does.

Each command sets a queueing discipline or a class at a place: of which device, under which parent, and with
which handle of its own."""

import re
import shlex
from typing import NamedTuple

from pronghorn.errors import InputError, unknown
from pronghorn.tc.netem import KEYWORDS
from pronghorn.tc.options import OPTION

DISCIPLINES = ("netem", "tbf", "htb", "pfifo", "bfifo", "codel", "fq_codel")
"""The disciplines that can be translated."""

OTHERS = (
    *(
        "cake",
        "cbq",
        "cbs",
        "choke",
        "clsact",
        "drr",
        "dualpi2",
        "ets",
        "fq",
        "fq_pie",
        "gred",
        "hfsc",
        "hhf",
    ),
    *("ingress", "mq", "mqprio", "multiq", "noqueue", "pfifo_fast", "pie", "plug", "prio", "qfq", "red"),
    *("sfb", "sfq", "skbprio", "taprio", "etf", "teql0", "bfq"),
)
"""Those that can't."""

_SETTING = ("add", "change", "replace", "link")
_NOT_SETTING = ("del", "delete", "show", "list", "ls", "lst")
_LEADING_IN = {"ingress", "clsact", "mirred"}
"""The command that leads incoming packets to a device such as ifb0, whose own commands are read."""

_PARTS = re.compile(r"\n|;|&&|\|\|")
_REDIRECTION = re.compile(r"\s\d?>+\s*(&\d|\S+)")


class Command(NamedTuple):
    """What one command sets: a `discipline` with its `words`; a class of htb has a `classid`. A command
    without `tc` in front has no place."""

    discipline: str
    words: tuple[str, ...]
    device: str = ""
    parent: str = ""
    handle: str = ""
    classid: str = ""


def parsed(text: str) -> list[Command]:
    """The commands of `text`, in order. Passed over is what takes something away, what leads incoming packets
    to a device of their own (`ingress`, `mirred`), and in a script what isn't tc. InputError where one can't
    be read, or nothing is set."""
    parts = [
        (words, part.strip()) for part in _PARTS.split(text.replace("\\\n", " ")) if (words := _words(part))
    ]
    script = any(_is_tc(words) for words, _ in parts)
    ours = [(words, part) for words, part in parts if _is_tc(words) or not script]
    found = [command for words, part in ours if (command := _command(words, part)) is not None]
    if not found:
        raise InputError(
            f"{OPTION} {text.strip()!r}: this sets nothing.",
            hint=f"Write what tc adds: {OPTION} 'netem delay 100ms 20ms loss 0.3%'",
        )
    return found


def _is_tc(words: list[str]) -> bool:
    return words[0].rpartition("/")[2] == "tc"


def _words(part: str) -> list[str]:
    try:
        words = shlex.split(_REDIRECTION.sub("", f" {part} "), comments=True)
    except ValueError as error:
        raise InputError(f"{OPTION} {part.strip()!r}: {error}.") from None
    for word in words:
        if re.search(r"[$`{}<>]", word):
            raise InputError(
                f"{OPTION}: {word!r} is a placeholder for a value from a script or a person.",
                hint=f"Write the value itself: {OPTION} 'netem delay 100ms'",
            )
    while words[:1] == ["sudo"]:
        del words[0]
    return words


def _command(words: list[str], part: str) -> Command | None:
    if _is_tc(words):
        words = words[1:]
        while words and words[0].startswith("-"):
            del words[0]
        if len(words) > 1 and words[1] in _NOT_SETTING:
            return None
        if _LEADING_IN & set(words):
            return None
        if words[:1] == ["filter"]:
            raise InputError(
                f"{OPTION} {part!r}: tc filter selects packets, but a path treats all packets of a "
                "link alike.",
                hint="Leave it out if it selects everything. For UDP only, write down.udp and up.udp.",
            )
        if len(words) < 2 or words[0] not in ("qdisc", "class") or words[1] not in _SETTING:
            raise InputError(f"{OPTION} {part!r}: {OPTION} reads 'tc qdisc add' and 'tc class add'.")
        return _placed(words[0] == "class", words[2:], part)
    if words[:2] == ["qdisc", "add"] or words[0] in ("dev", "root"):
        return _placed(False, words[2:] if words[0] == "qdisc" else words, part)
    return Command(_discipline(words[0], part), tuple(words[1:]))


def _placed(is_class: bool, words: list[str], part: str) -> Command:
    place = {"dev": "", "parent": "", "handle": "", "classid": ""}
    while words:
        word = words.pop(0)
        if word == "root":
            place["parent"] = word
        elif word in place:
            if not words:
                raise InputError(f"{OPTION} {part!r}: {word!r} lacks its value.")
            place[word] = words.pop(0)
        else:
            discipline = _discipline(word, part)
            if is_class and discipline != "htb":
                raise InputError(f"{OPTION} {part!r}: only htb's classes are supported.")
            return Command(
                discipline, tuple(words), place["dev"], place["parent"], place["handle"], place["classid"]
            )
    raise InputError(f"{OPTION} {part!r}: this names no discipline, such as netem.")


def _discipline(word: str, part: str) -> str:
    if word in DISCIPLINES:
        return word
    if any(word and each.startswith(word) for each in KEYWORDS):
        raise InputError(
            f"{OPTION} {part!r}: {word!r} is an option of netem.", hint=f"Write: {OPTION} 'netem {part}'"
        )
    if word in OTHERS:
        raise InputError(
            f"{OPTION} {part!r}: a path has no stage for {word}.",
            hint=f"It reads {', '.join(DISCIPLINES)}.",
        )
    raise InputError(f"{OPTION} {part!r}: {unknown('discipline', word, DISCIPLINES)}")
