#!/usr/bin/env python3
"""How fast the load generator is beside h2load, HTTP/3 beside HTTP/2, and the built-in origin beside nginx:
pairs of runs that take turns over a veth pair of 1500 bytes, one thread each, and the ratio of each pair."""

import argparse
import math
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

import load_lab
from load_clients import Generator, Ours, Run, Task, debians_h2load, h2load_with_http3
from load_lab import BUILTIN, CONTROL, LARGE, NGINX, TUNED, Lab
from paired import Interval, of_median
from rich.console import Console
from rich.table import Table

ROUNDS = 9
MILLION = 1_000_000
WARM_UP_SHARE = 10
LARGE_TRANSFERS = 150
CROWDED, ATTEMPTS = 0.05, 4
"""From which share of the machine's CPUs for others on a pair is made again; how often it is made at most."""

console = Console(width=120)


class Measure(NamedTuple):
    """What is compared, and what its ratio has to be: `at_least` or `at_most`. `whole`: the interval has to
    keep to it, not the median alone."""

    name: str
    figure: Callable[[Run], float]
    at_least: float | None = None
    at_most: float | None = None
    whole: bool = False

    def target(self) -> str:
        """As a person reads it."""
        what = "interval" if self.whole else "median"
        return f"{what} ≥ {self.at_least:g}" if self.at_least else f"{what} ≤ {self.at_most:g}"

    def verdict(self, found: Interval) -> str:
        """Whether what was found keeps to it."""
        if math.isnan(found.low):
            return "too few pairs"
        if self.at_least is not None:
            met = (found.low if self.whole else found.median) >= self.at_least
        else:
            met = self.at_most is not None and (found.high if self.whole else found.median) <= self.at_most
        return "met" if met else "[bold red]missed[/]"


class Side(NamedTuple):
    """One of a pair: what is asked of which generator, and what it is called beside the other."""

    name: str
    generator: Generator
    task: Task


class Comparison(NamedTuple):
    """Two sides, and by what they are compared."""

    key: str
    title: str
    ours: Side
    theirs: Side
    measures: tuple[Measure, ...]


Pair = tuple[Run, Run]


def rate(at_least: float, *, whole: bool = False) -> Measure:
    return Measure("requests/s", lambda run: run.requests_per_s, at_least=at_least, whole=whole)


def cpu(at_most: float) -> Measure:
    return Measure("CPU seconds", lambda run: run.cpu_s, at_most=at_most)


def volume(at_least: float) -> Measure:
    return Measure("bytes/s", lambda run: run.bytes_per_s, at_least=at_least)


