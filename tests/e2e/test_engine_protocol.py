"""Every operation and every mode of the engine, answered as the protocol's schema says.

`tests/conftest.py` holds what `Engine` asks and is answered against the schema; here every operation comes
once, and what doesn't pass through `Engine` is looked at."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pronghorn import engine as engines
from pronghorn.certificates import HOST_NAME, Certificates
from pronghorn.engine import EngineError

from .. import engine_protocol, overheard
from .benches import CONTROLS, Bench, bench
from .links import both_ways, link

pytestmark = [pytest.mark.needs("engine", "namespaces"), pytest.mark.beside]

POLICY = Path(__file__).parents[1] / "unit" / "policy" / "made.toml"
NEAR = both_ways(link(1, rate_mbit=50))
ONE_NODE = {"ln_ratio": [[[-0.1] * 2] * 2] * 2, "sd": [[[0.0] * 2] * 2] * 2}


def simulation(policy: str) -> dict[str, Any]:
    """A few clients for a day."""
    return {
        "seed": 1,
        "policy": policy,
        "clients": 20,
        "days": 1.0,
        "truth": {
            "rtt_ms": [10.0, 100.0],
            "loss": [0.0, 0.01],
            "rate_mbit": [1.0, 100.0],
            "surfaces": {"cubic": ONE_NODE},
            "between_clients": 0.1,
        },
        "networks": [
            {"name": "one", "share": 1.0, "rtt_ms": [10, 20], "loss": [0, 0.01], "rate_mbit": [10, 20]}
        ],
        "tcp": {"cubic": 1.0},
        "traffic": {
            "sessions_per_day": 4.0, "sessions_sd": 0.0, "pages": 2.0, "pause_s": 1.0, "responses": 2.0,
            "bytes": 1e4, "bytes_sd": 0.5,
        },
        "noise": {"response": 0.1, "page": 0.1, "own_loss": 0.0},
        "event": {"kind": "upgrade", "ln_ratio": 0.2},
    }  # fmt: skip


def load_spec(port: int, identity: Certificates, **stop: float) -> dict[str, Any]:
    """A small load of the origin over h3."""
    return {
        "targets": [{"url": f"https://{HOST_NAME}:{port}/"}],
        "protocol": "h3",
        "tls": {"ca": str(identity.authority)},
        "congestion_control": CONTROLS,
        "stop": stop,
        "limit_s": 30,
    }


async def without_a_bench(one: Bench) -> None:
    ask = one.engine.request
    await ask("hello")
    handover = {"at_ns": 10**9, "path": both_ways(link(5))}
    trace = {"text": "1\n2\n", "repeat": True}
    path = {"down": {"trace": trace}, "up": link(1, rate_mbit=1), "handover": handover}
    await ask("describe_path", path=path)
    with pytest.raises(EngineError) as refused:
        await ask("describe_path", path=both_ways({"trace": {"text": "1\nno\n"}}))
    assert (refused.value.key, refused.value.line) == ("down.trace.text", 2)
    text = POLICY.read_text(encoding="utf-8")
    client = {"tcp": "cubic", "rtt_ms": 50, "sent": 2000, "lost": 20, "rate_mbit": None}
    await ask("policy", text=text, clients=[client])
    await ask("outcomes", responses=[[10_000, 50_000, 0], [0, 0, 0]])
    await ask("simulate", spec=simulation(text))


async def on_a_bench(one: Bench, folder: Path, tiny: Path, identity: Certificates) -> None:
    ask = one.engine.request
    cross = {"flows": 1, "tcp_congestion_control": "cubic", "direction": "up", "warmup_ns": 10**7}
    await one.open(
        NEAR | {"cross": cross},
        capture=folder / "path.pcapng",
        arrivals=folder / "path.json.gz",
        warm_up=True,
        flight_interval_s=0.01,
    )
    await ask("dns", records=[{"name": HOST_NAME, "a": ["198.18.0.2"]}])
    port = await one.serve(tiny, identity, clear_port=0, early_data=True, qlog=str(folder / "qlog"))
    await one.visit(identity, "h3", port, session="gain")
    await one.begin(2)
    for protocol, how in (("h1", "cold"), ("h2", "cold"), ("h3", "0rtt")):
        await one.visit(identity, protocol, port, session=how, qlog=str(folder / "qlog"))
    failed = await one.visit(identity, "h2", port, document="/missing")
    assert failed.outcome == "failed"
    started = await ask("spawn", host="client", argv=[sys.executable, "-S", "-c", "input()"], resolver=True)
    await ask("listening", host="server", port=port, tcp=True, udp=True, timeout_s=5)
    await ask("wait", process=started["process"], timeout_s=5)
    sleeping = await ask("spawn", host="server", argv=["sleep", "60"])
    await ask("kill", process=sleeping["process"])
    await ask("wait", process=sleeping["process"], timeout_s=5)
    await ask("sockets", host="client")
    await ask("generate", spec=load_spec(port, identity, requests=20))
    await ask("generate_start", spec=load_spec(port, identity, duration_s=60))
    await ask("generate_stop", wait=False)
    for told in ("origin_log", "dns_log", "flight", "arrivals", "counters", "close"):
        await ask(told)


async def probed(one: Bench) -> None:
    await one.open(both_ways(link(1)))
    phase = {"packets": 3, "bytes": 100, "gap_ns": 10**6}
    await one.engine.request("calibrate", down=[phase], up=[phase], settle_ns=10**8)
    await one.close()


async def over_loopback(one: Bench, tiny: Path, identity: Certificates) -> None:
    ask = one.engine.request
    await ask("open", path=None, seed=1, tcp_congestion_control="cubic")
    await ask("idle", for_s=0.01)
    with pytest.raises(EngineError):
        await ask("dns", records=[])
    with pytest.raises(EngineError):
        await ask("origin_end", within_s=0)
    for wrong in ({"url": "https://127.0.0.1:1", "limit_s": 1}, {"url": "http://127.0.0.1:1", "limit_s": 0}):
        with pytest.raises(EngineError) as refused:
            await one.serve(tiny, identity, proxy=wrong)
        assert refused.value.kind == "input"
    port = await one.serve(tiny, identity, graceful=True, proxy={"url": "http://127.0.0.1:1", "limit_s": 60})
    for protocol in ("h1", "h2", "h3"):
        page = await one.visit(identity, protocol, port)
        assert page.outcome == "failed"
    counts = (await ask("origin_log"))["counts"]
    assert [count["status"] for count in counts] == [502] * 3
    assert (await ask("origin_end", within_s=60))["answered"]
    await one.close()


def test_every_operation_is_answered_as_the_schema_says(
    tmp_path: Path, tiny: Path, identity: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = overheard.listen(monkeypatch)

    async def run() -> None:
        async with bench(tmp_path) as one:
            await without_a_bench(one)
            await on_a_bench(one, tmp_path, tiny, identity)
            await probed(one)
            await over_loopback(one, tiny, identity)

    asyncio.run(run())
    assert {request["op"] for request, answer in heard if "ok" in answer} == set(engine_protocol.operations())
    assert list(overheard.faults(heard)) == []


def test_a_key_that_the_schema_does_not_have_is_refused(tmp_path: Path) -> None:
    async def run() -> None:
        async with bench(tmp_path) as one:
            for op in engine_protocol.operations():
                with pytest.raises(EngineError) as refused:
                    await one.engine.request(op, no_such_key=1)
                assert refused.value.kind == "input", op

    asyncio.run(run())


def test_the_mode_generate_tells_lines_as_the_schema_says() -> None:
    spec: dict[str, Any] = {
        "targets": [{"url": "http://127.0.0.1:9/"}],
        "protocol": "h1",
        "congestion_control": {"tcp": None, "quic": "cubic"},
        "stop": {"duration_s": 0.3},
        "progress_s": 0.1,
    }
    for asked, last in ((spec, "report"), (spec | {"targets": []}, "error")):
        assert engine_protocol.faults("$defs/LoadSpec", asked) == []
        done = subprocess.run(
            [engines.locate(), "generate"],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            timeout=30,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert last in lines[-1]
        assert [fault for line in lines for fault in engine_protocol.faults("$defs/GenerateLine", line)] == []


@pytest.mark.parametrize(
    ("command", "status", "definition"),
    [(["true"], 0, "PathReport"), (["/no/such/program"], 127, "PathFailure")],
)
def test_the_mode_path_reports_as_the_schema_says(
    command: list[str], status: int, definition: str, tmp_path: Path
) -> None:
    asked = {
        "path": NEAR,
        "seed": 1,
        "command": command,
        "server": ["sleep", "60"],
        "sample_interval_s": 0.01,
        "capture": str(tmp_path / "path.pcapng"),
    }
    assert engine_protocol.faults("$defs/PathRequest", asked) == []
    request, report = os.memfd_create("request"), os.memfd_create("report")
    os.write(request, json.dumps(asked).encode())
    os.lseek(request, 0, os.SEEK_SET)
    words = ["path", "--request-fd", str(request), "--report-fd", str(report)]
    done = subprocess.run([engines.locate(), *words], pass_fds=(request, report), timeout=60)
    told = json.loads(os.pread(report, 2**24, 0))
    assert done.returncode == told["status"] == status
    assert engine_protocol.faults(f"$defs/{definition}", told) == []
