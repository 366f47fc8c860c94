"""`pronghorn load` and the built-in origin, over every protocol: what is told is what was served."""

import csv
import json
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from prometheus_client.parser import text_string_to_metric_families

from pronghorn.certificates import HOST_NAME, Certificates
from pronghorn.load import resolve

from . import programme, remains
from .loopback_origin import LoopbackOrigin, serving
from .path_command import path as behind_path

pytestmark = [pytest.mark.needs("engine"), pytest.mark.beside]

WAYS = {
    "h1": ("https", "--http", "1.1"),
    "h2": ("https", "--http", "2", "-m", "5"),
    "h3": ("https", "--http", "3", "-m", "5"),
    "h1 in the clear": ("http",),
    "h2 in the clear": ("http", "--http", "2", "-m", "5"),
}
BYTES = 612


@pytest.fixture(scope="module")
def origin(tiny: Path, identity: Certificates) -> Iterator[LoopbackOrigin]:
    with serving(tiny, identity, early_data=True) as found:
        yield found


class Loader:
    """The command, to be run against one origin."""

    def __init__(self, origin: LoopbackOrigin, authority: Path, folder: Path) -> None:
        self._origin = origin
        self._authority = authority
        self._folder = folder

    def words(self, way: str, path: str = "/") -> tuple[str, ...]:
        """The URL and the options by which it is loaded so."""
        scheme, *options = WAYS[way]
        if scheme == "http":
            return f"http://127.0.0.1:{self._origin.clear_port}{path}", *options
        url = f"https://{HOST_NAME}:{self._origin.port}{path}"
        return url, "--address", "127.0.0.1", "--ca", str(self._authority), *options

    def start(self, way: str, *more: str, path: str = "/") -> programme.Started:
        """Starts it."""
        return programme.start("load", *self.words(way, path), *more, folder=self._folder)

    def run(self, way: str, *more: str, path: str = "/") -> programme.Result:
        """Runs it to its end."""
        return self.start(way, *more, path=path).ended()

    def told(self, way: str, *more: str, status: int = 0) -> dict[str, Any]:
        """What it tells as JSON; the counts close."""
        result = self.run(way, "--json", *more)
        assert result.status == status, result.stderr
        told: dict[str, Any] = json.loads(result.stdout)
        assert_closed(told)
        return told


@pytest.fixture
def loader(origin: LoopbackOrigin, identity: Certificates, tmp_path: Path) -> Loader:
    return Loader(origin, identity.authority, tmp_path)


def assert_closed(told: dict[str, Any]) -> None:
    requests = told["requests"]
    assert requests["planned"] == requests["sent"] + requests["unsent"]
    assert requests["sent"] == requests["succeeded"] + sum(requests["failed"].values())


@pytest.mark.parametrize("way", WAYS)
def test_what_is_told_is_what_was_served(way: str, loader: Loader, origin: LoopbackOrigin) -> None:
    before = origin.served()
    told = loader.told(way, "-c", "3", "-n", "600", "--warm-up", "60")
    served = origin.served() - before
    protocol = way.split()[0]
    warm_up = told["requests"]["warm_up"]
    assert warm_up >= 60
    assert served == {(protocol, "/", 200): 600 + warm_up}
    assert (told["protocol"], told["finished"], told["requests"]["statuses"]) == (
        protocol,
        True,
        {"200": 600},
    )
    assert told["bytes"]["payload"] == 600 * BYTES
    assert told["bytes"]["wire_received"] > told["bytes"]["payload"]
    assert told["connections"]["established"] == 3
    assert told["congestion_control"] == "cubic"
    assert (told["tls"] is None) is way.endswith("clear")
    latency = told["latency_seconds"]
    assert latency["connect"]["count"] == 3
    assert latency["total"]["count"] == 600
    assert 0 < latency["first_byte"]["p50"] <= latency["total"]["p50"]
    assert told["requests_per_second"] * told["window_s"] == pytest.approx(600)
    assert told["cpu_s"]["user"] + told["cpu_s"]["system"] > 0


def test_of_several_addresses_that_is_taken_at_which_quic_is_spoken(
    origin: LoopbackOrigin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolve, "addresses", lambda *_: ["127.0.0.2", "127.0.0.1"])
    before = origin.served()
    assert resolve.address("localhost", origin.port, "h3") == "127.0.0.1"
    assert origin.served() == before, "asking is no request"


