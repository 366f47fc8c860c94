"""How a load goes, on stderr: one line that moves on a terminal, a line every ten seconds elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from pronghorn.load import figures, words
from pronghorn.load.spec import Extent, LoadSpec
from pronghorn.model.load_report import Progress
from pronghorn.terminal import Terminal

_PLAIN_EVERY_S = 10.0

Observer = Callable[[Progress], None]


@contextmanager
def watching(spec: LoadSpec, url: str, *, quiet: bool) -> Iterator[Observer]:
    """What is to be given each line of progress; it shows them until the context ends."""
    if quiet:
        yield lambda _: None
        return
    console = Terminal(stderr=True, highlight=False)
    opening = f"{url} over {words.over(spec)}; {words.loop(spec)}"
    if not console.is_terminal:
        print(opening, file=sys.stderr, flush=True)
        yield _Plain()
        return
    console.print(Text(opening, style="dim"))
    with Live(console=console, transient=True, auto_refresh=False) as live:
        yield lambda progress: live.update(_bar(spec, progress), refresh=True)


class _Plain:
    def __init__(self) -> None:
        self._said_s = 0.0

    def __call__(self, progress: Progress) -> None:
        if progress.elapsed_s - self._said_s >= _PLAIN_EVERY_S:
            self._said_s = progress.elapsed_s
            print(standing(progress), file=sys.stderr, flush=True)


def standing(progress: Progress) -> str:
    """One line: `12 s: 648 230 sent, 64 810/s, 39.7 MB/s, p50 1.2 ms, 1000 in flight on 10 connections`."""
    parts = [f"{figures.grouped(progress.sent)} sent", f"{figures.digits(progress.requests_per_second)}/s"]
    if progress.payload_per_second:
        parts.append(f"{figures.size(progress.payload_per_second)}/s")
    for name, value in (("p50", progress.p50_s), ("p99", progress.p99_s)):
        if value is not None:
            parts.append(f"{name} {figures.duration(value)}")
    connections = words.counted(progress.connected, "connection")
    parts.append(f"{figures.grouped(progress.in_flight)} in flight on {connections}")
    if progress.failed:
        parts.append(f"{figures.grouped(progress.failed)} failed")
    phase = "" if progress.phase in (None, "measure") else f" ({str(progress.phase).replace('_', '-')})"
    return f"{progress.elapsed_s:.0f} s{phase}: {', '.join(parts)}"


def _bar(spec: LoadSpec, progress: Progress) -> Table:
    line = Table.grid(padding=(0, 1))
    warm_up = spec.warm_up or Extent()
    if spec.stop.requests is not None:
        done: float = progress.succeeded + progress.failed
        total: float = spec.stop.requests + (warm_up.requests or 0)
    else:
        done = progress.elapsed_s
        total = (spec.stop.duration_s or 0) + (warm_up.duration_s or 0)
    line.add_row(ProgressBar(total=total, completed=min(done, total), width=24), Text(standing(progress)))
    return line
