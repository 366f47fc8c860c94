"""tc's commands as the words of a path: each device is a link, and its disciplines are the link's stages."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pronghorn.errors import InputError
from pronghorn.tc import shapers
from pronghorn.tc.commands import Command, parsed
from pronghorn.tc.netem import Netem, netem
from pronghorn.tc.options import OPTION, PAGE
from pronghorn.tc.quantities import rate_text
from pronghorn.tc.shapers import Htb, Shaper

_DIRECTION = re.compile(r"\s*(up|down|both)\s*:(?!\d)(.*)", re.DOTALL)
_LINKS = {"up": ("up",), "down": ("down",), "both": ("down", "up")}
_PACKET_BYTES = 1500


class Translation(NamedTuple):
    """A path's words, `up.delay=100ms`, and sentences: which link they are of and why, and what differs from
    tc's."""

    words: list[str]
    notes: list[str]


def translate(texts: Sequence[str]) -> Translation:
    """The path that the texts ask for. Each may begin with `up:`, `down:` or `both:`, the link that is meant;
    else its device tells. InputError where something isn't tc's, or a path can't do it."""
    words: list[str] = []
    notes: list[str] = []
    taken: set[str] = set()
    for text in texts:
        found = _DIRECTION.fullmatch(text)
        asked, commands = (found[1], parsed(found[2])) if found else ("", parsed(text))
        for device, chain in _by_device(commands).items():
            direction, reason = (asked, "as written") if asked else _direction(device)
            for link in _LINKS[direction]:
                if link in taken:
                    raise InputError(
                        f"{OPTION}: the link {link!r} is described twice.",
                        hint=f"Say which is which: {OPTION} 'up: …' {OPTION} 'down: …'",
                    )
                taken.add(link)
            keys, differing = _link(chain)
            if not keys:
                raise InputError(
                    f"{OPTION} {text.strip()!r}: this does nothing to a packet.",
                    hint=f"Write what it should do: {OPTION} 'netem delay 100ms'",
                )
            words += [f"{link}.{key}={value}" for link in _LINKS[direction] for key, value in keys.items()]
            notes += [_applied(direction, reason), *(f"differs: {note}" for note in differing)]
    return Translation(words, list(dict.fromkeys(notes)))


def _by_device(commands: Sequence[Command]) -> dict[str, list[Command]]:
    devices: dict[str, list[Command]] = {}
    for command in commands:
        devices.setdefault(command.device, []).append(command)
    return devices


def _direction(device: str) -> tuple[str, str]:
    """netem works on what a device sends."""
    if device == "lo":
        return "both", "lo carries both directions"
    if device.startswith("ifb"):
        return "down", f"{device} stands for what a host receives"
    return "up", "tc shapes what its host sends; that host is taken for the client"


def _applied(direction: str, reason: str) -> str:
    links = " and ".join(_LINKS[direction])
    other = "down" if direction == "up" else "up"
    return f"link: {links} ({reason}). For the other, write {OPTION} '{other}: …'"


def _link(commands: Sequence[Command]) -> tuple[dict[str, str], list[str]]:
    """A device's keys, and what of them is not the same."""
    chain, classes = _chain(commands)
    emulated = _only(chain, ("netem",), "delays and loses twice")
    shaping = _only(chain, ("tbf", "htb"), "has a second rate")
    queueing = _only(chain, ("pfifo", "bfifo", "codel", "fq_codel"), "has a second queue")
    shaped = netem(emulated.words) if emulated else None
    keys: dict[str, str] = dict(shaped.keys) if shaped else {}
    notes = list(shaped.notes) if shaped else []
    shaper = _shaper(shaping, classes) if shaping else None
    if shaper:
        notes += shaper.notes
        _add_shaper(keys, shaper, shaped, netem_waits=bool(emulated) and chain[0] is not emulated)
    if queueing:
        if shaper is None or chain[-1] is not queueing:
            raise InputError(
                f"{OPTION}: {queueing.discipline}: a path's queue belongs to a rate, and here is none.",
                hint="Put it below a shaper: tbf rate 20mbit burst 32kb latency 50ms",
            )
        managed = shapers.queue(queueing)
        if _netem_is_slower(shaped, shaper):
            notes.append(f"{queueing.discipline}: nothing waits there, because netem's rate is lower")
        else:
            keys = {key: value for key, value in keys.items() if not key.startswith("queue.")} | managed
    if shaped:
        notes += _limit(keys, shaped, shaper)
    if "rate" in keys:
        notes.append("rate: on Ethernet tc counts 14 B of header per packet; overhead=14B does the same here")
    return _plain(keys), notes


def _only(chain: Sequence[Command], kinds: Sequence[str], stage: str) -> Command | None:
    """The one discipline of these `kinds`, if any."""
    found = [each for each in chain if each.discipline in kinds]
    if len(found) > 1:
        raise InputError(
            f"{OPTION}: {found[1].discipline}: a path has no stage that {stage}. A link has one delay, "
            "one loss, one rate and one queue.",
            hint="Combine them into one.",
        )
    return found[0] if found else None


