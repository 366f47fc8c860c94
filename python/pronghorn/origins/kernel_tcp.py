"""The sending side of every server that leaves TCP to the kernel."""

from pathlib import Path

_INITIAL_WINDOW = "10 segments (Linux, RFC 6928)"
_HYSTART = Path("/sys/module/tcp_cubic/parameters/hystart")

UNTIL_LOSS = "the first loss"
UNTIL_PLATEAU = "a plateau of the bandwidth (BBR)"
UNTIL_QUEUE = "HyStart's signs of a queue, or the first loss"


def settings(congestion_control: str) -> dict[str, str]:
    """For the manifest: the transport, its congestion control, its initial window and what ends slow start,
    as the kernel ships them."""
    until = UNTIL_PLATEAU if congestion_control == "bbr" else UNTIL_LOSS
    if congestion_control == "cubic" and _hystart():
        until = UNTIL_QUEUE
    return {
        "transport": "kernel TCP",
        "congestion_control": congestion_control,
        "initial_window": _INITIAL_WINDOW,
        "slow_start_until": until,
    }


def _hystart() -> bool:
    """Whether the kernel's CUBIC leaves slow start by HyStart (Ha and Rhee 2011), as it does by default."""
    try:
        return _HYSTART.read_text(encoding="ascii").strip() != "0"
    except OSError:
        return True
