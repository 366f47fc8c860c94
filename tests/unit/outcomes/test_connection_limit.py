"""Loads that failed beyond nginx's worker_connections are told of its bound."""

import pytest

from pronghorn.execute import connection_limit
from pronghorn.model.load import LoadSettings
from pronghorn.model.trial import Trial

from ..analysis.synthetic import cell, trial
from ..checks.runs import experiment


def failed(arm: str, origin: str = "nginx") -> Trial:
    """A load in which connections could not be made."""
    where = cell("lan", origin=origin, client="load")
    one = trial(where, arm, 0, None, reason="connections")
    return one.model_copy(update={"detail": "connections could not be made any more (timeout 44)"})


@pytest.mark.parametrize(
    ("arm", "origin", "connections", "warned"),
    [
        ("h3", "nginx", 400, True),
        ("h3", "nginx:patient", 400, True),
        ("h2", "nginx", 400, False),
        ("h2", "nginx", 768, True),
        ("h3", "nginx", 300, False),
        ("h3", "builtin", 1000, False),
    ],
)
def test_the_bound_is_named_where_a_load_exceeds_it(
    arm: str, origin: str, connections: int, warned: bool
) -> None:
    asked = experiment().model_copy(update={"load": LoadSettings(requests=9, connections=connections)})
    found = list(connection_limit.cautions(asked, [failed(arm, origin)]))
    assert bool(found) is warned
    if warned:
        assert "worker_connections (768; over h3 each stream counts as one as well)" in found[0].text
        assert "--set load.connections=N" in found[0].remedy
