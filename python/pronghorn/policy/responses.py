"""How much the responses of one page scatter as a gateway compares them, from the page loads of maps.

A gateway takes ln(time / reference) of a response, within strata of size and of how much its connection had
carried before; both are asked of the decision core itself. What is left within one page and stratum is sizes
that the reference doesn't take out, the order in which responses share the connection, and losses that befall
one of them. The lab's time is from the request to the last byte, the gateway's from the headers to the last
acknowledgement: a round trip from end to end, both of them.
"""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pronghorn.mapping import batches
from pronghorn.model.trial import Resource, Trial
from pronghorn.policy.parsed import asked_of_engine
from pronghorn.policy.squares import Squares, about_their_mean
from pronghorn.runs import journal, left_out


class Response(NamedTuple):
    """As the engine takes one: bytes, microseconds, what its connection had delivered before, in bytes."""

    size: int
    time_us: int
    delivered: int


def of_map(folder: Path) -> Squares:
    """Of all page loads that the batches' journals have; nothing where they aren't there any more."""
    journals = sorted((folder / batches.FOLDER).glob(f"*/{journal.JOURNAL}"))
    trials = (trial for found in journals for trial in _trials(found.parent))
    pages = [of_page(one.page.resources) for one in trials if one.status == "ok" and one.page is not None]
    return scatter(str(folder), pages)


def _trials(folder: Path) -> list[Trial]:
    contents = journal.look(folder)
    left_out.say(contents.warnings)
    return contents.trials


def of_page(resources: Sequence[Resource]) -> list[Response]:
    """A page's responses, in the order in which they ended."""
    delivered: dict[int | None, int] = defaultdict(int)
    found = []
    came = [one for one in resources if one.last_byte_s is not None and one.bytes]
    for one in sorted(came, key=lambda one: one.last_byte_s or 0.0):
        if one.request_s is not None:
            time_s = (one.last_byte_s or 0.0) - one.request_s
            found.append(Response(one.bytes, max(round(time_s * 1e6), 0), delivered[one.connection]))
        delivered[one.connection] += one.bytes
    return found


def scatter(place: str, pages: Sequence[Sequence[Response]]) -> Squares:
    """Of the pages' outcomes, each about the mean of its page and stratum."""
    if not any(pages):
        return Squares(0.0, 0)
    strata: dict[tuple[int, int], list[float]] = defaultdict(list)
    numbers = [number for number, page in enumerate(pages) for _ in page]
    responses = [response for page in pages for response in page]
    answer = asked_of_engine(place, "outcomes", responses=responses)
    for number, outcome in zip(numbers, answer["outcomes"], strict=True):
        if outcome is not None:
            stratum, logarithm = outcome
            strata[number, stratum].append(logarithm)
    return sum((about_their_mean(values) for values in strata.values()), Squares(0.0, 0))
