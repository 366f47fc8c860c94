"""netem's options as a link's keys (tc-netem(8); iproute2's tc/q_netem.c says which defaults hold).

Keywords may be shortened, percentages lack their sign, and optional numbers follow the needed ones."""

import os
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from pronghorn.tc import quantities
from pronghorn.tc.options import Options
from pronghorn.tc.quantities import rate_text, share, share_text, size, time_text

DEFAULT_LIMIT = 1000

KEYWORDS = (
    "limit",
    "latency",
    "delay",
    "loss",
    "drop",
    "seed",
    "ecn",
    "reorder",
    "corrupt",
    "gap",
    "duplicate",
    "distribution",
    "rate",
    "slot",
)
"""In the order in which tc matches a shortened word."""

_DISTRIBUTIONS = ("uniform", "normal", "pareto", "paretonormal")


class Netem(NamedTuple):
    """A netem as a link's `keys`, with what else has to be known of it: its `limit` in packets and whether it
    was written, its rate (0: none) and delay; `notes` say what is not the same."""

    keys: dict[str, str]
    notes: list[str]
    limit: int
    limit_written: bool
    rate_bit_per_s: int
    delay_ns: int


def netem(words: tuple[str, ...]) -> Netem:
    """InputError where tc would refuse the words, or a path can't do it."""
    return _Reading(Options("netem", words)).read()


