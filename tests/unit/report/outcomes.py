"""Trials whose page loads tell how much they loaded, left out and tolerated, and why they failed."""

import io
from collections.abc import Sequence
from typing import Any

from pronghorn.model.summary import Summary
from pronghorn.model.trial import Cell, LeftOut, Metrics, PageLoad, Resource, Trial
from pronghorn.report.terminal import render
from pronghorn.terminal import Terminal

from ..analysis.synthetic import cell, summarised, trial

SHOP = cell("lte", site="shop")
BLOCKS = 8


def elsewhere(number: int) -> list[LeftOut]:
    """References to another host."""
    return [
        LeftOut(url=f"https://cdn.example/{place}.js", why="other-host", kind="script")
        for place in range(number)
    ]


def loads(
    where: Cell,
    arm: str,
    times: Sequence[float | None],
    *,
    requests: int = 20,
    size: int = 600_000,
    left_out: Sequence[LeftOut] = (),
    scripts: Sequence[str] = (),
    tolerated: int = 0,
    reason: str = "timeout",
    detail: str | None = None,
) -> list[Trial]:
    """An arm's trials, one a block; without a time one failed."""
    page: dict[str, Any] = {
        "requests": requests,
        "bytes": size,
        "left_out": list(left_out),
        "left_out_count": len(left_out),
        "scripts_not_run": list(scripts),
        "scripts_not_run_count": len(scripts),
        "failures": tolerated,
        "resources": [Resource(path="/", status=200, protocol="h2", from_cache=requests == 0)],
    }
    made = []
    for block, load_s in enumerate(times):
        failed = load_s is None
        one = trial(where, arm, block, load_s, reason=reason if failed else None)
        one.detail = detail if failed else None
        one.page = PageLoad(
            outcome="failed" if failed else "ok", reason=one.reason, detail=one.detail, load_s=load_s, **page
        )
        one.metrics = Metrics(load_s=load_s, ttfb_s=load_s, requests=requests, bytes=size, failures=tolerated)
        made.append(one)
    return made


def steady(median_s: float) -> list[float | None]:
    """Times about a median, one a block."""
    return [median_s * (1 + block / 1000) for block in range(BLOCKS)]


def contaminated(
    where: Cell, arm: str, *, reason: str = "starved", detail: str = "others took it"
) -> list[Trial]:
    """An arm's trials, none of which may be trusted, in each of three attempts."""
    return [
        trial(where, arm, block, 1.0, attempt=attempt, status="contaminated", reason=reason).model_copy(
            update={"detail": detail}
        )
        for block in range(BLOCKS)
        for attempt in range(3)
    ]


def summary(trials: Sequence[Trial], arms: Sequence[str] = ("h2", "h3")) -> Summary:
    """What a run of these trials says."""
    return summarised(trials, name="Shop", arms=arms, baseline="h2", seed=1, limit_s=60.0, resamples=1000)


def shown(found: Summary) -> str:
    """The summary on a terminal of 100 columns."""
    out = io.StringIO()
    render(found, Terminal(file=out, width=100, color_system=None))
    return out.getvalue()