@pytest.mark.parametrize("way", ["h1 in the clear", "h2", "h3"])
@pytest.mark.parametrize(("limit", "status"), [("-S", 0), ("-SH", 3)])
def test_a_low_soft_limit_of_open_files_is_raised_and_a_hard_one_is_told_as_this_host_s(
    way: str, limit: str, status: int, loader: Loader, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "pronghorn", "load", *loader.words(way)]
    command += ["-c", "100", "-m", "1", "-n", "200", "--json", "--check", "rps>0"]
    limited = f"ulimit {limit} -n 48 && exec {shlex.join(command)}"
    done = subprocess.run(["bash", "-c", limited], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == status, done.stderr
    assert done.stdout, done.stderr
    told = json.loads(done.stdout)
    assert_closed(told)
    made = told["connections"]
    if status == 0:
        assert (made["established"], made["failed"]) == (100, {})
        return
    assert list(made["failed"]) == ["local"]
    assert 0 < made["established"] < 48
    assert {failure["kind"] for failure in told["failures"]} == {"local"}
    assert "ulimit -n" in done.stderr.splitlines()[-1]
    assert [check["holds"] for check in told["checks"]] == [None]


def test_every_output_tells_the_same(loader: Loader, tmp_path: Path) -> None:
    result = loader.run(
        *("h2", "-c", "2", "-n", "2000", "--check", "failed==0", "--check", "rps>1"),
        *("--csv", "load.csv", "--hdr-log", "load.hlog", "--prometheus", "load.prom"),
        *("--json", "-o", "load.json"),
    )
    assert (result.status, result.stdout) == (0, ""), result.stderr
    told = json.loads((tmp_path / "load.json").read_text(encoding="utf-8"))
    total = told["latency_seconds"]["total"]
    with (tmp_path / "load.csv").open(encoding="utf-8", newline="") as file:
        (line,) = csv.DictReader(file)
    assert line["succeeded"] == "2000"
    assert float(line["total_p99_s"]) == pytest.approx(total["p99"], rel=1e-5)
    metrics = {
        (sample.name, sample.labels.get("phase"), sample.labels.get("quantile")): sample.value
        for family in text_string_to_metric_families((tmp_path / "load.prom").read_text(encoding="utf-8"))
        for sample in family.samples
    }
    assert metrics["pronghorn_load_latency_seconds", "total", "0.99"] == pytest.approx(total["p99"])
    logged = logged_in(tmp_path / "load.hlog")
    assert logged.get_total_count() == 2000
    # Three significant digits, rounded once by each of the two.
    assert logged.get_value_at_percentile(50) / 1e9 == pytest.approx(total["p50"], rel=2e-3)
    assert logged.get_max_value() / 1e9 == pytest.approx(total["max"], rel=2e-3)


def logged_in(log: Path) -> HdrHistogram:
    """What an HdrHistogram log holds, as HdrHistogram's own tools read it."""
    found = HdrHistogram(1, 3_600_000_000_000, 3)
    reader = HistogramLogReader(str(log), found)
    while (interval := reader.get_next_interval_histogram()) is not None:
        found.add(interval)
    return found


def test_an_open_loop_sends_what_is_due_and_tells_its_own_lateness(loader: Loader) -> None:
    told = loader.told("h2", "--rate", "500", "-d", "1s", "-c", "2")
    # Due at 0, 2 ms, … 998 ms; a window of a second that begins with the connections may hold one more.
    assert told["requests"]["planned"] in (499, 500, 501)
    assert told["latency_seconds"]["lag"]["count"] > 0
    random = loader.told("h2", "--rate", "500", "--poisson", "--seed", "1", "-d", "1s", "-c", "2")
    # Five standard deviations of a Poisson count: once in 1.7 million runs beyond.
    assert abs(random["requests"]["planned"] - 500) < 5 * 500**0.5 + 1


@pytest.mark.parametrize("way", ["h2", "h3"])
def test_a_connection_a_request_resumes_where_asked(way: str, loader: Loader) -> None:
    way_words = ("-c", "2", "-n", "20", "--connect", "each", "-m", "1")
    assert loader.told(way, *way_words)["connections"]["established"] == 20
    resumed = loader.told(way, *way_words, "--resume")["connections"]
    assert (resumed["established"], resumed["resumed"], resumed["early_data_accepted"]) == (20, 20, 0)


@pytest.mark.parametrize("way", ["h2", "h3"])
def test_first_requests_travel_as_early_data_where_asked(way: str, loader: Loader) -> None:
    early = loader.told(way, "-c", "3", "-n", "30", "--0rtt")["connections"]
    assert (early["established"], early["resumed"], early["early_data_accepted"]) == (3, 3, 3)
    each = loader.told(way, "-c", "2", "-n", "20", "--connect", "each", "-m", "1", "--0rtt")["connections"]
    assert (each["established"], each["resumed"], each["early_data_accepted"]) == (20, 20, 20)


def wait_for_service(origin: LoopbackOrigin, before: Counter[tuple[str, str, int]]) -> None:
    deadline = time.monotonic() + 60
    while (origin.served() - before).total() < 100:
        assert time.monotonic() < deadline, "nothing is asked of the origin"
        time.sleep(0.05)


def test_ctrl_c_ends_the_load_and_tells_what_was_measured(loader: Loader, origin: LoopbackOrigin) -> None:
    before = origin.served()
    started = loader.start("h2", "--rate", "500", "-d", "10min", "--json", "-c", "2")
    wait_for_service(origin, before)
    started.process.send_signal(signal.SIGINT)
    result = started.ended()
    assert result.status == 130, result.stderr
    told = json.loads(result.stdout)
    assert_closed(told)
    assert (told["interrupted"], told["finished"]) == (True, False)
    assert told["requests"]["succeeded"] > 0
    assert not remains.descendants(started.mark)


def test_kill_9_leaves_no_engine(loader: Loader, origin: LoopbackOrigin) -> None:
    before = origin.served()
    started = loader.start("h3", "--rate", "500", "-d", "10min", "-q")
    wait_for_service(origin, before)
    started.process.kill()
    started.ended()
    deadline = time.monotonic() + 60
    while remains.descendants(started.mark):
        assert time.monotonic() < deadline, "an engine outlives the command"
        time.sleep(0.02)


def test_errors_are_failures_by_kind(loader: Loader) -> None:
    result = loader.run("h2", "-n", "10", "--json", path="/nowhere")
    told = json.loads(result.stdout)
    assert_closed(told)
    assert (result.status, told["requests"]["failed"]) == (4, {"status": 10})
    assert told["requests"]["statuses"] == {"404": 10}
    assert "pronghorn: no request succeeded (10 failed by 'status')" in result.stderr


@pytest.mark.parametrize("way", ["h2", "h3"])
def test_an_authority_that_is_not_trusted_is_told_with_the_mend(
    way: str, origin: LoopbackOrigin, tmp_path: Path
) -> None:
    url = f"https://127.0.0.1:{origin.port}/"
    words = ("load", url, "-n", "4", *WAYS[way][1:])
    refused = programme.run(*words, "--json", folder=tmp_path)
    told = json.loads(refused.stdout)
    assert_closed(told)
    assert refused.status == 4
    assert (told["requests"]["sent"], set(told["connections"]["failed"])) == (0, {"tls"})
    assert "-k trusts any certificate" in refused.stderr
    assert programme.run(*words, "--insecure", folder=tmp_path).status == 0


@pytest.mark.needs("namespaces", "root")
def test_a_load_runs_behind_a_path(identity: Certificates, tiny: Path, tmp_path: Path) -> None:
    with serving(tiny, identity, address="0.0.0.0") as origin:
        url = f"https://{HOST_NAME}:{origin.port}/"
        for version in ("2", "3"):
            words = shlex.join(
                (*programme.COMMAND, "load", url, "--http", version, "--ca", str(identity.authority))
            )
            command = f"exec {words} --address $PRONGHORN_SERVER -n 20 --json -q"
            ended = behind_path("delay=10ms", "--", "sh", "-c", command, folder=tmp_path)
            assert ended.status == 0, ended.stderr
            told = json.loads(ended.stdout)
            assert told["requests"]["succeeded"] == 20
            assert told["latency_seconds"]["total"]["min"] >= 0.02, "two delays of 10 ms"
            assert told["congestion_control"] == "cubic"
