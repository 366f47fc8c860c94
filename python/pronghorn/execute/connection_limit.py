"""Loads that failed where a server's own configuration takes fewer connections than were asked for."""

from collections.abc import Iterator, Sequence

from pronghorn.analysis.numbers import count
from pronghorn.execute.caution import Caution
from pronghorn.model.experiment import Experiment
from pronghorn.model.load import CLIENT
from pronghorn.model.trial import Trial

WORKER_CONNECTIONS = 768
"""How many a worker of the shipped configurations of nginx has room for, of the one behind HAProxy too."""

_SERVERS = ("nginx", "haproxy")


def cautions(experiment: Experiment, trials: Sequence[Trial]) -> Iterator[Caution]:
    """The warning. nginx spends a connection on each of QUIC's streams as well (`ngx_quic_create_stream`
    takes one), so that h3 meets the bound first."""
    load = experiment.load
    if load is None:
        return
    found = [
        trial
        for trial in trials
        if trial.status == "failed"
        and trial.cell.client == CLIENT
        and trial.cell.origin.partition(":")[0] in _SERVERS
        and load.connections * (1 + load.streams * experiment.arm(trial.arm).over_quic) >= WORKER_CONNECTIONS
    ]
    if found:
        yield Caution(
            "worker-connections",
            f"{count(len(found), 'load')} failed that asked for more than nginx's worker_connections "
            f"({WORKER_CONNECTIONS}; over h3 each stream counts as one as well), such as {found[0].cell}, "
            f"{found[0].arm}: {found[0].detail}.",
            "Ask for fewer: --set load.connections=N; or raise worker_connections in a configuration of your "
            "own: --set origins=nginx:FILE (docs/servers.md).",
        )
