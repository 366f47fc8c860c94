"""What curl gets, of its output with --include."""

from typing import NamedTuple


class Answer(NamedTuple):
    """One response as curl got it: `protocol` as 1.1, 2 or 3; headers by their names in small letters."""

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
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        size = int(headers.get("content-length", len(rest)))
        found.append(Answer(protocol, int(status), headers, rest[:size]))
        out = rest[size:]
    return found
