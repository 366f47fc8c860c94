"""What the notebook says and does: its cells, in order.

The code stands on the run's files alone and imports nothing of ours, so that whoever reads it sees every step
from the trials to the verdict's figures and can change it.
"""

from pathlib import Path
from typing import Literal, NamedTuple

from pronghorn.model.summary import Summary
from pronghorn.report.markdown import escaped


class Source(NamedTuple):
    """One cell of the notebook."""

    kind: Literal["markdown", "code"]
    text: str


_LOADING = """\
import json
import math
from pathlib import Path

import altair as alt
import numpy as np
import polars as pl

alt.renderers.enable("png", scale_factor=2)  # pictures that any viewer shows, without a network
alt.data_transformers.disable_max_rows()
pl.Config.set_tbl_rows(60).set_fmt_str_lengths(80)

RUN = Path({run!r})
summary = json.loads((RUN / "summary.json").read_text(encoding="utf-8"))
ARMS, BASELINE, CONFIDENCE = summary["arms"], summary["baseline"], summary["confidence"]
CELL = ["site", "path", "origin", "client"]
CELL += ["kernel"] if any("kernel" in cell for cell in summary["cells"]) else []
columns = [*CELL, "arm", "block", "attempt", "status", "load_s", "requests_per_second"]
trials = pl.read_parquet(RUN / "trials.parquet", columns=columns)
trials"""

_COUNTED = """\
block = [*CELL, "block"]
of_arms = trials.filter(pl.col("arm").is_in(ARMS))
final = of_arms.filter(pl.col("attempt") == pl.col("attempt").max().over(block))
clean = (pl.col("status") != "contaminated").all().over(block)
whole = (pl.col("arm").n_unique() == len(ARMS)).over(block)
failed = (pl.col("status") == "failed") | pl.col("load_s").is_null()
makes_loads = pl.col("client") == "load"
counted = (
    final.filter(clean & whole)
    .with_columns(
        cell=pl.concat_str(CELL, separator="/"),
        failed=failed,
        what=pl.when(makes_loads).then(pl.lit("requests per second")).otherwise(pl.lit("load time (s)")),
        value=pl.when(makes_loads)
        .then(pl.col("requests_per_second").fill_null(0.0))
        .otherwise(pl.when(failed).then(math.inf).otherwise(pl.col("load_s"))),
    )
    .sort("cell", "arm", "block")
)
counted.group_by("cell", "arm", maintain_order=True).agg(n=pl.len(), failed=pl.col("failed").sum())"""

_COMPARED = """\
generator = np.random.default_rng(summary["seed"])


def ratio_of_medians(arm, baseline):
    \"\"\"The ratio with the ends of its interval, None with too few blocks for one; both arms'
    values stand in the blocks' order.\"\"\"
    resamples = max(1000, min(10_000, 4_000_000 // len(arm)))
    draws = generator.integers(0, len(arm), size=(resamples, len(arm)))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.median(arm[draws], axis=1) / np.median(baseline[draws], axis=1)
        ratio = np.median(arm) / np.median(baseline)
    tail = (1 - CONFIDENCE) / 2
    if 2 * 0.5 ** len(arm) > 2 * tail:
        return ratio, None, None
    unknown = np.isnan(ratios)
    low = np.quantile(np.where(unknown, 0.0, ratios), tail, method="lower")
    high = np.quantile(np.where(unknown, np.inf, ratios), 1 - tail, method="higher")
    return ratio, low, high


values = {
    (cell, arm): rows["value"].to_numpy()
    for (cell, arm), rows in counted.group_by("cell", "arm", maintain_order=True)
}
rows = []
for (cell, arm), mine in values.items():
    ratio, low, high = ratio_of_medians(mine, values[cell, BASELINE])
    rows.append(
        {
            "cell": cell,
            "arm": arm,
            "blocks": len(mine),
            "median": np.median(mine),
            f"ratio to {BASELINE}": ratio,
            "low": low,
            "high": high,
        }
    )
medians = pl.DataFrame(rows, infer_schema_length=None)
medians"""

_CHECKED = """\
told = {}
for found in summary["cells"]:
    cell = "/".join(found[key] for key in CELL)
    for arm, figures in found["arms"].items():
        leading = figures["requests_per_second"] if found["client"] == "load" else figures
        told[cell, arm] = math.inf if leading["median"] is None else leading["median"]
for row in medians.iter_rows(named=True):
    assert math.isclose(row["median"], told[row["cell"], row["arm"]], rel_tol=1e-9), row
print(f"{len(medians)} medians, each that of summary.json")"""

