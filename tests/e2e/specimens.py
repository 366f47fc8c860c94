"""Reports and a map of made-up runs, in which everything stands that one may have, and little of each."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pronghorn.mapping import page, picture, result, sentence
from pronghorn.mapping.batches import SeenBlock, SeenPoint
from pronghorn.mapping.domain import Point
from pronghorn.mapping.explore import explore
from pronghorn.mapping.fitted import fitted
from pronghorn.mapping.observed import Observation
from pronghorn.model.explanation import Explanation
from pronghorn.model.sampling import Sampling
from pronghorn.model.trial import Trial
from pronghorn.model.why import PARTS, Why
from pronghorn.report import html

from ..unit.analysis import made_flights, pages, published_loads, reported, synthetic
from ..unit.analysis.reported import MANIFEST
from ..unit.analysis.synthetic import Behaviour, summarised
from ..unit.mapping.maps import a_map
from ..unit.mapping.simulated import DOMAIN, MARGIN, slope
from ..unit.report import arrived_loads, own_map

ARMS = ("h2", "h3", "h3+0rtt")
BLOCKS = 8
REQUESTS = 6


def of_pages(folder: Path) -> Path:
    """The report of page loads over two paths, on one of which some fail; with waterfalls, flights,
    parts of the time, an explanation, a map, warnings, unequal settings, and sampling by a rule."""
    near = synthetic.cell("lan")
    poor = synthetic.cell("lte-poor")
    behaviours = {
        near: {arm: Behaviour(0.3 * 0.8**place) for place, arm in enumerate(ARMS)},
        poor: {arm: Behaviour(4.0 * 0.8**place, 0.4, 0.3, 2.0, 0.2) for place, arm in enumerate(ARMS)},
    }
    trials = [_complete(one, folder) for one in synthetic.run(behaviours, blocks=BLOCKS)]
    asked = Explanation(name="protocol first", metric="load", chain=ARMS, steps=("protocol", "0-RTT"))
    summary = summarised(
        trials,
        name="Is HTTP/3 faster?",
        arms=ARMS,
        baseline="h2",
        seed=1,
        limit_s=180.0,
        label="A made-up run",
        notes=["The arms differ in initial window."],
        explanations=[asked],
        resamples=1000,
        sampling=Sampling(least=6, most=BLOCKS, until="decided"),
    )
    rows = [
        {
            "setting": "initial window",
            "unit": "bytes",
            "by_arm": dict(zip(ARMS, (14480, 12000, 12000), strict=True)),
            "equal": False,
            "effect": "Data in the larger first flight arrives one round trip earlier.",
            "remedy": "Give all arms the same.",
        }
    ]
    fairness = [
        {"cell": cell.model_dump(), "rows": rows, "unequalled": ["One thing can't be."]}
        for cell in (near, poor)
    ]
    own_map.left(folder)
    file = folder / "pages.html"
    html.write(summary, trials, MANIFEST | {"fairness": fairness}, file, folder)
    return file


def of_many_cells(folder: Path) -> Path:
    """The report of a run of so many cells that its verdicts are a table; some loads fail."""
    cells = [
        synthetic.cell(f"path-{number}", origin=name) for number in range(5) for name in ("caddy", "nginx")
    ]
    times = {"h1": Behaviour(1.1, fails=0.2), "h2": Behaviour(1.0), "h3": Behaviour(0.8, 0.2)}
    trials = synthetic.run(dict.fromkeys(cells, times), blocks=6)
    file = folder / "many.html"
    found = summarised(
        trials, name="Many cells", arms=tuple(times), baseline="h2", seed=1, limit_s=180.0, resamples=1000
    )
    html.write(found, trials, MANIFEST, file)
    return file


def of_arrivals(folder: Path) -> Path:
    """The report of a run that kept what the paths saw: handshake ladders, and a timeline with its slider."""
    trials = arrived_loads.run_of(folder)
    file = folder / "arrivals.html"
    html.write(reported.summary(trials), trials, MANIFEST, file, folder)
    return file


def of_loads(folder: Path) -> Path:
    """The report of generated loads: the map of ratios, published figures and their claims."""
    kept = ("delay", "loss")
    trials = [one for one in published_loads.study(blocks=6) if one.cell.path in kept]
    file = folder / "loads.html"
    html.write(published_loads.summary(trials), trials, MANIFEST, file)
    return file


def of_a_map(folder: Path) -> Path:
    """The page of a map."""

    def measure(points: Sequence[Point]) -> list[Observation]:
        means = slope(np.array([DOMAIN.unit(point) for point in points]))
        scatter = (-0.01, 0.0, 0.01)
        return [
            Observation(point, tuple(float(mean) + each for each in scatter))
            for point, mean in zip(points, means, strict=True)
        ]

    observations = explore(DOMAIN, measure, margin=MARGIN, seed=1, points=24).observations
    found = fitted(DOMAIN, observations, margin=MARGIN, seed=1, counts=(17, 17, 2))
    seen = [
        SeenPoint(
            one.point,
            1,
            tuple(
                SeenBlock(block, {"h2": 1.0, "h3": math.exp(value)}, value)
                for block, value in enumerate(one.log_ratios)
            ),
            0,
        )
        for one in observations
    ]
    said = sentence.sentences(found, site="small", arm="h3", baseline="h2")
    told = result.document(
        a_map(), found, seen, arm="h3", baseline="h2", reason="budget", sentences=said, warnings=[]
    )
    places = [one.point for one in seen]
    drawing, narrow = (
        picture.picture(found, places, arm="h3", baseline="h2", label=" ".join(said), columns=columns)
        for columns in (picture.COLUMNS, 1)
    )
    file = folder / "map.html"
    file.write_text(page.page(told, found, seen, drawing, narrow), encoding="utf-8")
    return file


def _complete(trial: Trial, folder: Path) -> Trial:
    """The trial with its requests and the parts of its time and, in the first blocks, a flight."""
    protocol = trial.arm[:2]
    load = pages.page([pages.resource(number, protocol) for number in range(REQUESTS)], protocol)
    whole = trial.model_copy(update={"page": load, "why": _parts(trial.metrics.load_s)})
    if trial.block >= 2:
        return whole
    flight = made_flights.flight(made_flights.quic() if protocol == "h3" else made_flights.end())
    where = folder / str(trial.cell.path)
    left = made_flights.trial_of(where, trial.arm, trial.block, flight)
    artifacts = {kind: f"{trial.cell.path}/{file}" for kind, file in left.artifacts.items()}
    assert left.page is not None
    told = {"page": left.page.model_copy(update={"resources": load.resources}), "artifacts": artifacts}
    return whole.model_copy(update=told)


def _parts(load_s: float | None) -> Why | None:
    """Each part as long as the others."""
    return None if load_s is None else Why(parts=dict.fromkeys(PARTS, load_s / len(PARTS)))
