"""tc's lines become a path that does the same, or are refused with what is missing."""

import pytest

from pronghorn.errors import InputError
from pronghorn.model.path import from_words
from pronghorn.tc import translate

from .public_lines import REFUSED, TRANSLATED


def words(line: str) -> str:
    return " ".join(translate([line]).words)


def notes(line: str) -> str:
    return "\n".join(translate([line]).notes)


def refusal(*lines: str) -> str:
    with pytest.raises(InputError) as refused:
        translate(lines)
    message = refused.value.message + (f"\n  {refused.value.hint}" if refused.value.hint else "")
    assert len(message.splitlines()) <= 3
    return message


def test_thirty_lines_of_others_are_looked_at() -> None:
    assert len(TRANSLATED) + len(REFUSED) >= 30


@pytest.mark.parametrize("line", TRANSLATED)
def test_a_public_line_becomes_a_path(line: str) -> None:
    assert sorted(words(line).split()) == sorted(TRANSLATED[line].split())
    assert from_words(words(line).split(), {}).spec is not None


@pytest.mark.parametrize("line", REFUSED)
def test_a_public_line_is_refused_with_the_stage_that_is_missing(line: str) -> None:
    message = refusal(line)
    assert REFUSED[line] in message
    assert message.startswith("--from-tc")


@pytest.mark.parametrize(
    ("line", "rate"),
    [
        ("rate 1kbit", "1kbit"),
        ("rate 1kbps", "8kbit"),
        ("rate 1mbps", "8Mbit"),
        ("rate 1Mibit", "1.048576Mbit"),
        ("rate 1MiBps", "8.388608Mbit"),
        ("rate 1000", "1kbit"),
        ("rate 1.5gbit", "1.5Gbit"),
        ("rate 2e3kbit", "2Mbit"),
    ],
)
def test_rates_have_tcs_units(line: str, rate: str) -> None:
    assert words(f"netem {line}") == f"up.rate={rate}"


@pytest.mark.parametrize(
    ("time", "path"),
    [("100", "100us"), ("100us", "100us"), (".5s", "500ms"), ("3msecs", "3ms"), ("7ns", "7ns"), ("0", "0ns")],
)
def test_times_have_tcs_units_and_a_bare_one_is_in_microseconds(time: str, path: str) -> None:
    assert words(f"netem delay {time}") == f"up.delay={path}"


def test_a_bare_time_is_said_to_be_read_otherwise_by_a_newer_tc() -> None:
    assert "delay 100 has no unit. It was read as microseconds" in notes("netem delay 100")
    assert "no unit" not in notes("netem delay 100us")


def test_percentages_may_lack_their_sign_and_keywords_may_be_shortened() -> None:
    assert words("netem del 10ms drop 5 dup .5% corr 1") == words(
        "netem delay 10ms loss random 5% duplicate 0.5% corrupt 1%"
    )


def test_netems_limit_counts_packets_and_is_the_queue_of_a_rate() -> None:
    assert words("netem rate 1mbit limit 50") == "up.rate=1Mbit up.queue=50packets"
    assert words("netem rate 1mbit limit 1k") == "up.rate=1Mbit up.queue=1024packets"
    assert "queue" not in words("netem delay 10ms limit 50")
    assert "a link without a rate holds any number" in notes("netem delay 10ms limit 50")


def test_a_limit_that_would_bound_the_rate_is_said() -> None:
    assert "about 8333" in notes("netem delay 100ms rate 1gbit")
    assert "limit" not in notes("netem delay 100ms rate 10mbit")


def test_a_correlation_is_said_to_change_the_share_of_netem_alone() -> None:
    assert "hits fewer than 0.3% of packets. A path hits 0.3%" in notes("netem loss 0.3% 25%")
    assert "hits more than 80%" in notes("netem loss 80% 25%")
    assert "averages" not in notes("netem loss 0.3%")


def test_a_latency_of_tbf_is_its_rate_times_it_and_the_burst() -> None:
    assert words("tbf rate 8mbit burst 10kb latency 100ms") == "up.rate=8Mbit up.queue=110240B"
    assert words("tbf rate 8mbit burst 10kb limit 30000") == "up.rate=8Mbit up.queue=30kB"
    assert "lets 10240B pass at once" in notes("tbf rate 8mbit burst 10kb limit 30000")


def test_below_a_shaper_netems_own_limit_is_the_queue() -> None:
    line = (
        "tc qdisc add dev eth0 root handle 1: tbf rate 1mbit burst 5kb limit 30kb; "
        "tc qdisc add dev eth0 parent 1:1 netem delay 5ms"
    )
    assert words(line) == "up.delay=5ms up.rate=1Mbit"
    assert words(f"{line} limit 20") == "up.delay=5ms up.rate=1Mbit up.queue=20packets"


