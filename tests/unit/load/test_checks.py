"""`--check`: METRIC OP VALUE over what was measured."""

import pytest

from pronghorn.load import checks
from pronghorn.load.spec import Arrivals

from . import samples
from .conftest import Generator

URL = "https://127.0.0.1/"

MIXED = {
    "requests": {
        "succeeded": 9_900,
        "failed": {"status": 80, "timeout": 20},
        "statuses": {"200": 9_900, "503": 80},
    },
    "latency_seconds": {"total": samples.distribution(9_900, 0.0002)},
}


@pytest.mark.parametrize(
    ("text", "holds", "found"),
    [
        ("p90<1ms", True, "p90 = 400 µs, if the 100 that failed count as never answered"),
        ("p99<1ms", False, "p99 = 2.00 ms, if the 100 that failed count as never answered"),
        ("p99.9<2s", False, "p99.9 is unknown: it lies among the 100 that failed"),
        ("connect.p50<5ms", True, "connect.p50 = 2.00 ms"),
        ("connect.p99<5s", False, "connect.p99 is unknown: it needs 299 samples, and there are 10"),
        ("first_byte.mean<1ms", True, "first_byte.mean = 198 µs"),
        ("max<2s", True, "max = 2.00 ms"),
        ("rps>1000", True, "rps = 5000/s"),
        ("rps >= 6000/s", False, "rps = 5000/s"),
        ("goodput>3MB/s", True, "goodput = 3.06 MB/s"),
        ("goodput>24Mbit/s", True, "goodput = 3.06 MB/s"),
        ("goodput>25Mbit", False, "goodput = 3.06 MB/s"),
        ("cpu<1s", True, "cpu = 700 ms"),
        ("rss<20MB", True, "rss = 12.3 MB"),
        ("failed<1%", False, "failed = 1.0 % (100 of 10000)"),
        ("failed<=1%", True, "failed = 1.0 % (100 of 10000)"),
        ("failed<101", True, "failed = 100"),
        ("failed.timeout==0", False, "failed.timeout = 20"),
        ("failed.cut==0", True, "failed.cut = 0"),
        ("status.503<0.5%", False, "status.503 = 0.80 % (80 of 10000)"),
        ("status.200!=0", True, "status.200 = 9900"),
        ("succeeded>98%", True, "succeeded = 99 % (9900 of 10000)"),
        ("sent==10000", True, "sent = 10 000"),
        ("unsent==0", True, "unsent = 0"),
        ("connections.failed==0", True, "connections.failed = 0"),
        ("connections.established==10", True, "connections.established = 10"),
    ],
)
def test_a_check_holds_or_says_what_was_found(text: str, holds: bool, found: str) -> None:
    check = checks.parse(text, samples.spec())
    result = checks.evaluate(check, samples.report(**MIXED))
    assert (result.holds, result.found) == (holds, found)


@pytest.mark.parametrize(
    ("text", "holds", "found"),
    [
        ("p99<1ms", True, "p99 = 600 µs"),
        ("p99<600us", False, "p99 = 600 µs"),
        ("p99<=601us", True, "p99 = 600 µs"),
        ("total.p50 > 100us", True, "total.p50 = 200 µs"),
        ("p99.9<2ms", True, "p99.9 = 1.00 ms"),
        ("p999<2ms", True, "p999 = 1.00 ms"),
    ],
)
def test_percentiles_of_a_load_in_which_nothing_failed(text: str, holds: bool, found: str) -> None:
    result = checks.evaluate(checks.parse(text, samples.spec()), samples.report())
    assert (result.holds, result.found) == (holds, found)


def test_a_load_that_stood_still_itself_blames_no_server() -> None:
    stopped = samples.report(stood_still_s=3.5)
    for text in ("p99<1ms", "p99<1us"):
        result = checks.evaluate(checks.parse(text, samples.spec()), stopped)
        assert (result.holds, result.found) == (None, "p99 = 600 µs, but the generator itself stood still")


def test_an_upload_has_a_rate() -> None:
    told = samples.report(bytes_per_second={"uploaded": 2_000_000.0})
    result = checks.evaluate(checks.parse("upload>1MB/s", samples.spec()), told)
    assert (result.holds, result.found) == (True, "upload = 2.00 MB/s")


def test_a_time_out_makes_no_percentile_hold() -> None:
    """With --timeout 200ms no request that succeeds takes longer, however many don't."""
    report = samples.report(
        requests={"succeeded": 7_000, "failed": {"timeout": 3_000}},
        latency_seconds={"total": samples.distribution(7_000, 0.01)},
    )
    assert not checks.evaluate(checks.parse("p99<200ms", samples.spec()), report).holds
    assert checks.evaluate(checks.parse("p50<200ms", samples.spec()), report).holds


def test_a_lag_is_an_open_loops() -> None:
    spec = samples.spec(arrivals=Arrivals(rate_per_s=100.0))
    report = samples.report(latency_seconds={"lag": samples.distribution(10_000, 1e-5)})
    assert checks.evaluate(checks.parse("lag.p99<1ms", spec), report).holds


def test_a_share_of_nothing_is_not_known() -> None:
    report = samples.report(requests={"sent": 0, "succeeded": 0})
    result = checks.evaluate(checks.parse("failed<1%", samples.spec()), report)
    assert (result.holds, result.found) == (False, "failed is unknown: nothing was sent")


@pytest.mark.parametrize(("text", "hides"), [("p99<1s", True), ("connect.p50<1s", False), ("rps>1", False)])
def test_times_of_a_closed_loop_hide_stalls(text: str, hides: bool) -> None:
    assert checks.parse(text, samples.spec()).hides_stalls(samples.spec()) is hides
    opened = samples.spec(arrivals=Arrivals(rate_per_s=1.0))
    assert not checks.parse(text, opened).hides_stalls(opened)


def test_a_check_that_fails_is_exit_status_1_after_the_result(generator: Generator) -> None:
    result = generator.run(URL, "--check", "rps>1000", "--check", "p99 < 1us")
    assert result.status == 1
    assert "check rps>1000: holds (rps = 5000/s)" in result.stdout
    assert "check p99 < 1us: FAILS (p99 = 600 µs)" in result.stdout
    assert "check failed: p99 < 1us (p99 = 600 µs)\n" in result.stderr
    assert "a closed loop sends nothing while the server stalls" in result.stdout


def test_checks_that_hold_are_exit_status_0(generator: Generator) -> None:
    assert generator.run(URL, "--check", "rps>1000", "--check", "failed==0").status == 0
