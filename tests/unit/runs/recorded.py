"""A journal's header and trials."""

from pronghorn.model.trial import Cell, Metrics, RunHeader, Trial

HEADER = RunHeader(program="test", seed=1, experiment="e")


def trial(block: int, arm: str = "h2") -> Trial:
    return Trial(
        cell=Cell(site="tiny", path="lan", origin="builtin", client="native"),
        arm=arm,
        block=block,
        attempt=0,
        position=0,
        path_seed=2**64 - 1,
        slot=0,
        started="2026-01-01T00:00:00.000Z",
        status="ok",
        metrics=Metrics(load_s=1.5),
    )
