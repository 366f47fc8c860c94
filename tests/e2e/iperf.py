"""iperf3 over a bench."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .benches import LIMIT_S, Bench, until


async def iperf3(one: Bench, folder: Path, client: str, options: Sequence[str]) -> Any:
    """The sender's report of one test from server to client, whose address is given."""
    listening, report = folder / "iperf3-receiver.out", folder / "iperf3-sender.json"
    await _start(one, "client", listening, "-s", "-1", "--forceflush")
    await until("iperf3 listens", lambda: listening.exists() and "listening" in listening.read_text())
    sending = await _start(one, "server", report, "-c", client, "-J", *options)
    ok = await one.engine.request("wait", process=sending, timeout_s=LIMIT_S, patience_s=LIMIT_S + 10)
    said = json.loads(report.read_text(encoding="utf-8") or '{"error": "no report"}')
    assert ok["status"] == 0, said.get("error")
    return said


async def _start(one: Bench, host: str, stdout: Path, *arguments: str) -> int:
    # Before whatever else the host runs, where nice(1) may; where not, it says so on stderr and goes on.
    argv = ["nice", "-n", "-19", "iperf3", *arguments]
    ok = await one.engine.request("spawn", host=host, argv=argv, env={}, stdout=str(stdout), stderr=None)
    return int(ok["process"])
