"""Windows and buffers below what the path holds are named where they were what bound a transfer."""

from pathlib import Path

import pytest

from pronghorn.model.path import PathProfile
from pronghorn.model.trial import Trial

from .records import ROUND_TRIP_S, codes, experiment, flown, found, profile, text, trial

WINDOW, RECEIVE, SEND = "flow-control-window", "tcp-receive-buffer", "tcp-send-buffer"
FAR = profile(rate=100_000_000, round_trip_s=0.1)
BDP = 1_250_000
SMALL = 100_000


def load(arm: str, size: int, windows: float, window: int, round_trip_s: float, **more: object) -> Trial:
    """A load whose rate is so many `windows` a round trip."""
    seconds = size / (windows * window / round_trip_s)
    return trial(arm, size=size, seconds=seconds, **more)  # type: ignore[arg-type]


def announced(size: int) -> dict[str, dict[str, int]]:
    return {"settings": {"stream_window": size}}


def test_quinns_own_window_is_named_on_a_path_that_holds_as_much() -> None:
    shipped = load("h3", 20_000_000, 0.62, BDP, 0.1, connection=announced(BDP))
    said = text(found(experiment(path=FAR), [shipped]), WINDOW)
    assert "allows a stream 1.25 MB in flight" in said
    assert "The path holds 1.25 MB (100 Mbit/s × 100 ms)" in said
    assert "such a window allows at most 100 Mbit/s" in said


@pytest.mark.parametrize(
    ("size", "windows", "path"),
    [
        (20_000_000, 0.62, profile(rate=80_000_000, round_trip_s=0.1)),
        (2_000_000, 0.62, FAR),
        (20_000_000, 0.3, FAR),
        (20_000_000, 1.4, profile(rate=300_000_000, round_trip_s=0.1)),
    ],
    ids=["the path holds less", "hardly more than a window", "losses hold it down", "the window grew"],
)
def test_it_is_not_where_something_else_binds(size: int, windows: float, path: PathProfile) -> None:
    asked = experiment(("h3",), path=path)
    assert WINDOW not in codes(found(asked, [load("h3", size, windows, BDP, 0.1, connection=announced(BDP))]))


def test_the_window_that_was_read_back_counts() -> None:
    wide = load("h3", 20_000_000, 0.62, BDP, 0.1, connection=announced(16 * 2**20))
    assert WINDOW not in codes(found(experiment(path=FAR), [wide]))
    narrow = load("h2", 2_000_000, 0.8, SMALL, ROUND_TRIP_S, connection=announced(SMALL))
    assert "allows a stream 100 kB" in text(found(experiment(), [narrow]), WINDOW)


def test_a_connections_window_binds_all_its_streams_together() -> None:
    told = {"settings": {"stream_window": 10**7, "connection_window": SMALL}}
    one = load("h3", 1_000_000, 0.45, SMALL, ROUND_TRIP_S, connection=told, beside=1_000_000)
    assert "allows a connection 100 kB" in text(found(experiment(), [one]), WINDOW)


def plateau(at: float, lost: float = 0.0) -> dict[str, list[float | None]]:
    """A sender that has `at` bytes on the way from the second sample on."""
    return {
        "at_s": [0.0, 0.1, 1.1, 1.2],
        "cwnd_bytes": [12_000, 2 * at, 2 * at, 2 * at],
        "in_flight_bytes": [0, at, at, 0],
        "lost_packets": [0, lost, lost, lost],
        "retransmits": [0, lost, lost, lost],
        "acked_bytes": [0, 0, 10 * at, 11 * at],
    }


@pytest.mark.parametrize(("arm", "transport"), [("h2", "tcp"), ("h3", "quic")])
def test_where_nobody_tells_the_window_the_flight_does(tmp_path: Path, arm: str, transport: str) -> None:
    asked = experiment(client="chromium")

    def seen(at: float, lost: float = 0.0) -> set[str]:
        one = flown(trial(arm, client="chromium"), tmp_path, transport, plateau(at, lost))
        return codes(found(asked, [one], tmp_path))

    assert WINDOW in seen(100_000)
    assert WINDOW not in seen(250_000), "the path holds no more"
    assert WINDOW not in seen(100_000, lost=3), "losses hold it there"