def _shaper(command: Command, classes: Sequence[Command]) -> Shaper:
    return shapers.tbf(command.words) if command.discipline == "tbf" else Htb(command, classes).shaper()


def _chain(commands: Sequence[Command]) -> tuple[list[Command], list[Command]]:
    """The disciplines from the root to the leaf, and htb's classes. A later command for the same place
    replaces an earlier one."""
    places: dict[object, Command] = {}
    for number, command in enumerate(commands):
        at = (command.parent, command.classid)
        places[at if any(at) else number] = command
    classes = [each for each in places.values() if each.classid]
    rest = [each for each in places.values() if not each.classid]
    if classes and not any(each.discipline == "htb" for each in rest):
        rest.insert(0, Command("htb", ("default", _leaf(classes)), "", "root", classes[0].classid))
    if not rest or not any(each.parent for each in rest):
        return rest, classes
    chain = [next((each for each in rest if each.parent == "root"), rest[0])]
    left = [each for each in rest if each is not chain[0]]
    while left:
        below = [each for each in left if _hangs_from(each, chain[-1], classes)]
        if len(below) != 1:
            raise InputError(
                f"{OPTION}: {left[0].discipline} hangs from {left[0].parent or 'nothing'}, where this "
                "text has no discipline or several. A link is one chain of them.",
                hint=f"Write root, handle and parent, as in {PAGE}.",
            )
        chain.append(below[0])
        left.remove(below[0])
    return chain, classes


def _leaf(classes: Sequence[Command]) -> str:
    """The class meant by commands that leave out htb's root."""
    return classes[-1].classid.partition(":")[2]


def _hangs_from(command: Command, above: Command, classes: Sequence[Command]) -> bool:
    if above.discipline == "htb" and classes:
        return shapers.minor(command.parent) == shapers.minor(Htb(above, classes).leaf())
    return bool(command.parent) and command.parent.partition(":")[0] == above.handle.partition(":")[0]


def _add_shaper(keys: dict[str, str], shaper: Shaper, emulated: Netem | None, *, netem_waits: bool) -> None:
    """Delay comes before the shaper wherever netem stands. As the shaper's child, netem is where packets
    wait; as its parent, it hands them on."""
    if _netem_is_slower(emulated, shaper):
        return
    if emulated and emulated.rate_bit_per_s and not netem_waits:
        raise InputError(
            f"{OPTION}: a link has one rate, but here are two: netem's "
            f"{rate_text(emulated.rate_bit_per_s)} before {rate_text(shaper.rate_bit_per_s)}.",
            hint="Leave out netem's, the larger one.",
        )
    for key in [key for key in keys if key.startswith("overhead.")]:
        del keys[key]
    keys["rate"] = rate_text(shaper.rate_bit_per_s)
    keys |= shaper.overhead
    if not netem_waits:
        keys |= shaper.queue
    if "jitter.spread" in keys and not (emulated and emulated.rate_bit_per_s):
        keys["jitter.order"] = "break"  # netem without a rate of its own lets packets overtake


def _netem_is_slower(emulated: Netem | None, shaper: Shaper) -> bool:
    """Whether netem's own rate is the bottleneck: the shaper then never has a packet to hold back."""
    return emulated is not None and 0 < emulated.rate_bit_per_s <= shaper.rate_bit_per_s


def _limit(keys: dict[str, str], emulated: Netem, shaper: Shaper | None) -> list[str]:
    """netem's limit is the queue where packets wait in netem; it counts those being delayed, too."""
    if "rate" not in keys:
        written = f"limit {emulated.limit}" if emulated.limit_written else ""
        return (
            [f"{written}: netem then drops packets; a link without a rate holds any number"]
            if written
            else []
        )
    if "queue.limit" not in keys and emulated.limit_written:
        keys["queue.limit"] = f"{emulated.limit}packets"
    rate = min(each for each in (emulated.rate_bit_per_s, shaper.rate_bit_per_s if shaper else 0) if each)
    in_flight = rate * emulated.delay_ns / (8 * 10**9 * _PACKET_BYTES)
    if emulated.delay_ns and (emulated.limit_written or in_flight > emulated.limit):
        return [
            f"limit {emulated.limit}: netem also counts the packets that it delays (about "
            f"{in_flight:.0f} here); a path's queue doesn't"
        ]
    return []


def _plain(keys: dict[str, str]) -> dict[str, str]:
    """A table of nothing but its plain value is written as that value."""
    plain = {"probability", "spread", "limit", "packet"}
    found = {}
    for key, value in keys.items():
        table, _, name = key.partition(".")
        alone = not any(other != key and other.startswith(f"{table}.") for other in keys)
        found[table if name in plain and alone else key] = value
    return found
