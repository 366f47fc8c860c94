"""What curl gets, of its output with --include."""

from typing import NamedTuple


class Answer(NamedTuple):
    """One response as curl got it: `protocol` as 1.1, 2 or 3; headers by their names in small letters, the
    values of those that come twice as a list (RFC 9110, section 5.2)."""

    protocol: str
    status: int
    headers: dict[str, str]
    body: bytes


def parse(out: bytes) -> list[Answer]:
    """The responses one after the other; the last one's length need not be said."""
    found = []
    while out:
        head, _, rest = out.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        protocol, status = first.removeprefix("HTTP/").split(" ")[:2]
        headers: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(":")
            before = headers.get(name.lower())
            headers[name.lower()] = value.strip() if before is None else f"{before}, {value.strip()}"
        size = int(headers.get("content-length", len(rest)))
        found.append(Answer(protocol, int(status), headers, rest[:size]))
        out = rest[size:]
    return found