_DISTRIBUTIONS = """\
steps = counted.with_columns(
    share=pl.col("value").rank("max").over("cell", "arm") / pl.len().over("cell", "arm")
).filter(pl.col("value").is_finite())


def axis(rows):
    \"\"\"Logarithmic where the values differ by a factor of four.\"\"\"
    least, most = rows["value"].min(), rows["value"].max()
    wide = least is not None and least > 0 and most / least >= 4
    return alt.Scale(type="log" if wide else "linear", zero=False, nice=False, padding=8)


distributions = [
    alt.Chart(rows.select("cell", "arm", "value", "share"))
    .mark_line(interpolate="step-after")
    .encode(
        x=alt.X("value:Q", title=what, scale=axis(rows), axis=alt.Axis(tickCount=8)),
        y=alt.Y("share:Q", title="share of loads", scale=alt.Scale(domain=[0, 1])),
        color=alt.Color("arm:N", sort=ARMS),
        strokeDash=alt.StrokeDash("arm:N", sort=ARMS, legend=None),
    )
    .properties(width=560, height=140)
    .facet(row=alt.Row("cell:N", title=None), title=site)
    for (site, what), rows in steps.group_by("site", "what", maintain_order=True)
]
alt.vconcat(*distributions) if distributions else print("No load was done: there is nothing to draw")"""

_VIOLINS = """\
shaped = counted.filter(
    pl.col("value").is_finite() & (pl.col("value") > 0),
    pl.col("value").n_unique().over("cell", "arm") >= 3,
).with_columns(logarithm=pl.col("value").log10())
violins = [
    alt.Chart(rows.select("cell", "arm", "logarithm"))
    .transform_density("logarithm", as_=["logarithm", "density"], groupby=["cell", "arm"])
    .mark_area(orient="horizontal")
    .encode(
        y=alt.Y(
            "logarithm:Q",
            title=f"{what}, logarithmic",
            scale=alt.Scale(zero=False),
            axis=alt.Axis(labelExpr="format(pow(10, datum.value), '.3~g')"),
        ),
        x=alt.X("density:Q", stack="center", axis=None),
        color=alt.Color("arm:N", sort=ARMS, legend=None),
    )
    .properties(width=90, height=200)
    .facet(
        column=alt.Column("arm:N", sort=ARMS, title=None), row=alt.Row("cell:N", title=None), title=site
    )
    .resolve_scale(x="independent")
    for (site, what), rows in shaped.group_by("site", "what", maintain_order=True)
]
alt.vconcat(*violins) if violins else print("No arm has three trials that differ: there is no violin")"""


_ABOUT = """\
This notebook reads the run's table of trials and recomputes its figures: medians with intervals,
distributions, violins. The report's own are in `report.html` and `summary.json`."""

_ABOUT_COUNTED = """\
## The trials that count

The last attempt of every block, if it is complete (a trial of every arm) and no trial is contaminated. A
failed load counts as slower than any other: its time is infinite. Loads of many requests count by their
requests per second."""

_ABOUT_COMPARED = """\
## Medians, and their ratios with intervals

Whole blocks are drawn with replacement, because a block's trials share their path and their time. The
interval is the percentile interval of the ratio of medians. The draws differ from the report's, so an
interval's ends may differ a little."""

_ABOUT_DISTRIBUTIONS = """\
## Distributions

The share of loads that finished within a time. A curve with failed loads ends below 1."""

_ABOUT_VIOLINS = """\
## Violins

Densities of the values' logarithms, all cells of a site on one scale."""


def sources(summary: Summary, run: Path) -> list[Source]:
    """The cells of a run's notebook; `run` is where its directory lies from the notebook's own."""
    return [
        Source("markdown", _opening(summary)),
        Source("code", _LOADING.format(run=str(run))),
        Source("markdown", _ABOUT_COUNTED),
        Source("code", _COUNTED),
        Source("markdown", _ABOUT_COMPARED),
        Source("code", _COMPARED),
        Source("markdown", "The medians equal the report's:"),
        Source("code", _CHECKED),
        Source("markdown", _ABOUT_DISTRIBUTIONS),
        Source("code", _DISTRIBUTIONS),
        Source("markdown", _ABOUT_VIOLINS),
        Source("code", _VIOLINS),
    ]


def _opening(summary: Summary) -> str:
    said = [f"- {escaped(sentence)}" for sentence in summary.headline]
    label = [f"**{escaped(summary.label)}**\n"] if summary.label else []
    return "\n".join([f"# {escaped(summary.name)}\n", *label, *said, f"\n{_ABOUT}"])