def test_a_tcp_window_that_grows_slowly_is_no_plateau(tmp_path: Path) -> None:
    samples = plateau(100_000) | {"cwnd_bytes": [14_480, 104_000, 106_000, 106_000]}
    one = flown(trial("h2", client="chromium"), tmp_path, "tcp", samples)
    assert WINDOW not in codes(found(experiment(client="chromium"), [one], tmp_path))


def buffers(receive: int, send: int) -> dict[str, object]:
    three = {"receive_buffer": [4096, 131072, receive], "send_buffer": [4096, 16384, send]}
    return {"tcp": {"client": three, "server": three}}


@pytest.mark.parametrize(
    ("receive", "send", "named"),
    [(SMALL, 10**7, {RECEIVE}), (10**7, SMALL, {SEND}), (10**7, 10**7, set())],
)
def test_tcps_largest_buffers_below_what_the_path_holds_are_named(
    receive: int, send: int, named: set[str]
) -> None:
    one = load("h2", 2_000_000, 0.5, SMALL, ROUND_TRIP_S, host=buffers(receive, send))
    assert codes(found(experiment(), [one])) & {RECEIVE, SEND} == named


def test_small_buffers_are_none_on_a_short_transfer_or_under_losses() -> None:
    short = load("h2", 200_000, 0.5, SMALL, ROUND_TRIP_S, host=buffers(SMALL, SMALL))
    slow = load("h2", 2_000_000, 0.1, SMALL, ROUND_TRIP_S, host=buffers(SMALL, SMALL))
    for one in (short, slow):
        assert not codes(found(experiment(), [one])) & {RECEIVE, SEND}


def test_they_are_tcps_alone() -> None:
    one = load("h3", 2_000_000, 0.5, SMALL, ROUND_TRIP_S, host=buffers(SMALL, SMALL))
    assert not codes(found(experiment(), [one])) & {RECEIVE, SEND}


@pytest.mark.parametrize(
    ("size", "windows"),
    [(40_000_000, 0.82), (8_000_000, 0.52)],
    ids=["the line was full", "slow start took its time"],
)
def test_what_line_and_slow_start_explain_is_no_windows_doing(size: int, windows: float) -> None:
    """A window of 1.1 times what the path holds; 90 % of the line, and a slow start from ten segments."""
    one = load("h3", size, windows, 1_375_000, 0.1, connection=announced(1_375_000))
    assert WINDOW not in codes(found(experiment(path=FAR), [one]))


def test_what_losses_explain_is_no_windows_doing() -> None:
    def seen(lost: int) -> set[str]:
        host = buffers(SMALL, 10**7)
        down = {"packets_in": 1400, "lost": lost}
        told = {"connection": announced(SMALL), "host": host, "down": down}
        return codes(found(experiment(), [load("h2", 2_000_000, 0.7, SMALL, ROUND_TRIP_S, **told)]))

    assert {WINDOW, RECEIVE} <= seen(0)
    assert not {WINDOW, RECEIVE} & seen(30)


def test_a_full_line_is_no_buffers_doing() -> None:
    one = load("h2", 5_000_000, 0.97, 240_000, ROUND_TRIP_S, host=buffers(240_000, 10**7))
    assert RECEIVE not in codes(found(experiment(), [one]))


def test_flights_of_loads_that_do_not_count_prove_nothing(tmp_path: Path) -> None:
    one = trial("h2", client="chromium", status="contaminated")
    asked = experiment(client="chromium")
    assert WINDOW not in codes(found(asked, [flown(one, tmp_path, "tcp", plateau(100_000))], tmp_path))