class _Reading:
    def __init__(self, options: Options) -> None:
        self._options = options
        self._keys: dict[str, str] = {}
        self._notes: list[str] = []
        self._limit: int | None = None
        self._rate = 0
        self._delay_ns = 0
        self._jitter_ns = 0
        self._distribution = ""
        self._gap = 0
        self._reorder = Fraction(0)

    def read(self) -> Netem:
        """All options, then what they are together."""
        options = self._options
        while options:
            match keyword := options.keyword(KEYWORDS):
                case "limit":
                    self._limit = options.take(keyword, size)
                case "delay" | "latency":
                    self._read_delay(keyword)
                case "loss" | "drop":
                    self._read_loss(keyword)
                case "duplicate" | "corrupt":
                    self._read_chance(keyword)
                case "reorder":
                    self._reorder = self._read_chance(keyword)
                case "gap":
                    self._gap = options.take(keyword, quantities.whole)
                case "distribution":
                    self._distribution = options.word(keyword)
                case "rate":
                    self._read_rate()
                case "seed":
                    self._notes.append(f"seed: write --seed {options.take(keyword, quantities.whole)}")
                case "ecn":
                    raise options.missing("ecn", "marks packets instead of losing them", _ECN)
                case _:
                    raise options.missing("slot", "sends packets in slots", _SLOT)
        self._settle()
        limit = DEFAULT_LIMIT if self._limit is None else self._limit
        return Netem(self._keys, self._notes, limit, self._limit is not None, self._rate, self._delay_ns)

    def _read_delay(self, keyword: str) -> None:
        delay = self._time(keyword)
        self._delay_ns = delay or 0
        self._keys["delay"] = time_text(self._delay_ns)
        if (jitter := self._time(keyword, needed=False)) is None:
            return
        self._jitter_ns = jitter
        if jitter:
            self._keys["jitter.spread"] = time_text(jitter)
        correlation = self._options.number(keyword, share)
        if correlation and jitter:
            self._keys["jitter.correlation"] = share_text(correlation)
            self._notes.append(
                "delay's correlation: netem averages random numbers, which also narrows the jitter. A "
                "path keeps its spread"
            )

    def _time(self, keyword: str, *, needed: bool = True) -> int | None:
        take = self._options.take if needed else self._options.number
        found = take(keyword, quantities.time)
        if found is None:
            return None
        if found.bare and found.ns:
            self._notes.append(
                f"{keyword} {found.ns // 1000} has no unit. It was read as microseconds, as in tc(8); tc "
                "since 6.10 takes nanoseconds"
            )
        return found.ns

    def _read_loss(self, keyword: str) -> None:
        if any(key.startswith("loss") for key in self._keys):
            raise self._options.error("two losses; tc takes one")
        if self._options.is_next("state"):
            self._read_four_state()
        elif self._options.is_next("gemodel"):
            self._read_gemodel()
        else:
            self._options.is_next("random")
            self._read_chance(keyword, "loss")

    def _read_four_state(self) -> None:
        """Those left out have the defaults of tc, which are a path's as well."""
        self._keys["loss.model"] = "four-state"
        self._keys["loss.p13"] = share_text(self._options.take("loss state", share))
        for key in ("p31", "p32", "p23", "p14"):
            if (part := self._options.number("loss state", share)) is None:
                return
            self._keys[f"loss.{key}"] = share_text(part)

    def _read_gemodel(self) -> None:
        """`p [r [1-h [1-k]]]`: 1-h is what the bad state loses, 1-k what the good one does."""
        enter = self._options.take("loss gemodel", share)
        leave = self._options.number("loss gemodel", share)
        self._keys["loss.model"] = "gilbert-elliott"
        self._keys["loss.enter"] = share_text(enter)
        self._keys["loss.leave"] = share_text(1 - enter if leave is None else leave)
        for key in ("bad", "good"):
            if leave is None or (part := self._options.number("loss gemodel", share)) is None:
                return
            self._keys[f"loss.{key}"] = share_text(part)

    def _read_chance(self, keyword: str, key: str | None = None) -> Fraction:
        key = key or keyword
        chance = self._options.take(keyword, share)
        self._keys[f"{key}.probability"] = share_text(chance)
        if correlation := self._options.number(keyword, share):
            self._keys[f"{key}.correlation"] = share_text(correlation)
            if chance and chance != Fraction(1, 2) and chance != 1:
                hit = "fewer" if chance < Fraction(1, 2) else "more"
                self._notes.append(
                    f"{keyword}'s correlation: netem averages random numbers, so it hits {hit} than "
                    f"{share_text(chance)} of packets. A path hits {share_text(chance)}"
                )
        return chance

    def _read_rate(self) -> None:
        options = self._options
        self._rate = options.take("rate", quantities.rate)
        if not self._rate:
            raise options.error("'rate': tc takes 0 for no rate; leave it out")
        self._keys["rate"] = rate_text(self._rate)
        packet = options.number("rate", quantities.whole, signed=True)
        cell = options.number("rate", quantities.whole)
        cell_overhead = options.number("rate", quantities.whole, signed=True)
        if cell_overhead is not None and cell_overhead < 0:
            raise options.missing(
                f"rate … {cell_overhead}", "makes cells smaller", "CELLOVERHEAD has to be 0 or more."
            )
        if packet:
            self._keys["overhead.packet"] = f"{packet}B"
        if cell:
            self._keys["overhead.cell"] = f"{cell}B"
            if cell_overhead:
                self._keys["overhead.cell_overhead"] = f"{cell_overhead}B"

    def _settle(self) -> None:
        """What tc looks at once it has all options."""
        options = self._options
        if self._reorder and not self._delay_ns:
            raise options.error("'reorder' needs a delay to skip: delay 10ms reorder 25%")
        if not self._reorder:
            if self._gap:
                raise options.error("'gap' needs a reordering: reorder 25% gap 5")
            self._keys.pop("reorder.probability", None)
            self._keys.pop("reorder.correlation", None)
        elif self._gap > 1:
            self._keys["reorder.gap"] = str(self._gap)
        if self._reorder and self._rate:
            self._notes.append(
                "reorder: netem's reordered packets skip the rate as well; on a path they skip only the delay"
            )
        if self._distribution:
            self._read_distribution()

    def _read_distribution(self) -> None:
        name = self._distribution
        if not (self._delay_ns and self._jitter_ns):
            raise self._options.error(
                "'distribution' needs a delay and a jitter: delay 100ms 20ms distribution normal"
            )
        if name in _DISTRIBUTIONS:
            self._keys["jitter.distribution"] = name
            return
        folders = filter(None, (os.environ.get("TC_LIB_DIR"), "/usr/lib/tc", *map(str, _libraries())))
        file = next(
            (Path(folder, f"{name}.dist") for folder in folders if Path(folder, f"{name}.dist").is_file()),
            None,
        )
        if file is None or "/" in name:
            raise self._options.error(
                f"'distribution {name}': tc's file {name}.dist isn't on this machine",
                f"Known without a file: {', '.join(_DISTRIBUTIONS)}. Or leave it out, and write "
                f"jitter.table=FILE.",
            )
        self._keys["jitter.table"] = str(file)


def _libraries() -> list[Path]:
    """Where distributions of Linux keep tc's files of delays."""
    return sorted(Path("/usr/lib").glob("*-linux-gnu/tc"))


_ECN = "Leave it out: packets are lost. Marks belong to a queue: queue.discipline=codel queue.ecn=true"
_SLOT = "Leave it out, or give the link a trace of deliveries (docs/paths.md, trace)."
