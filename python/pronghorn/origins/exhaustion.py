"""What a server says when it has no room for another connection, and the mend.

A client sees refused or reset connections alone, which look like a fault of the protocol."""

from typing import NamedTuple


class _Lack(NamedTuple):
    """What stands in a server's log, in lower case, and what it means."""

    said: str
    means: str


_LACKS = (
    _Lack(
        "worker_connections are not enough",
        "nginx ran out of worker_connections. A connection over HTTP/3 takes one for itself and one for "
        "each of its streams, five or more in all. Use 'nginx:tuned', which has more, your own "
        "configuration (nginx:FILE), or fewer connections",
    ),
    _Lack(
        "too many open files",
        "the server ran out of file descriptors. Raise the limit (ulimit -n) of the shell that starts "
        "the run, or use fewer connections",
    ),
)


def hint(lines: str) -> str | None:
    """What the last `lines` of a server say that it lacked, with the mend; None where they say nothing of
    it."""
    said = lines.lower()
    return next((lack.means for lack in _LACKS if lack.said in said), None)
