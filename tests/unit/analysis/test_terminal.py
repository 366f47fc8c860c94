"""What the terminal shows."""

import io

from pronghorn.report.terminal import render
from pronghorn.terminal import Terminal

from .synthetic import cell, paired, summarised

LTE = cell("lte")
TIMES: dict[str, list[float | None]] = {
    "h2": [1.0 + place / 100 for place in range(12)],
    "h3": [0.5 + place / 100 for place in range(11)] + [None],
}

EXPECTED = """\

lte  load time in s · baseline h2
  arm   median   mean     p90       p99     min      max    n   failed
  ────────────────────────────────────────────────────────────────────
  h2     1.055      –   1.100    1.110*   1.000    1.110   12        0
  h3     0.555      –   0.600   failed*   0.500   failed   12        1
  lte: h3 is faster than h2: median load 555 ms against 1.06 s (ratio 0.526, 95 % interval 0.512 to
  0.539; difference -500 ms [-500, -500]; faster in 11 of 12 blocks); h3 failed in 1 of 12 trials
  (timeout 1), h2 in none; in 11 blocks in which both loaded the ratio is 0.524, 95 % interval 0.510
  to 0.537
  Each load: 21 requests, 600 kB.
  * too few trials for p99: the largest value is shown
  No mean is shown because trials failed. Failed trials count as the slowest of all.

Is it?
  h3 is faster than h2 on lte.
  note: The host was warm.
"""


def shown(width: int, label: str | None = None) -> str:
    found = summarised(
        paired(LTE, TIMES),
        name="Is it?",
        arms=["h2", "h3"],
        baseline="h2",
        seed=1,
        limit_s=180.0,
        label=label,
        notes=["The host was warm."],
    )
    out = io.StringIO()
    render(found, Terminal(file=out, width=width, color_system=None))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def test_a_cell_its_verdict_and_the_headline_last() -> None:
    assert shown(100) == EXPECTED


def test_eighty_columns_hold_the_table() -> None:
    assert all(len(line) <= 80 and "…" not in line for line in shown(80).splitlines())


def test_the_label_stands_at_the_table_and_at_the_headline() -> None:
    assert shown(200, "no emulated network on this host").count("no emulated network on this host") == 3
