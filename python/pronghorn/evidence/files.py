"""The file that a person names, whichever it is."""

from pathlib import Path

from pronghorn.evidence import har, pcap, qlog
from pronghorn.traps.facts import Facts


def facts(hars: list[Path], capture: Path | None, keys: Path | None, log: Path | None) -> Facts:
    """What it tells; InputError where it can't be used. One of them is given."""
    if hars:
        return har.facts(hars)
    if capture is not None:
        return pcap.facts(capture, keys)
    if log is None:
        raise ValueError("no file")
    return qlog.facts(log)
