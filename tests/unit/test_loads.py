"""Loads as a client of experiments: what is asked of them, how they are judged, and what is told of them."""

import json
from typing import Any

import pytest

from .laboratory import Laboratory

LOADS = """\
name = "Loads"
sites = ["tiny"]
paths = ["clean", "delay"]
clients = ["load"]
arms = ["h1", "h1+clear", "h2", "h3"]
repeat = 6
seed = 7
limit = "20s"

[load]
threads = 2
connections = 10
streams = 4
requests = 400

[path.clean]
down = {}
up = {}

[path.delay]
down = { delay = "100ms" }
up = {}
"""


@pytest.fixture
def loads(laboratory: Laboratory) -> Laboratory:
    """A laboratory with an experiment of loads."""
    laboratory.write("loads.toml", LOADS)
    return laboratory


def summary(loads: Laboratory) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((loads.folder / "out" / "summary.json").read_text(encoding="utf-8"))
    return found


def run(loads: Laboratory, *arguments: str) -> str:
    result = loads.run("run", "loads.toml", "--out", "out", "--verbose", *arguments)
    assert result.status == 0, result.stderr
    return " ".join(result.stdout.split())


def refused(loads: Laboratory, *sets: str) -> str:
    arguments = [word for one in sets for word in ("--set", one)]
    result = loads.run("run", "loads.toml", "--out", "out", *arguments)
    assert result.status == 2
    return result.stderr


def test_the_engine_is_asked_for_the_load_over_each_arm(loads: Laboratory) -> None:
    log = loads.folder / "requests"
    loads.behave(log=str(log))
    run(loads, "--set", "repeat=1")
    asked = [one["spec"] for one in loads.requests(log) if one["op"] == "generate"]
    urls = {(one["protocol"], one["targets"][0]["url"].split(":")[0], one["port"]) for one in asked}
    assert urls == {("h1", "https", 4433), ("h1", "http", 80), ("h2", "https", 4433), ("h3", "https", 4433)}
    for spec in asked:
        assert spec["stop"] == {"requests": 400}
        assert (spec["threads"], spec["connections"], spec["streams"]) == (2, 10, 4)
        assert spec["limit_s"] == 20
    origins = [one for one in loads.requests(log) if one["op"] == "origin"]
    assert {one.get("clear_port") for one in origins} == {None, 80}


def test_loads_side_by_side_begin_one_at_a_time_each_with_its_path(loads: Laboratory) -> None:
    """Between the two, what takes no time; the fake engine's loads are over at once, and so are their
    turns."""
    log = loads.folder / "requests"
    loads.behave(log=str(log))
    lossy = "path.lossy={ down = { loss = '30%' }, up = {} }"
    run(loads, "--set", lossy, "--set", "paths=lossy", "--jobs", "4")
    asked = [(one["pid"], one["op"]) for one in loads.requests(log)]
    assert len({pid for pid, op in asked if op == "generate"}) > 1
    begun = [(pid, op) for pid, op in asked if op in ("begin", "generate")]
    assert len(begun) == 2 * 4 * 6
    for begin, generate in zip(begun[::2], begun[1::2], strict=True):
        assert (begin[1], generate[1]) == ("begin", "generate")
        assert begin[0] == generate[0]


def test_the_origins_log_is_counted_and_not_kept(loads: Laboratory) -> None:
    run(loads, "--set", "repeat=1")
    for trial in loads.trials("out"):
        assert trial.status == "ok", trial.detail
        assert trial.origin_log == []
        [count] = trial.origin_counts
        assert (count.requests, count.protocol, count.status) == (400, trial.arm[:2], 200)
        assert trial.metrics.protocols == {trial.arm[:2]: 400}


def test_a_cut_load_counts_with_what_had_succeeded_over_its_limit(loads: Laboratory) -> None:
    loads.behave(rules=[{"do": "timeout", "protocol": "h2"}])
    said = run(loads)
    cut = [trial for trial in loads.trials("out") if trial.arm == "h2"]
    assert {(trial.status, trial.reason, trial.metrics.requests_per_second) for trial in cut} == {
        ("failed", "cut", 199 / 20)
    }
    assert "h3 is faster than h2" in said
    for cell in summary(loads)["cells"]:
        arm = cell["arms"]["h2"]
        assert (arm["median"], arm["requests_per_second"]["median"]) == (None, 199 / 20)
    assert "over 20 s" in said


