"""A server's buffer of a stream is named where the rate is one buffer a round trip, and nowhere else."""

from typing import Any

import pytest

from pronghorn.model.path import PathProfile
from pronghorn.model.path.spec import TokenBucketSpec
from pronghorn.model.trial import Trial
from pronghorn.origins import nginx_conf

from .records import ROUND_TRIP_S, codes, experiment, found, profile, text, trial

CODE = "stream-buffer"
BUFFER = 64 * 1024
SIZE = 4_000_000
KNOWN = {"h3": {"origins": {"nginx": {"stream_buffer": f"{BUFFER} bytes (http3_stream_buffer_size)"}}}}


def loads(share: float, *, origin: str, number: int = 3, size: int = SIZE, **more: Any) -> list[Trial]:
    """Loads of `share` buffers a round trip."""
    seconds = size / (share * BUFFER / ROUND_TRIP_S)
    return [
        trial("h3", size=size, seconds=seconds, origin=origin, block=block, **more) for block in range(number)
    ]


def seen(trials: list[Trial], *, path: PathProfile | None = None, known: bool = True) -> set[str]:
    origin = trials[0].cell.origin
    arms = {"h3": {"origins": {origin: KNOWN["h3"]["origins"]["nginx"] if known else {}}}}
    return codes(found(experiment(origin=origin, path=path), trials, arms=arms))


def test_one_buffer_a_round_trip_from_a_server_that_is_known_is_named_with_its_remedy() -> None:
    trials = loads(0.95, origin="nginx", number=1)
    findings = found(experiment(origin="nginx"), trials, arms=KNOWN)
    said = text(findings, CODE)
    assert "65.5 kB of a response in flight, as its configuration has it" in said
    assert "12.5 Mbit/s (1 load)" in said
    assert "250 kB (50 Mbit/s × 40 ms)" in said
    [caution] = [one for one in findings.cautions if one.code == CODE]
    assert "http3_stream_buffer_size 8m" in caution.remedy


@pytest.mark.parametrize("share", [0.3, 1.3, 2.5])
def test_another_rate_has_another_cause(share: float) -> None:
    assert CODE not in seen(loads(share, origin="nginx"))


def test_a_path_that_holds_no_more_than_a_buffer_is_none() -> None:
    assert CODE not in seen(loads(0.95, origin="nginx"), path=profile(rate=20_000_000))


def test_a_line_that_is_full_is_what_limits_it() -> None:
    assert CODE not in seen(loads(0.95, origin="nginx", beside=12_000_000))


def test_a_small_resource_proves_nothing() -> None:
    assert CODE not in seen(loads(0.95, origin="nginx", size=200_000))


def test_a_path_that_others_share_or_that_varies_proves_nothing() -> None:
    policed = profile(police=TokenBucketSpec(rate_bit_per_s=10_000_000, burst_bytes=64_000))
    assert CODE not in seen(loads(0.95, origin="nginx"), path=policed)


def test_an_unknown_server_is_named_where_three_loads_agree_and_nothing_was_lost() -> None:
    origin = "caddy"
    assert CODE in seen(loads(0.95, origin=origin), known=False)
    assert CODE not in seen(loads(0.95, origin=origin, number=2), known=False)
    assert CODE not in seen(loads(0.95, origin=origin, down={"lost": 1}), known=False)
    spread = [*loads(0.75, origin=origin, number=2), *loads(1.0, origin=origin, number=1)]
    assert CODE not in seen(spread, known=False)


def test_the_builtin_origin_has_no_such_buffer() -> None:
    assert CODE not in seen(loads(0.95, origin="builtin"), known=False)


@pytest.mark.parametrize(
    ("text_", "size"),
    [
        ("http { }", BUFFER),
        ("http { http3_stream_buffer_size 8m; }", 8 * 2**20),
        ("http3_stream_buffer_size 1000;\nhttp3_stream_buffer_size 2K;", 1000),
        ("# http3_stream_buffer_size 8m;", BUFFER),
    ],
)
def test_nginxs_configuration_tells_its_buffer(text_: str, size: int) -> None:
    assert nginx_conf.stream_buffer_bytes(text_) == size
    assert nginx_conf.stream_buffer_bytes(nginx_conf.tuned(early_data=False)) == 8 * 2**20


def test_loads_that_filled_the_line_count_against_it() -> None:
    few = [*loads(0.95, origin="nginx", number=2), *loads(0.95, origin="nginx", beside=12_000_000, number=8)]
    assert CODE not in seen(few)


def test_losses_that_leave_no_more_than_a_buffer_explain_it_as_well() -> None:
    assert CODE in seen(loads(0.95, origin="nginx", down={"packets_in": 300_000, "lost": 1}))
    assert CODE not in seen(loads(0.95, origin="nginx", down={"packets_in": 3000, "lost": 40}))
