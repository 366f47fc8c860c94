"""How a load ends: by itself, by Ctrl-C, without a success, without an engine."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pronghorn.load import tls_hints

from . import samples
from .conftest import Generator

URL = "https://127.0.0.1/"


def start(generator: Generator, *arguments: str) -> subprocess.Popen[str]:
    """The program as a process of its own, once its engine has been asked."""
    log = generator.folder / "asked.json"
    process = subprocess.Popen(
        [sys.executable, "-m", "pronghorn", "load", URL, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=generator.environment(),
    )
    deadline = time.monotonic() + 60
    while not (log.exists() and log.read_text(encoding="utf-8").endswith("\n")):
        assert time.monotonic() < deadline, "the engine was never asked"
        time.sleep(0.01)
    return process


def wait_until_told(process: subprocess.Popen[str]) -> None:
    """Until the program has sent its engine, which blocks it, the signal to stop."""
    (engine,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    deadline = time.monotonic() + 60
    while not _pending(engine) & 1 << (signal.SIGINT - 1):
        assert time.monotonic() < deadline, "the engine was never told to stop"
        time.sleep(0.01)


def _pending(pid: str) -> int:
    """The signals that wait for a process, a bit each (proc(5), ShdPnd)."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    (found,) = (line.split()[1] for line in status.splitlines() if line.startswith("ShdPnd:"))
    return int(found, 16)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_load_tells_what_was_measured(generator: Generator, number: signal.Signals) -> None:
    cut = samples.merged(samples.REPORT, {"finished": False})
    generator.behave(report=cut, until_stop=True)
    process = start(generator, "--json", "-c", "10")
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    told = json.loads(stdout)
    assert (told["interrupted"], told["finished"]) == (True, False)
    assert [caution["code"] for caution in told["cautions"]] == ["interrupted"]
    assert stderr.endswith("pronghorn: interrupted; the results so far follow.\n")


def test_a_second_ctrl_c_ends_an_engine_that_does_not_heed_the_first(generator: Generator) -> None:
    generator.behave(report=samples.REPORT, until_stop="deaf")
    process = start(generator)
    process.send_signal(signal.SIGINT)
    wait_until_told(process)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, "")
    assert stderr.endswith("pronghorn: interrupted before anything was measured.\n")


REFUSED_HERE = {
    "requests": {"sent": 200, "unsent": 800, "planned": 1000, "succeeded": 200, "statuses": {"200": 200}},
    "connections": {"attempted": 820, "established": 20, "failed": {"local": 800}},
    "failures": [
        {
            "kind": "local",
            "detail": "this host refuses it (EMFILE: Too many open files); its processes may open no more "
            "files: raise `ulimit -n`",
        }
    ],
}


def test_a_load_that_this_host_refused_itself_is_marked_and_its_checks_are_not_judged(
    generator: Generator,
) -> None:
    generator.behave(report=samples.merged(samples.REPORT, REFUSED_HERE))
    done = start(
        generator, "--json", "-c", "100", "--check", "rps>1000000", "--check", "connections.failed.local==800"
    )
    stdout, stderr = done.communicate(timeout=60)
    told = json.loads(stdout)
    assert done.returncode == 3, stderr
    assert "800 of 820 connections" in stderr
    assert stderr.endswith("raise `ulimit -n`.\n"), stderr
    assert "check failed" not in stderr
    assert [check["holds"] for check in told["checks"]] == [None, True]
    assert "host_refused" in [caution["code"] for caution in told["cautions"]]


def test_a_load_that_stood_still_is_marked_and_no_check_is_judged(generator: Generator) -> None:
    generator.behave(report=samples.merged(samples.REPORT, {"stood_still_s": 3.5}))
    done = start(generator, "--json", "--check", "rps>1000000", "--check", "rps>1")
    stdout, stderr = done.communicate(timeout=60)
    assert done.returncode == 3, stderr
    assert "the generator itself stood still for 3.50 s, which says nothing about the server" in stderr
    assert [check["holds"] for check in json.loads(stdout)["checks"]] == [None, None]


def test_a_load_of_which_this_host_refused_little_is_judged_and_warned_of(generator: Generator) -> None:
    few = {"connections": {"attempted": 15, "established": 10, "failed": {"local": 5}}}
    generator.behave(report=samples.merged(samples.REPORT, few))
    done = start(generator, "--json", "--check", "rps>1000000")
    stdout, stderr = done.communicate(timeout=60)
    assert done.returncode == 1
    assert "check failed: rps>1000000" in stderr
    assert "warning (host_refused): this host itself refused 5 of 15 connections" in stderr
    assert [check["holds"] for check in json.loads(stdout)["checks"]] == [False]


