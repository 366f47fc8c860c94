#!/usr/bin/env python3
"""How fast a path is beside a bare forwarder over such devices: TCP's goodput, UDP's datagrams a second;
how late its packets leave; what it costs when idle."""

import asyncio
import os
import statistics
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import hosts
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
ROUNDS = 5
SECONDS = 3
FLOWS = 8
IDLE_S = 10

BARE = "bare forwarder"
DELAY: hosts.Link = {"delay_ns": 1_000_000}
ALL_STAGES: hosts.Link = DELAY | {
    "jitter": {"distribution": "uniform", "spread_ns": 200_000, "order": "keep"},
    "loss": {"model": "independent", "probability": 1e-6},
    "rate_bit_per_s": 40_000_000_000,
}
PATHS = {"1 ms": DELAY, "1 ms ± 0.2 ms, loss 1e-6, 40 Gbit/s": ALL_STAGES}
"""Both directions are alike; packets keep their order."""

TARGETS = {("TCP", "1 ms"): 0.5, ("TCP", "1 ms ± 0.2 ms, loss 1e-6, 40 Gbit/s"): 0.35, ("UDP", "1 ms"): 0.6}
"""The least share of the bare forwarder's figure."""

RATE: hosts.Link = {"delay_ns": 10_000_000, "rate_bit_per_s": 200_000_000}

console = Console(width=100)


def build_forwarder() -> Path:
    """Builds the bare forwarder; its program."""
    package = ["-p", "pronghorn-bench", "--example", "forwarder"]
    cargo = [str(ROOT / "scripts" / "with-rust"), "cargo", "build", "-q", "--release", "--locked", *package]
    subprocess.run(cargo, cwd=ROOT, check=True)
    target = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    return target / "release" / "examples" / "forwarder"


async def through(link: hosts.Link, sender: Sequence[str]) -> tuple[Any, dict[str, Any]]:
    """iperf3's report of one test over a fresh bench, and its final counters."""
    async with hosts.bench(link, link) as (engine, server):
        report = await hosts.iperf3(engine, server, sender)
        return report, await engine.request("close")


def side_by_side(
    forwarder: Path, paths: dict[str, hosts.Link], sender: Sequence[str], figure: Callable[[Any], float]
) -> dict[str, list[float]]:
    """The figure of each round, by what carried it; they take turns, so that none has the quieter host."""
    found: dict[str, list[float]] = {name: [] for name in (BARE, *paths)}
    for _ in range(ROUNDS):
        found[BARE].append(figure(hosts.bare_iperf3(forwarder, sender)))
        for name, link in paths.items():
            report, _ = asyncio.run(through(link, sender))
            found[name].append(figure(report))
    return found


def show(title: str, unit: str, scale: float, protocol: str, found: dict[str, list[float]]) -> None:
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for heading in (f"median {unit}", "least", "most", "× bare", "target"):
        table.add_column(heading, justify="right")
    bare = statistics.median(found[BARE])
    for name, figures in found.items():
        median = statistics.median(figures)
        target = TARGETS.get((protocol, name))
        table.add_row(
            name,
            *(f"{figure / scale:.3g}" for figure in (median, min(figures), max(figures))),
            f"{median / bare:.2f}",
            verdict(median / bare >= target, f"≥ {target:g}") if target else "",
        )
    console.print(table)


def verdict(holds: bool, target: str) -> str:
    return target if holds else f"[bold red]{target}: missed[/]"


def show_lateness() -> None:
    """How late packets leave while a bulk flow fills 200 Mbit/s."""
    _, counters = asyncio.run(through(RATE, hosts.tcp_sender(2 * SECONDS)))
    table = Table(title="Lateness at 200 Mbit/s", title_justify="left")
    for heading in ("link", "packets", "median µs", "p99 µs", "max µs", "target: median ≤ 100, p99 ≤ 500 µs"):
        table.add_column(heading, justify="right" if heading != "link" else "left")
    for direction in ("up", "down"):
        late = counters[direction]["lateness"]
        figures = [late[key] * 1e6 for key in ("median_s", "p99_s", "max_s")]
        holds = figures[0] <= 100 and figures[1] <= 500
        table.add_row(
            direction,
            str(late["count"]),
            *(f"{figure:.0f}" for figure in figures),
            "met" if holds else "[bold red]missed[/]",
        )
    console.print(table)


def show_idle() -> None:
    """What an open bench uses of one CPU when nothing is sent."""

    async def measure() -> float:
        async with hosts.bench(DELAY, DELAY) as (engine, _):
            await asyncio.sleep(1)
            before = hosts.cpu_seconds(engine.pid)
            await asyncio.sleep(IDLE_S)
            return (hosts.cpu_seconds(engine.pid) - before) / IDLE_S

    share = asyncio.run(measure())
    target = verdict(share <= 0.01, "≤ 1 %")
    console.print(f"An idle bench: {share:.2%} of one CPU over {IDLE_S} s, target {target}")


def main() -> None:
    forwarder = build_forwarder()
    found = side_by_side(forwarder, PATHS, hosts.tcp_sender(SECONDS, flows=FLOWS), hosts.goodput_bit_per_s)
    show(f"TCP: {FLOWS} flows by CUBIC, {ROUNDS} rounds of {SECONDS} s", "Gbit/s", 1e9, "TCP", found)
    for flows in (1, FLOWS):
        sender = hosts.udp_sender(SECONDS, flows=flows)
        found = side_by_side(forwarder, {"1 ms": DELAY}, sender, hosts.datagrams_per_s)
        title = f"UDP: {flows} flow{'s' * (flows > 1)} of 1200 bytes, {ROUNDS} rounds of {SECONDS} s"
        show(title, "1000/s", 1e3, "UDP", found)
    show_lateness()
    show_idle()


if __name__ == "__main__":
    main()
