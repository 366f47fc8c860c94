"""Filling: text of a given length that compresses as a page's does, the same on every machine."""

from pronghorn.sites.prose import Prose
from pronghorn.sites.storefront.item import RATIOS
from pronghorn.sites.stream import Stream

STREAM = Stream(1, "storefront")

KB = 1000


def filled(label: str, head: str, foot: str, wire: int, coding: str = "br") -> bytes:
    """`head`, text and `foot`, about `wire` bytes once compressed. The text has no meaning and stands in a
    comment, which `head` opens and `foot` ends."""
    room = round(wire * RATIOS[coding]) - len(head) - len(foot)
    if room < 0:
        raise ValueError(f"{label} is too small for what stands in it: {-room} bytes short")
    return head.encode() + text(label, room).encode() + foot.encode()


def text(label: str, count: int) -> str:
    """`count` characters of text."""
    return Prose(STREAM, label).take(count).decode("ascii")


def words(label: str, count: int) -> str:
    """`count` words of small letters."""
    drawn = (word for word in text(label, 40 + 16 * count).split() if word.isalpha() and word.islower())
    return " ".join(next(drawn) for _ in range(count))