def test_a_request_that_failed_fails_the_load_but_not_its_rate(loads: Laboratory) -> None:
    loads.behave(rules=[{"do": "reset", "protocol": "h3"}])
    run(loads, "--set", "repeat=1")
    for trial in loads.trials("out"):
        if trial.arm == "h3":
            assert (trial.status, trial.reason) == ("failed", "requests")
            assert trial.detail == "1 of 400 requests failed (reset 1)"
            assert trial.metrics.requests_per_second and trial.metrics.load_s is None


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("origin-protocol", "asked h2, but the origin served requests over h1"),
        ("origin-forgets", "the client counted 400 answers of status 200, the origin's log 399"),
    ],
)
def test_a_load_that_the_origins_log_disproves_counts_for_nothing(
    loads: Laboratory, fault: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pronghorn.execute.origin_notes._WAITS_S", ())
    loads.behave(rules=[{"do": fault, "protocol": "h2"}])
    result = loads.run("run", "loads.toml", "--out", "out", "--set", "repeat=1")
    assert result.status == 4, "the baseline measured nothing"
    for trial in loads.trials("out"):
        if trial.arm == "h2":
            assert (trial.status, trial.reason, trial.detail) == ("failed", "protocol", said)
            assert trial.metrics.requests_per_second == 0


def test_requests_per_second_lead_and_more_is_faster(loads: Laboratory) -> None:
    loads.behave(rules=[{"do": "timeout", "protocol": "h1"}])
    said = run(loads)
    assert "h2 ÷" not in said
    for cell in summary(loads)["cells"]:
        led = cell["comparisons"][0]
        assert (led["metric"], led["arm"], led["verdict"]) == ("requests_per_second", "h1", "slower")
        metrics = {one["metric"] for one in cell["comparisons"]}
        assert metrics >= {"load", "connect_p50", "first_byte_p90", "total_p99", "total_p999"}


def test_http_3_is_contrasted_with_every_other_arm(loads: Laboratory) -> None:
    said = run(loads)
    found = summary(loads)["contrasts"]
    assert {(one["arm"], one["against"], one["path"]) for one in found} == {
        ("h3", against, path) for against in ("h1", "h1+clear", "h2") for path in ("clean", "delay")
    }
    assert "HTTP/3 against the others" in said
    report = (loads.folder / "out" / "report.html").read_text(encoding="utf-8")
    assert "h3 ÷ h1+clear, builtin" in report


def test_a_run_stands_beside_what_was_published_and_each_claim_is_stated(loads: Laboratory) -> None:
    said = run(loads, "--set", "published=weaknet")
    assert "Requests per second, builtin" in said and "24 601" in said
    claims = summary(loads)["claims"]
    assert len(claims) == 4
    assert {one["state"] for one in claims} <= {"reproduced", "not reproduced", "undecided"}
    delay, loss = claims[0], claims[1]
    assert {reading["against"] for reading in delay["readings"]} == {"h1", "h1+clear"}
    assert delay["readings"][0]["parts"][0]["ci95"] != [None, None]
    assert {part["reason"] for part in loss["readings"][0]["parts"]} == {"not measured"}
    report = (loads.folder / "out" / "report.html").read_text(encoding="utf-8")
    assert "Delay alone never favours h3." in report and "theirs" in report


def test_a_load_that_is_not_the_published_one_is_said_to_be_another(loads: Laboratory) -> None:
    other = "The load differs from the published one"
    assert other in run(loads, "--set", "published=weaknet", "--set", "repeat=1")
    [told] = [note for note in summary(loads)["notes"] if note.startswith(other)]
    assert "threads 2 (10), connections 10 (100), streams 4 (100), requests 400 (10000)." in told


def test_the_published_load_is_not_said_to_be_another(loads: Laboratory) -> None:
    theirs = "load={ threads = 10, connections = 100, streams = 100, requests = 10000 }"
    said = run(loads, "--set", "published=weaknet", "--set", "repeat=1", "--set", theirs)
    assert "differs from the published one" not in said


def test_a_check_may_ask_for_rates_and_latencies(loads: Laboratory) -> None:
    loads.behave(rules=[{"do": "timeout", "protocol": "h2"}])
    checks = (
        "h3.requests_per_second / h2.requests_per_second > 2",
        "h3.total_p99 < 20s",
        "delay: h3.connect_p50 > 0",
        "h3 is faster",
    )
    run(loads, *[word for check in checks for word in ("--check", check)])
    failed = loads.run("run", "--resume", "out", "--check", "h2.requests_per_second > 1000")
    assert failed.status == 1
    assert "h2.requests_per_second = 9.95" in failed.stderr


def test_a_resolved_experiment_of_loads_is_resumed(loads: Laboratory) -> None:
    run(loads, "--set", "published=weaknet", "--set", "repeat=1")
    assert loads.run("run", "--resume", "out").status == 0
    assert loads.run("report", "out").status == 0


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (["clients=native"], "no client makes loads"),
        (
            ["arms=h2+clear", "clients=load,native"],
            "client 'native' can't do it: it loads pages over TLS",
        ),
        (
            ["arms=h2+clear", "origins=caddy"],
            "It can be honoured by builtin, nginx, nginx:patient, nginx:tuned.",
        ),
        (["arms=h3~altsvc"], "It can be honoured by chromium."),
        (["arms=h2+warm"], "client 'load' can't do it: it has no cache"),
        (["load.requests=5"], "5 requests leave some of the 10 connections without a request"),
        (["load.duration=5s"], "Write one of the two"),
        (["load.threads=11"], "11 threads have only 10 connections"),
        (["load.streams=0"], "no whole number from 1"),
        (["load.distribution=poisson"], "this sets how requests of a 'rate' are spaced"),
        (["load.rate=fast"], "'fast' is no number of requests a second"),
        (["load.document=index"], "it begins with '/'"),
        (["load={ duration = '30s' }"], "the load itself lasts 30 s, but its limit stops it at 20 s"),
        (["load={ duration = '5s', warm_up = '5s', limit = '10s' }"], "stops it at 10 s"),
        (["load.warm_up=20s"], "stops it at 20 s"),
        (["load.limit=0s"], "must be greater than zero"),
        (["load.conections=5"], "did you mean 'connections'?"),
        (["published=weaknets"], "did you mean 'weaknet'?"),
        (["origins=https://example.org/"], "a live server"),
    ],
)
def test_what_can_not_be_honoured_is_refused(loads: Laboratory, sets: list[str], said: str) -> None:
    assert said in " ".join(refused(loads, *sets).split())


def test_a_client_that_makes_loads_has_to_be_told_what(laboratory: Laboratory) -> None:
    result = laboratory.run("run", "experiment.toml", "--set", "clients=load")
    assert result.status == 2
    assert "client 'load' needs to know which load to make" in result.stderr
