#!/usr/bin/env python3
"""How long `pronghorn import` takes for a HAR file of 1000 entries: with all bodies, and without any.

On an idle machine it is to stay below 3 s. On a busy one the CPU time tells more than the clock."""

import base64
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

ENTRIES, HOSTS = 1000, 20
SIZES = (2000, 8000, 30_000, 80_000)
KINDS = {
    "document": "text/html",
    "script": "text/javascript",
    "stylesheet": "text/css",
    "image": "image/png",
    "fetch": "application/json",
}
WORDS = ("function", "return", "window", "token", "const", "document.querySelector", "session", "margin")
LIMIT_S = 3.0


def har(bodies: bool) -> dict[str, Any]:
    """A HAR as Chrome has it, of seeded content; each response sets a cookie, each URL has a token."""
    draw = Random(1)
    return {
        "log": {
            "version": "1.2",
            "creator": {"name": "WebInspector", "version": "537.36"},
            "pages": [{"id": "page_1", "pageTimings": {"onLoad": 4000}}],
            "entries": [_entry(number, draw, bodies) for number in range(ENTRIES)],
        }
    }


def _entry(number: int, draw: Random, bodies: bool) -> dict[str, Any]:
    kind = list(KINDS)[number % len(KINDS)]
    size = draw.choice(SIZES)
    content: dict[str, Any] = {"size": size, "mimeType": KINDS[kind]}
    if bodies and kind == "image":
        content |= {"text": base64.b64encode(draw.randbytes(size)).decode(), "encoding": "base64"}
    elif bodies:
        text = " ".join(draw.choice(WORDS) + str(draw.randrange(1000)) for _ in range(size // 8))
        content["text"] = text[:size].ljust(size)
    headers = {"content-type": KINDS[kind], "set-cookie": f"sid{number}={draw.randbytes(12).hex()}; Path=/"}
    if kind != "image":
        headers["content-encoding"] = draw.choice(("br", "gzip"))
    path = f"r{number}?token={draw.randbytes(8).hex()}" if number else ""
    return {
        "_initiator": {"type": "parser", "url": "https://h0.example/"},
        "_priority": "Low",
        "_resourceType": kind,
        "pageref": "page_1",
        "request": {
            "method": "GET",
            "url": f"https://h{number % HOSTS}.example/{path}",
            "httpVersion": "h2",
            "headers": [{"name": "cookie", "value": f"sid={draw.randbytes(12).hex()}"}],
        },
        "response": {
            "status": 200,
            "httpVersion": "h2",
            "headers": [{"name": name, "value": value} for name, value in headers.items()],
            "content": content,
            "bodySize": -1,
            "_transferSize": size // 3 + 300,
        },
        "startedDateTime": f"2026-01-01T10:00:{number * 0.004:06.3f}Z",
        "timings": {"blocked": 1, "send": 0.1, "wait": 20, "receive": 5},
    }


def measure(folder: Path, bodies: bool) -> str:
    """One import, as a line: wall time, CPU time, and the largest memory."""
    name = "with-bodies" if bodies else "without-bodies"
    file = folder / f"{name}.har"
    file.write_text(json.dumps(har(bodies)), encoding="utf-8")
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [sys.executable, "-m", "pronghorn", "import", str(file), "-o", str(folder / name)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    took_s, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    megabytes = file.stat().st_size / 1e6
    return (
        f"{name:15} {megabytes:5.1f} MB  {took_s:5.2f} s (aim: {LIMIT_S:.0f} s)  CPU {cpu_s:5.2f} s  "
        f"at most {after.ru_maxrss / 1024:.0f} MiB"
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        for with_bodies in (True, False):
            print(measure(Path(made), with_bodies))
