"""What servers answer in a replay: `answers.json`, and the bodies beside it.

`crates/origin/src/recorded` reads both."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pronghorn.sites.archive import Archive, Exchange
from pronghorn.sites.hosts import Host
from pronghorn.sites.replay import headers

FILE = "answers.json"
BODIES = "bodies"


class Answer(NamedTuple):
    """One recorded answer, and what is asked for it: `target` is path and query, `body` its file's name in
    the folder of bodies, `think_s` what the server took for it."""

    host: str
    method: str
    target: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: str | None
    think_s: float


def write(
    archive: Archive, thought: Iterable[tuple[Exchange, float]], hosts: Mapping[str, Host], root: Path
) -> list[Answer]:
    """Writes answers and their bodies into `root`, and gives them; the server takes so many seconds for each.
    The folder of bodies is there, with those that the archive lacks. InputError where a body isn't what its
    name says, OSError where nothing can be written."""
    thought = list(thought)
    answers = [_answer(one, hosts[one.target.host], think_s) for one, think_s in thought]
    for digest in {one.body for one, _ in thought if one.body is not None}:
        if not (root / BODIES / digest).exists():
            (root / BODIES / digest).write_bytes(archive.body(digest))
    told = [one._asdict() for one in answers]
    (root / FILE).write_text(json.dumps(told, separators=(",", ":")), encoding="utf-8")
    return answers


def read(root: Path) -> list[Answer]:
    """The answers that `write` left."""
    told = json.loads((root / FILE).read_text(encoding="utf-8"))
    return [
        Answer(**{**one, "headers": tuple((name, value) for name, value in one["headers"])}) for one in told
    ]


def _answer(one: Exchange, host: Host, think_s: float) -> Answer:
    sent = headers.answered(one.headers, h3=host.highest == "h3", head=one.method == "HEAD")
    return Answer(
        host=host.name,
        method=one.method,
        target=one.target.path,
        status=one.status,
        headers=tuple(sent),
        body=one.body,
        think_s=think_s,
    )


def think_times(archive: Archive, exchanges: Sequence[Exchange]) -> dict[int, float]:
    """How long the recorded servers took for each of all exchanges, by their ids: how long it waited for the
    answer beyond a round trip to its host."""
    round_trips = _round_trips(archive, exchanges)
    return {one.id: round(max(0.0, one.wait_s - round_trips[one.target.host]), 6) for one in exchanges}


def _round_trips(archive: Archive, exchanges: Iterable[Exchange]) -> dict[str, float]:
    """Each host's round trip when it was recorded: as noted, or else its shortest wait, of which nothing is
    then its server's."""
    shortest: dict[str, float] = {}
    for one in exchanges:
        host = one.target.host
        shortest[host] = min(shortest.get(host, one.wait_s), one.wait_s)
    noted = {name: archive.site.hosts[name].rtt_s for name in shortest}
    return {
        name: wait_s if noted[name] is None else float(noted[name] or 0.0)
        for name, wait_s in shortest.items()
    }