def comparisons(requests: int) -> Iterator[Comparison]:
    """All that this host can make; of what it can't it says so. What nginx's QUIC has a part in is measured
    with nginx as it ships and with its settings for fast paths, against the same targets."""
    ours, theirs, peer = Ours(), debians_h2load(), h2load_with_http3()

    def small(protocol: str, server: str = NGINX) -> Task:
        return Task(protocol, server, requests, streams=1 if protocol == "h1" else 100)

    def large(protocol: str, server: str = NGINX) -> Task:
        return Task(protocol, server, max(requests * LARGE_TRANSFERS // 200_000, 10), 1, 1, LARGE)

    def between(generator: Generator, task: Task) -> tuple[Side, Side]:
        return Side(ours.name, ours, task), Side(generator.name, generator, task)

    def servers(first: Task, second: Task) -> tuple[Side, Side]:
        return Side("built-in", ours, first), Side(second.server, ours, second)

    if theirs is None:
        console.print("no h2load at hand (Debian and Ubuntu have it in nghttp2-client)")
    else:
        wanted = (rate(0.95, whole=True), cpu(1.10))
        for protocol in ("h1", "h2"):
            yield Comparison(
                protocol, f"{protocol}: ours ÷ h2load", *between(theirs, small(protocol)), wanted
            )
    if peer is None:
        console.print("no h2load with HTTP/3 at hand, made by scripts/peers")
    for nginx, ending, told in ((NGINX, "", "nginx"), (TUNED, "-tuned", "nginx:tuned")):
        h3, h2 = Side("h3", ours, small("h3", nginx)), Side("h2", ours, small("h2", nginx))
        yield Comparison(f"h3{ending}", f"h3 ÷ h2, both ours, {told}", h3, h2, (rate(0.9),))
        if peer is not None:
            sides = between(peer, small("h3", nginx))
            wanted = (rate(0.95), cpu(1.0))
            yield Comparison(f"h3-peer{ending}", f"h3: ours ÷ h2load with HTTP/3, {told}", *sides, wanted)
        h3, h2 = Side("h3", ours, large("h3", nginx)), Side("h2", ours, large("h2", nginx))
        title = f"10 MB on one connection: h3 ÷ h2, both ours, {told}"
        yield Comparison(f"large{ending}", title, h3, h2, (volume(0.6),))
        sides = servers(small("h3", BUILTIN), small("h3", nginx))
        yield Comparison(f"origin-h3{ending}", f"h3: built-in origin ÷ {told}", *sides, (rate(1.4),))
        sides = servers(large("h3", BUILTIN), large("h3", nginx))
        title = f"10 MB over h3: built-in origin ÷ {told}"
        yield Comparison(f"origin-large{ending}", title, *sides, (volume(1.5),))
    sides = servers(small("h2", BUILTIN), small("h2"))
    yield Comparison("origin-h2", "h2: built-in origin ÷ nginx", *sides, (rate(1.0),))


def warm_up(lab: Lab, side: Side) -> None:
    """A run that doesn't count, in which TCP's congestion control is read back."""
    task = side.task._replace(requests=max(side.task.requests // WARM_UP_SHARE, side.task.connections))
    seen: set[str] = set()
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            seen.update(lab.controls())

    looking = threading.Thread(target=look)
    looking.start()
    try:
        side.generator(lab, task)
    finally:
        over.set()
        looking.join()
    if seen != ({CONTROL} if task.protocol != "h3" else set()):
        raise SystemExit(f"{side.name}, {task}: TCP's congestion control was {seen}, not {CONTROL}")


def crowded(pair: Pair) -> float:
    """The larger share that others had of the machine during one of the two."""
    return max(run.others_share for run in pair)


def paired(lab: Lab, one: Comparison, attempts: int, *, theirs_first: bool) -> Pair:
    """A pair; made again, a few times at most, while others crowd the machine; the quietest counts, whatever
    its figures are."""
    made: list[Pair] = []
    order = (one.theirs, one.ours) if theirs_first else (one.ours, one.theirs)
    while len(made) < attempts and (not made or crowded(made[-1]) > CROWDED):
        runs = {side.name: side.generator(lab, side.task) for side in order}
        made.append((runs[one.ours.name], runs[one.theirs.name]))
    return min(made, key=crowded)


def measure(lab: Lab, chosen: Sequence[Comparison], rounds: int, attempts: int) -> dict[str, list[Pair]]:
    """The pairs of each comparison. The first of a pair is the other one every second round."""
    found: dict[str, list[Pair]] = {one.key: [] for one in chosen}
    for one in chosen:
        for side in (one.ours, one.theirs):
            warm_up(lab, side)
    with suppress(KeyboardInterrupt):
        for number in range(rounds):
            for one in chosen:
                with console.status(f"round {number + 1} of {rounds}: {one.title}"):
                    found[one.key].append(paired(lab, one, attempts, theirs_first=number % 2 == 1))
    return found


def show_pairs(one: Comparison, pairs: Sequence[Pair]) -> None:
    """A row a pair: both figures, their ratios, and how busy the server was."""
    first = one.measures[0]
    large = first.name == "bytes/s"
    unit, scale = ("MB/s", 1e6) if large else ("1000 requests/s", 1e3)
    table = Table(title=f"{one.title} ({one.ours.task.requests} requests; {unit})", title_justify="left")
    names = (one.ours.name, one.theirs.name)
    for heading in ("pair", *names, "ratio", "CPU s", "CPU s", "ratio", "server's CPU", "share", "others'"):
        table.add_column(heading, justify="right")
    for number, (ours, theirs) in enumerate(pairs, start=1):
        figures = (first.figure(ours), first.figure(theirs))
        table.add_row(
            str(number),
            *(f"{figure / scale:.1f}" for figure in figures),
            f"{figures[0] / figures[1]:.3f}",
            f"{ours.cpu_s:.2f}",
            f"{theirs.cpu_s:.2f}",
            f"{ours.cpu_s / theirs.cpu_s:.3f}",
            f"{ours.server_share:.0%}",
            f"{theirs.server_share:.0%}",
            f"{crowded((ours, theirs)):.0%}",
        )
    console.print(table)


def show_verdicts(chosen: Sequence[Comparison], found: dict[str, list[Pair]]) -> None:
    """Each target beside what was found."""
    table = Table(title="Medians of the pairs' ratios, with 95 % intervals (order statistics)")
    for heading in ("", "", "pairs", "median (interval)", "target", ""):
        table.add_column(heading)
    for one in chosen:
        pairs = found[one.key]
        if not pairs:
            continue
        for by in one.measures:
            ratio = of_median([by.figure(ours) / by.figure(theirs) for ours, theirs in pairs])
            table.add_row(one.title, by.name, str(len(pairs)), str(ratio), by.target(), by.verdict(ratio))
    console.print(table)


def show_memory(lab: Lab, requests: int) -> None:
    """The largest resident set of ten times as many requests beside that of the tenth."""
    table = Table(title="Largest resident set, MB", title_justify="left")
    for heading in ("", f"{requests} requests", "ten times as many", "ratio", "target: within 10 %"):
        table.add_column(heading, justify="right")
    for protocol in ("h1", "h2", "h3"):
        task = Task(protocol, NGINX, requests, streams=1 if protocol == "h1" else 100)
        with console.status(f"memory: {protocol}"):
            fewer, more = (Ours()(lab, task._replace(requests=requests * factor)) for factor in (1, 10))
        ratio = more.max_rss_bytes / fewer.max_rss_bytes
        sizes = (f"{run.max_rss_bytes / 1e6:.1f}" for run in (fewer, more))
        table.add_row(protocol, *sizes, f"{ratio:.3f}", "met" if ratio <= 1.1 else "[bold red]missed[/]")
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"pairs of each (default: {ROUNDS})")
    parser.add_argument(
        "--only", nargs="+", metavar="KEY", help="h1, memory, … (an unknown one: all are told)"
    )
    crowded_help = f"how often a pair is made at most while others use the CPUs (default: {ATTEMPTS})"
    parser.add_argument("--attempts", type=int, default=ATTEMPTS, help=crowded_help)
    parser.add_argument("--quick", action="store_true", help="a tenth of the requests")
    asked = parser.parse_args()
    divisor = 10 if asked.quick else 1
    every = list(comparisons(200_000 // divisor))
    keys = [*(one.key for one in every), "memory"]
    if unknown := set(asked.only or ()) - set(keys):
        parser.error(f"--only: no {', '.join(sorted(unknown))}; there are {', '.join(keys)}")
    if os.geteuid() != 0:
        console.print("not measured: network namespaces as these need root")
        return
    only = asked.only or keys
    chosen = [one for one in every if one.key in only]
    with load_lab.standing() as lab:
        found = measure(lab, chosen, asked.rounds, asked.attempts)
        for one in chosen:
            show_pairs(one, found[one.key])
        show_verdicts(chosen, found)
        if "memory" in only:
            show_memory(lab, MILLION // divisor)


if __name__ == "__main__":
    main()
