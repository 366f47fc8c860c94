"""Runs on disk whose trials left arrivals, made by hand."""

from pathlib import Path

from pronghorn.model.arrivals import DOWN, UP
from pronghorn.model.summary import CellSummary
from pronghorn.model.trial import Counters, Trial
from tests.made_arrivals import MadeConnection, single_loss, write

from ..analysis.pages import loaded, page, resource
from ..analysis.reported import summary
from ..analysis.synthetic import cell

BASE_S = 100.0
STARTED_S = 99.99
"""A load began 10 ms before its arrivals' base."""

OFFSET_S = BASE_S - STARTED_S


def over_tcp() -> MadeConnection:
    """A handshake over 20 ms each way from 0 on, whose first SYN is lost and sent again a second later; the
    certificate takes two packets."""
    made = MadeConnection("tcp", "h2")
    made.packet(UP, 0.0, None, kind="SYN", says=("SYN",))
    made.packet(UP, 1.0, 1.02, kind="SYN", says=("SYN",), again=True)
    made.packet(DOWN, 1.02, 1.04, kind="SYN ACK", says=("SYN ACK",))
    made.packet(UP, 1.04, 1.06, says=("ACK",))
    made.packet(UP, 1.041, 1.061, kind="data", says=("ClientHello",))
    made.packet(DOWN, 1.061, 1.081, kind="data", says=("ServerHello", "EncryptedExtensions", "Certificate"))
    made.packet(DOWN, 1.0611, 1.0811, kind="data", says=("Certificate", "CertificateVerify", "Finished"))
    made.packet(UP, 1.082, 1.102, kind="data", says=("Finished",))
    made.request(0, "/", 1.0821, 1.1021)
    made.down(0, 1000, 1.103, 1.123, says=("first byte of the response",))
    return made


def over_quic() -> MadeConnection:
    """A handshake over 20 ms each way from 0 on."""
    made = MadeConnection()
    made.packet(UP, 0.0, 0.02, kind="Initial", says=("ClientHello",))
    made.packet(
        DOWN, 0.021, 0.041, kind="Initial+Handshake", says=("ServerHello", "EncryptedExtensions", "Finished")
    )
    made.packet(UP, 0.042, 0.062, kind="Handshake", says=("Finished",))
    made.request(0, "/", 0.043, 0.063)
    made.down(0, 1000, 0.064, 0.084, says=("first byte of the response",))
    return made


def left(
    run: Path, arm: str, block: int, load_s: float | None, *made: MadeConnection, lost: int = 1
) -> Trial:
    """A trial that left these connections as its arrivals and on whose path so many packets were lost."""
    file = f"artifacts/{arm},block{block}/arrivals.json.gz"
    (run / file).parent.mkdir(parents=True)
    write(run / file, *made, base_s=BASE_S)
    seen = page([resource(0, arm[:2])], arm[:2], started_monotonic_s=STARTED_S, load_s=load_s)
    counters = Counters.model_validate({"down": {"lost": lost}})
    changes = {"artifacts": {"arrivals": file}, "counters": counters}
    return loaded(arm, block, load_s, seen).model_copy(update=changes)


def by_arm(trials: list[Trial]) -> dict[str, list[Trial]]:
    """The trials as a report's parts take them."""
    return {one.arm: [each for each in trials if each.arm == one.arm] for one in trials}


def cell_of(trials: list[Trial]) -> CellSummary:
    """The summary of their one cell."""
    arms = list(by_arm(trials))
    (found,) = summary(trials, arms=arms, baseline=arms[0]).cells
    return found


def run_of(folder: Path, paths: tuple[str, ...] = ("lte",)) -> list[Trial]:
    """A run of three blocks a path: handshakes on an undisturbed one, save for a loss in the second."""
    found = []
    for path in paths:
        for arm, transport, made in (("h2", "tcp", over_tcp), ("h3", "quic", over_quic)):
            kept = [
                left(folder / path, arm, 0, 1.2, made(), lost=0),
                left(folder / path, arm, 1, 0.2, single_loss(transport)),
                left(folder / path, arm, 2, 1.2, made(), lost=0),
            ]
            found += [
                one.model_copy(
                    update={
                        "cell": cell(path),
                        "artifacts": {"arrivals": f"{path}/{one.artifacts['arrivals']}"},
                    }
                )
                for one in kept
            ]
    return found