def test_a_class_may_borrow_from_the_one_above_it_and_no_more() -> None:
    for above, ceil, rate in (("2mbit", "10mbit", "2Mbit"), ("20mbit", "10mbit", "10Mbit")):
        line = (
            "tc qdisc add dev eth0 root handle 1: htb default 10; "
            f"tc class add dev eth0 parent 1: classid 1:1 htb rate {above}; "
            f"tc class add dev eth0 parent 1:1 classid 1:10 htb rate 1mbit ceil {ceil}"
        )
        assert f"up.rate={rate}" in words(line)


def test_the_slower_of_two_rates_holds() -> None:
    line = (
        "tc qdisc add dev eth0 root handle 1: netem rate {}; "
        "tc qdisc add dev eth0 parent 1:1 tbf rate 5mbit burst 5kb limit 30kb"
    )
    assert words(line.format("1mbit")) == "up.rate=1Mbit"
    assert "a link has one rate" in refusal(line.format("9mbit"))


def test_a_queue_in_which_nothing_waits_is_no_queue_of_the_path() -> None:
    line = (
        "tc qdisc add dev eth0 root handle 1: netem rate 1mbit; "
        "tc qdisc add dev eth0 parent 1:1 handle 2: tbf rate 5mbit burst 5kb limit 30kb; "
        "tc qdisc add dev eth0 parent 2:1 codel"
    )
    assert words(line) == "up.rate=1Mbit"
    assert "codel: nothing waits there" in notes(line)


def test_an_overhead_is_that_of_the_rate_that_holds() -> None:
    line = (
        "tc qdisc add dev eth0 root handle 1: tbf rate 1mbit burst 5kb limit 30kb overhead 8; "
        "tc qdisc add dev eth0 parent 1:1 netem rate 9mbit 20"
    )
    assert words(line) == "up.rate=1Mbit up.overhead=8B"


def test_a_device_tells_the_link_and_a_word_in_front_decides() -> None:
    assert words("down: netem delay 1ms") == "down.delay=1ms"
    assert words("both: netem delay 1ms") == "down.delay=1ms up.delay=1ms"
    assert words("tc qdisc add dev lo root netem delay 1ms") == "down.delay=1ms up.delay=1ms"
    assert words("tc qdisc add dev ifb1 root netem delay 1ms") == "down.delay=1ms"
    assert "link: up (tc shapes what its host sends; that host is taken for the client)" in notes(
        "netem delay 1ms"
    )


def test_each_link_is_described_once() -> None:
    assert translate(["down: netem loss 1%", "up: netem loss 2%"]).words == ["down.loss=1%", "up.loss=2%"]
    assert "'up' is described twice" in refusal("netem loss 1%", "netem delay 1ms")


def test_a_later_command_for_the_same_place_replaces_an_earlier_one() -> None:
    assert words(
        "tc qdisc add dev eth0 root netem loss 50%\ntc qdisc change dev eth0 root netem delay 9ms"
    ) == ("up.delay=9ms")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("netem dely 100ms", "unknown option 'dely'; did you mean 'delay'?"),
        ("netem delay", "'delay' lacks its value"),
        ("netem delay 100parsec", "tc has no unit 'parsec' of a time"),
        ("netem loss 101%", "more than 100%"),
        ("netem loss -1%", "'loss': -1% is no percentage"),
        ("netem delay $DELAY", "'$DELAY' is a placeholder for a value"),
        ("netem delay 10ms distribution normal", "'distribution' needs a delay and a jitter"),
        ("netem delay 10ms 5ms distribution ../../etc/passwd", "isn't on this machine"),
        ("netem gap 5 delay 10ms", "'gap' needs a reordering"),
        ("netem reorder 25%", "'reorder' needs a delay"),
        ("netem loss 1% loss 2%", "two losses"),
        ("netme delay 10ms", "unknown discipline 'netme'; did you mean 'netem'?"),
        ("tbf rate 1mbit", "'burst' is missing"),
        ("tc qdisc del dev eth0 root", "this sets nothing"),
        ("", "this sets nothing"),
        ("tc qdisc add dev eth0 root", "this names no discipline"),
        ("netem delay '", "No closing quotation"),
        ("netem delay 10ms; netem loss 1%", "delays and loses twice"),
        ("netem", "does nothing to a packet"),
        ("netem limit 1000", "does nothing to a packet"),
        ("netem rate 0", "tc takes 0 for no rate"),
    ],
)
def test_what_is_wrong_is_named(line: str, said: str) -> None:
    assert said in refusal(line)