def test_a_load_that_this_host_let_send_nothing_is_exit_status_3(generator: Generator) -> None:
    nothing = {
        "requests": {"sent": 0, "unsent": 1000, "planned": 1000, "succeeded": 0, "statuses": {}},
        "connections": {"attempted": 100, "established": 0, "failed": {"local": 100}},
    }
    generator.behave(report=samples.merged(samples.REPORT, nothing))
    done = start(generator)
    _, stderr = done.communicate(timeout=60)
    assert done.returncode == 3, stderr
    assert "100 of 100 connections" in stderr


def test_the_words_are_those_of_the_commonest_failure(generator: Generator) -> None:
    generator.reports(
        requests={"succeeded": 0, "failed": {"protocol": 200}, "statuses": {}},
        connections={"established": 100, "failed": {"local": 3}},
        requests_per_second=0.0,
        failures=[
            {"kind": "local", "detail": "Too many open files"},
            {"kind": "protocol", "detail": "the status 000 is none"},
        ],
    )
    result = generator.run(URL, "-n", "10000")
    assert "no request succeeded (200 failed by 'protocol'): the status 000 is none." in result.stderr


def test_a_load_without_a_success_is_exit_status_4_and_says_why(generator: Generator) -> None:
    generator.reports(
        requests={"sent": 0, "unsent": 10_000, "succeeded": 0, "statuses": {}},
        connections={"established": 0, "failed": {"tls": 10}, "requests_per_second": None},
        requests_per_second=0.0,
        latency_seconds={"connect": None, "first_byte": None, "total": None},
        tls=None,
        settings={},
        congestion_controller=None,
        failures=[{"kind": "tls", "detail": "invalid peer certificate: UnknownIssuer"}],
    )
    result = generator.run(URL, "-n", "10000")
    assert result.status == 4
    assert result.stderr.endswith(
        "pronghorn: no request succeeded (10 failed by 'tls'): invalid peer certificate: UnknownIssuer.\n"
        "  --ca FILE names the authority to trust; -k trusts any certificate.\n"
    )
    assert "0 sent, 0 succeeded, 10 000 never sent" in result.stdout
    assert "no connection was established, so nothing could be read back" in result.stdout


@pytest.mark.parametrize(
    ("detail", "hint"),
    [
        ("invalid peer certificate: UnknownIssuer", "--ca FILE"),
        (
            "the cryptographic handshake failed: error 48: invalid peer certificate: UnknownIssuer",
            "--ca FILE",
        ),
        ('invalid peer certificate: certificate not valid for name "a"; certificate is only', "--address IP"),
        ("invalid peer certificate: certificate expired: verification time 2 (UNIX)", "Renew"),
        ("invalid peer certificate: certificate not valid yet: verification time 2", "clock"),
        ("received corrupt message of type InvalidContentType", "http://"),
        ("received fatal alert: ProtocolVersion", "--tls 1.2"),
        ("aborted by peer: the cryptographic handshake failed: error 40", "--knob cipher"),
        ("received fatal alert: HandshakeFailure", "--knob cipher"),
        ("received fatal alert: CertificateRequired", "requires a client certificate"),
        ("received fatal alert: UnrecognisedName", "no certificate for this name"),
        ("received fatal alert: InternalError", "The server's log"),
    ],
)
def test_each_failure_of_tls_has_one_hint(detail: str, hint: str) -> None:
    told = tls_hints.hint(detail)
    assert hint in told
    assert ("--ca" in told) == (hint == "--ca FILE")


def test_an_engine_that_breaks_off_is_told_with_its_last_words(generator: Generator) -> None:
    generator.behave(words="the sky fell")
    result = generator.run(URL)
    assert result.status == 3
    assert (
        "the engine ended without a report (exit status 1); its last words:\nthe sky fell\n" in result.stderr
    )


def test_an_engine_that_tells_nonsense_is_no_measurement(generator: Generator) -> None:
    generator.behave(report={"requests": {}})
    result = generator.run(URL)
    assert (result.status, result.stdout) == (3, "")
    assert "the engine sent an unreadable report" in result.stderr


def test_without_an_engine_the_host_cannot(generator: Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRONGHORN_ENGINE", "/nowhere/engine")
    result = generator.run(URL)
    assert result.status == 3
    assert "PRONGHORN_ENGINE=/nowhere/engine: no program there." in result.stderr
