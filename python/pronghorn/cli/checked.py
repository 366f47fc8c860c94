"""How checks end a command: what became of them on stderr, and the exit status."""

import sys
from collections.abc import Sequence

import typer

from pronghorn.checks.result import Result, lines
from pronghorn.errors import EXIT_CHECK_FAILED, NothingMeasured
from pronghorn.model.loaded import Unmeasured

CHECK_HELP = (
    "Exit with status 1 unless this holds. Either VALUE < VALUE (or <=, >, >=, ==, !=), or ARM is "
    "VERDICT, or ARM is not VERDICT (faster, slower, same, undecided). A VALUE is a number, a time (2s, "
    "80ms), an ARM or a ratio ARM/ARM. Behind an arm, name a metric (load, ttfb, requests_per_second, "
    "...; default: load) and a statistic (median, mean, p95, ..., n, failed, contaminated; default: "
    "median). 'on CELLS' names where it must hold: a path, or SITE/PATH/ORIGIN/CLIENT with * as a "
    "wildcard; default: all cells. 'surely' before it demands the whole 95 % interval. Examples: 'h3/h2 "
    "load median < 1.05 on lte', 'h3 is faster on lte-*'. docs/ci.md has recipes."
)


def tell(results: Sequence[Result], unmeasured: Unmeasured | None = None) -> None:
    """Says on stderr what became of checks; NothingMeasured where nothing was, else Exit with status 1 where
    one fails."""
    for line in lines(results):
        print(line, file=sys.stderr)
    if unmeasured is not None:
        raise NothingMeasured(unmeasured.text, hint=unmeasured.remedy)
    if not all(result.holds for result in results):
        raise typer.Exit(EXIT_CHECK_FAILED)
