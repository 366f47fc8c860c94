"""Quantities carry their units, exactly."""

import pytest

from pronghorn.model import units


@pytest.mark.parametrize(
    ("text", "bits"), [("20Mbit", 20_000_000), ("1.5 Gbit", 1_500_000_000), ("64kbit/s", 64_000), ("9bit", 9)]
)
def test_rates_are_exact_bits_per_second(text: str, bits: int) -> None:
    assert units.rate(text) == bits


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("75ms", 75_000_000),
        ("0.1ms", 100_000),
        ("250us", 250_000),
        ("180s", 180 * 10**9),
        ("1min", 6 * 10**10),
    ],
)
def test_times_are_exact_nanoseconds(text: str, ns: int) -> None:
    assert units.time_ns(text) == ns


def test_shares_are_fractions() -> None:
    assert units.share("15%") == 0.15
    assert units.share("100%") == 1.0
    assert units.share("0.3%") == 0.003


def test_queues_hold_bytes_or_packets() -> None:
    assert units.queue("256kB") == {"bytes": 256_000}
    assert units.queue("4KiB") == {"bytes": 4096}
    assert units.queue("100packets") == {"packets": 100}
    assert units.queue("1 packet") == {"packets": 1}


@pytest.mark.parametrize("bare", [20, 20.5, "20"])
def test_a_bare_number_is_refused_with_an_example(bare: object) -> None:
    with pytest.raises(units.UnitError, match=r"bare number.*write the unit, such as '20Mbit'"):
        units.rate(bare)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("20mbit", "unknown unit 'mbit' of a rate; did you mean 20Mbit?"),
        ("20Mbps", "unknown unit 'Mbps' of a rate"),
        ("0Mbit", "must be greater than zero"),
        ("-1Mbit", "is negative"),
        ("0.5bit", "no whole number of bit"),
        ("fast", "is no rate"),
        (True, "is no rate"),
        (["20Mbit"], "is no rate"),
    ],
)
def test_a_wrong_rate_is_refused_with_what_is_wrong(value: object, said: str) -> None:
    with pytest.raises(units.UnitError) as caught:
        units.rate(value)
    assert said in str(caught.value)


def test_shares_beyond_all_and_below_none_are_refused() -> None:
    with pytest.raises(units.UnitError, match="between 0% and 100%"):
        units.share("101%")
    with pytest.raises(units.UnitError, match="negative"):
        units.share("-1%")


def test_an_empty_queue_is_refused() -> None:
    with pytest.raises(units.UnitError, match="must hold something"):
        units.queue("0packets")
