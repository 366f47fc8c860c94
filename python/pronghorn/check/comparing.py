"""What the same page is over two protocols, apart from what changes between any two responses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pronghorn.check.facts import Answer

HEADERS = (
    "access-control-allow-origin",
    "cache-control",
    "content-encoding",
    "content-language",
    "content-security-policy",
    "content-type",
    "cross-origin-embedder-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "location",
    "permissions-policy",
    "referrer-policy",
    "strict-transport-security",
    "vary",
    "x-content-type-options",
    "x-frame-options",
)
"""The headers by which a browser shows a page differently."""

LEAST = 2
"""How many responses each protocol must have given to be compared."""

SURE = 8
"""How many each must have given before a difference counts. If two machines of a host took requests by
chance, and served two versions, this would be wrong in 3 of 100 000 checks."""


@dataclass(frozen=True)
class Difference:
    """`what` differs (`status`, `body`, or a header's name): its values over each."""

    what: str
    one: str
    other: str


def differences(one: Sequence[Answer], other: Sequence[Answer]) -> Iterator[Difference]:
    """What is the same in all responses of a protocol, and not the same in those of the other."""
    if min(len(one), len(other)) < LEAST:
        return
    for what in ("status", *HEADERS, "body"):
        seen = [{_value(answer, what) for answer in answers} for answers in (one, other)]
        if all(len(values) == 1 for values in seen) and seen[0] != seen[1]:
            first, second = seen[0].pop(), seen[1].pop()
            if what != "body" or (first and second):
                yield Difference(what, _told(one, what, first), _told(other, what, second))


def stable(answers: Sequence[Answer]) -> bool:
    """Whether all bodies are the same, and were read to their end."""
    return len({answer.digest for answer in answers}) == 1 and answers[0].digest is not None


def _value(answer: Answer, what: str) -> str:
    match what:
        case "status":
            return str(answer.status)
        case "body":
            return answer.digest or ""
    return ", ".join(answer.all(what))


def _told(answers: Sequence[Answer], what: str, value: str) -> str:
    return f"{answers[0].size_bytes} bytes" if what == "body" else value
