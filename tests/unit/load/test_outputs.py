"""What a load leaves: text, JSON, CSV, Prometheus; each readable by what it is for."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from . import samples
from .conftest import Generator

URL = "https://localhost:8443/"
WORDS = (URL, "--address", "127.0.0.1", "-c", "10", "-m", "100", "-n", "10000")

TEXT = """\
https://localhost:8443/ over HTTP/2, TLS 1.3 (TLS13_AES_128_GCM_SHA256)
closed loop: 10 connections × 100 streams, 1 thread, 10 000 requests

  requests  5000/s     in 2.00 s
  payload   3.06 MB/s  6.12 MB
  received  4.20 MB/s  8.40 MB on the wire
  sent      450 kB/s   900 kB on the wire

  latency  connect, ms  first byte, ms  total, ms
  min             1.00          0.0900      0.100
  mean            2.20           0.198      0.220
  sd             0.800          0.0720     0.0800
  p50             2.00           0.180      0.200
  p75                –           0.225      0.250
  p90                –           0.270      0.300
  p95                –           0.360      0.400
  p99                –           0.540      0.600
  p99.9              –           0.900       1.00
  p99.99             –               –          –
  max             20.0            1.80       2.00
  samples           10          10 000     10 000
  –: too few samples; p99.99 needs 29 956.

  requests            10 000 sent, 10 000 succeeded
  connections         10 of 10 established
  requests/s of each  480 to 520, median 501, sd 12.3
  generator           CPU 700 ms (400 ms user, 300 ms system, 35 % of its threads); memory 12.3 MB at most
  ran with            cubic of linux, initial window 14 480 B, pacing false
"""

FAILING = {
    "requests": {
        "planned": 10_000,
        "sent": 9_500,
        "unsent": 500,
        "retried": 3,
        "succeeded": 9_000,
        "failed": {"status": 100, "timeout": 400},
        "statuses": {"200": 9_000, "503": 100},
    },
    "connections": {
        "attempted": 14,
        "established": 12,
        "failed": {"timeout": 2},
        "closed_by_peer": 2,
    },
    "finished": False,
    "failures": [{"kind": "timeout", "detail": "no response within 2 s"}] * 2,
}

FAILED_TEXT = """\
  requests            9500 sent, 9000 succeeded, 500 never sent, 3 attempts repeated
  failed              500 (5.3 %): 400 timeout, 100 status
  statuses            9000 × 200, 100 × 503
  connections         12 of 14 established; failed: 2 timeout; 2 closed by the server
