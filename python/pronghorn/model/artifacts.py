"""The names of what trials leave beside the journal where the experiment asks for it:
RUN/artifacts/TRIAL/path.pcapng and others."""

import hashlib
import re

from pronghorn.model.cell import DIMENSIONS
from pronghorn.model.trial import TrialKey

FOLDER = "artifacts"
PCAPNG = "pcapng"
FLIGHT, ARRIVALS, QLOG = "flight", "arrivals", "qlog"
HAR, NETLOG, SCREENSHOT, FILMSTRIP = "har", "netlog", "screenshot", "filmstrip"

ARRIVALS_FILE = "arrivals.json.gz"

FILES = {
    PCAPNG: "path.pcapng",
    FLIGHT: "flight.json",
    ARRIVALS: ARRIVALS_FILE,
    QLOG: "qlog",
    HAR: "load.har",
    NETLOG: "netlog.json",
    SCREENSHOT: "screenshot.png",
    FILMSTRIP: "filmstrip.json",
}
OF_A_PATH = (PCAPNG, FLIGHT, ARRIVALS)
"""Those which only an emulated path can leave."""

PRIVATE = (PCAPNG, HAR, NETLOG)
"""Those which hold secrets: of TLS, or a browser's cookies."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._+@~-]")
_DIGITS = 8


def trial_name(key: TrialKey) -> str:
    """The name of a trial's folder; no two trials of a run share it. A repeated attempt is named as such, so
    that what a discarded one left is never taken for the kept one's."""
    cell = key.cell
    parts = [_safe(part) for part in (*(getattr(cell, name) for name in DIMENSIONS), key.arm) if part]
    parts.append(f"block{key.block}")
    if key.attempt:
        parts.append(f"attempt{key.attempt}")
    return ",".join(parts)


def _safe(part: str) -> str:
    """`part` as a piece of a file's name: where characters had to go, digits of its SHA-256 tell it apart."""
    plain = _UNSAFE.sub("_", part.rpartition("/")[2])
    return plain if plain == part else f"{plain}-{hashlib.sha256(part.encode()).hexdigest()[:_DIGITS]}"
