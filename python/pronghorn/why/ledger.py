"""A stretch of a load's time that is given to its parts, each moment once."""

from pronghorn.model.why import Part
from pronghorn.why.spans import Spans, common, span, without


class Ledger:
    """The stretch from `from_s` to `to_s`. What is entered first keeps its moments."""

    def __init__(self, from_s: float, to_s: float) -> None:
        self._free = span(from_s, to_s)
        self.parts: dict[Part, float] = {}

    def enter(self, part: Part, when: Spans) -> None:
        """Gives to a part those moments of `when` that are still free."""
        if not len(self._free.from_s) or not len(when.from_s):
            return
        mine = common(self._free, when)
        if not len(mine.from_s):
            return
        self.parts[part] = self.parts.get(part, 0.0) + mine.length_s
        self._free = without(self._free, mine)

    def close(self, part: Part) -> dict[Part, float]:
        """Gives what is still free to a part; the seconds of all parts."""
        self.enter(part, self._free)
        return self.parts