"""


def test_the_table_is_for_people(generator: Generator) -> None:
    result = generator.run(*WORDS)
    assert result.status == 0
    assert result.stdout == TEXT
    opening = "https://localhost:8443/ over HTTP/2; closed loop: 10 connections × 100 streams, 1 thread, "
    assert result.stderr == f"{opening}10 000 requests\n"


def test_failures_stand_in_the_table_by_kind(generator: Generator) -> None:
    generator.reports(**FAILING)
    shown = generator.run(*WORDS).stdout
    assert FAILED_TEXT in shown
    assert shown.count("  timeout: no response within 2 s\n") == 1
    assert "! 2 connections were replaced during the load (2 closed by the server)" in shown
    assert "! the load did not finish: 500 requests were never sent. No more connections could be" in shown


def test_what_a_server_says_is_shown_on_one_line_and_cut(generator: Generator) -> None:
    """A reason in QUIC's CONNECTION_CLOSE is the server's to choose."""
    said = "\x1b]0;owned\x07\x1b[2J\n\u202e" + "x" * 1200
    generator.reports(**{**FAILING, "failures": [{"kind": "refused", "detail": said}]})
    result = generator.run(*WORDS)
    shown = "".join(line.strip() for line in result.stdout.splitlines())
    told = shown.partition("refused:")[2].lstrip().partition("…")[0]
    assert told.startswith("\\u001b]0;owned\\u0007\\u001b[2J\\u000a\\u202exxx")
    assert len(told) < 200
    assert not set(result.stdout + result.stderr) & set("\x1b\x07\u202e")


def test_an_open_loop_is_told_with_its_lag_and_its_seed(generator: Generator) -> None:
    generator.reports(latency_seconds={"lag": samples.distribution(10_000, 1e-5)})
    shown = generator.run(URL, "-d", "2s", "--rate", "5000", "--poisson", "--seed", "3").stdout
    assert "open loop: 5000/s, as Poisson's, seed 3; 1 connection × 1 stream, 1 thread, for 2.00 s" in shown
    assert "lag, µs" in shown


def test_the_json_object_says_what_was_measured_asked_and_warned_of(generator: Generator) -> None:
    generator.reports(**FAILING)
    result = generator.run(*WORDS, "--json", "--check", "failed<10%", "--body", "secret")
    told = json.loads(result.stdout)
    assert told["requests_per_second"] == 5000.0
    assert told["bytes_per_second"] == samples.REPORT["bytes_per_second"]
    assert told["requests"] == {**FAILING["requests"], "warm_up": 0}  # type: ignore[dict-item]
    assert told["latency_seconds"]["total"]["p999"] == 0.001
    assert told["latency_seconds"]["total"]["p9999"] is None
    assert told["latency_seconds"]["connect"]["p75"] is None
    assert told["latency_seconds"]["lag"] is None
    assert told["checks"] == [{"check": "failed<10%", "holds": True, "found": "failed = 5.3 % (500 of 9500)"}]
    assert [caution["code"] for caution in told["cautions"]] == ["connections_replaced", "cut"]
    assert told["asked"]["targets"][0]["body"] == {"bytes": 6}
    assert told["asked"]["connections"] == 10
    assert (told["url"], told["interrupted"], told["finished"]) == (URL, False, False)
    assert "warning (cut): the load did not finish" in result.stderr


def test_the_json_object_holds_the_progress(generator: Generator) -> None:
    line = {
        "elapsed_s": 1.0, "sent": 5, "succeeded": 4, "failed": 0, "requests_per_second": 4.0,
        "payload_per_second": 0.0, "p50_s": 0.1, "p99_s": None, "in_flight": 1, "connected": 1,
    }  # fmt: skip
    later = {**line, "elapsed_s": 11.0, "failed": 2, "payload_per_second": 2.5e6}
    generator.behave(report=samples.REPORT, progress=[line, later])
    result = generator.run(*WORDS, "--json")
    assert [told["elapsed_s"] for told in json.loads(result.stdout)["progress"]] == [1.0, 11.0]
    said = "11 s: 5 sent, 4.00/s, 2.50 MB/s, p50 100 ms, 1 in flight on 1 connection, 2 failed\n"
    assert result.stderr.endswith(said)
    assert generator.run(*WORDS, "--json", "--quiet").stderr == ""


def test_on_a_terminal_a_line_moves_while_the_load_goes(generator: Generator) -> None:
    line = {
        "elapsed_s": 1.0, "sent": 5000, "succeeded": 4000, "failed": 0, "requests_per_second": 4000.0,
        "p50_s": 0.0002, "p99_s": 0.0006, "in_flight": 1000, "connected": 10, "phase": "warm_up",
    }  # fmt: skip
    generator.behave(report=samples.REPORT, progress=[line])
    terminal, inside = os.openpty()
    ended = subprocess.run(
        [sys.executable, "-m", "pronghorn", "load", *WORDS],
        check=False, stdin=inside, stdout=subprocess.PIPE, stderr=inside, text=True,
        env=generator.environment() | {"TERM": "xterm", "COLUMNS": "100"},
    )  # fmt: skip
    os.close(inside)
    shown = os.read(terminal, 65536).decode()
    os.close(terminal)
    assert ended.returncode == 0
    assert ended.stdout == TEXT
    said = "1 s (warm-up): 5000 sent, 4000/s, p50 200 µs, p99 600 µs, 1000 in flight on 10 connections"
    assert said.split(",")[0] in shown
    assert "p99 600 µs" in shown


def test_the_table_of_many_loads_has_a_line_for_each(generator: Generator, tmp_path: Path) -> None:
    generator.run(*WORDS, "--csv", "loads.csv")
    generator.reports(**FAILING, latency_seconds={"lag": samples.distribution(10_000, 1e-5)})
    generator.run(URL, "--rate", "100", "--csv", "loads.csv")
    with (tmp_path / "loads.csv").open(encoding="utf-8", newline="") as file:
        first, second = csv.DictReader(file, strict=True)
    assert first.keys() == second.keys()
    assert None not in first
    shown = {
        "url": URL, "protocol": "h2", "cipher": "TLS13_AES_128_GCM_SHA256", "connections": "10",
        "streams": "100", "rate_asked_per_s": "", "finished": "true", "requests_per_second": "5000",
        "succeeded": "10000", "failed": "0", "failed_timeout": "0", "total_p50_s": "0.0002",
        "total_p9999_s": "", "lag_count": "", "cpu_user_s": "0.4", "congestion_control": "cubic",
    }  # fmt: skip
    assert {key: first[key] for key in shown} == shown
    assert (second["finished"], second["failed_timeout"], second["rate_asked_per_s"]) == (
        "false", "400", "100",
    )  # fmt: skip
    assert second["lag_count"] == "10000"


def families(text: str) -> dict[str, Any]:
    return {family.name: family for family in text_string_to_metric_families(text)}


def test_prometheus_reads_the_metrics(generator: Generator, tmp_path: Path) -> None:
    generator.reports(**FAILING)
    generator.run('https://localhost:8443/a"b\\', "--prometheus", "load.prom")
    assert not (tmp_path / "load.prom").exists(), "a quote in a URL is refused"
    generator.run(*WORDS, "--prometheus", "load.prom")
    assert [file.name for file in tmp_path.iterdir() if "prom" in file.name] == ["load.prom"]
    told = families((tmp_path / "load.prom").read_text(encoding="utf-8"))
    assert all(name.startswith("pronghorn_load_") for name in told)
    assert all(family.documentation for family in told.values())
    requests = {s.labels["outcome"]: s.value for s in told["pronghorn_load_requests"].samples}
    assert requests == {"succeeded": 9_000.0, "status": 100.0, "timeout": 400.0}
    assert told["pronghorn_load_requests"].type == "counter"
    latency = told["pronghorn_load_latency_seconds"]
    assert latency.type == "summary"
    total = {
        (s.name.removeprefix("pronghorn_load_latency_seconds"), s.labels.get("quantile")): s.value
        for s in latency.samples
        if s.labels["phase"] == "total"
    }
    assert total["", "0.99"] == pytest.approx(0.0006)
    assert ("", "0.9999") not in total, "too few samples"
    assert total["_count", None] == 10_000
    assert total["_sum", None] == pytest.approx(10_000 * 0.00022)
    common = {"url": URL, "protocol": "h2"}
    assert all(common.items() <= s.labels.items() for family in told.values() for s in family.samples)
    assert told["pronghorn_load_finished"].samples[0].value == 0


def test_a_second_load_replaces_the_metrics(generator: Generator, tmp_path: Path) -> None:
    for rate in (5000.0, 6000.0):
        generator.reports(requests_per_second=rate)
        generator.run(*WORDS, "--prometheus", "load.prom")
        told = families((tmp_path / "load.prom").read_text(encoding="utf-8"))
        assert told["pronghorn_load_requests_per_second"].samples[0].value == rate


def test_the_result_goes_to_a_file_where_asked(generator: Generator, tmp_path: Path) -> None:
    result = generator.run(*WORDS, "-o", "told.txt", "-q")
    assert (result.status, result.stdout, result.stderr) == (0, "", "")
    assert (tmp_path / "told.txt").read_text(encoding="utf-8") == TEXT
    generator.run(*WORDS, "-o", "told.json", "--json")
    assert json.loads((tmp_path / "told.json").read_text(encoding="utf-8"))["finished"] is True


def test_a_full_disk_is_told_after_everything_else(generator: Generator) -> None:
    result = generator.run(*WORDS, "--csv", "/dev/full", "--prometheus", "x.prom")
    assert result.status == 3
    assert "pronghorn: /dev/full: No space left on device.\n" in result.stderr
    assert result.stdout == TEXT
    assert (generator.folder / "x.prom").exists()
