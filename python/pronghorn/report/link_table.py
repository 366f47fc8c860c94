"""What a path did to the packets of one command, for a person."""

from typing import Literal

from rich.table import Table

from pronghorn.analysis.numbers import count, seconds
from pronghorn.command import Outcome
from pronghorn.model.trial import LinkCounters
from pronghorn.terminal import Terminal

_ALWAYS = {"packets_in": "packets in", "packets_out": "packets out", "lost": "lost"}
_WHERE_ANY = {
    "queue_dropped": "dropped by the queue",
    "aqm_dropped": "dropped by AQM",
    "policed": "dropped by policing",
    "outage_dropped": "dropped in an outage",
    "too_big": "beyond the MTU",
    "udp_dropped": "UDP dropped",
    "nat_dropped": "dropped by the NAT",
    "left_behind": "left behind by the handover",
    "marked": "marked (ECN)",
    "duplicated": "duplicated",
    "corrupted": "corrupted",
    "reordered": "reordered",
    "ring_dropped": "dropped by the device, not by the path",
    "malformed": "malformed",
    "held": "still in flight",
}


def render(outcome: Outcome, console: Terminal) -> None:
    """Prints both links' counters: `down` towards the command, `up` from it."""
    down, up = outcome.counters.down, outcome.counters.up
    if down is None or up is None:
        return
    table = Table(box=None, padding=(0, 2, 0, 0), title_justify="left")
    table.add_column("path", justify="left")
    table.add_column("down", justify="right")
    table.add_column("up", justify="right")
    for key, name in (_ALWAYS | _WHERE_ANY).items():
        counts = [getattr(link, key) for link in (down, up)]
        if key in _ALWAYS or any(counts):
            table.add_row(name, *map(str, counts))
    table.add_row("bytes out", str(down.bytes_out), str(up.bytes_out))
    table.add_row("late, median", _late(down, "median_s"), _late(up, "median_s"))
    table.add_row("late, 99 %", _late(down, "p99_s"), _late(up, "p99_s"))
    console.print(table)
    console.print(_closing(outcome), soft_wrap=True)


def _late(link: LinkCounters, figure: Literal["median_s", "p99_s"]) -> str:
    return seconds(getattr(link.lateness, figure)) if link.lateness.count else "–"


def _closing(outcome: Outcome) -> str:
    words = [f"seed {outcome.seed}", f"TCP {outcome.congestion_control}", f"level {outcome.level}"]
    if outcome.server_status is not None:
        words.append(f"the far side's program ended early with status {outcome.server_status}")
    if (captured := outcome.counters.capture) and not captured.fault:
        words.append(
            f"captured {count(captured.packets, 'record')} and {count(captured.secrets, 'TLS secret')}"
        )
        if captured.lost_records:
            words.append(
                f"which lacks {captured.lost_records} records: they could not be written fast enough"
            )
    return ", ".join(words)
