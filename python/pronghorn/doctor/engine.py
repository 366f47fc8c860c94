"""Whether there is a working engine, and whether it can emulate paths here."""

import json
import subprocess
from collections.abc import Iterator

from pronghorn.doctor.finding import Finding
from pronghorn.engine import Hello, locate
from pronghorn.errors import HostError
from pronghorn.model import foreign

_HELLO = json.dumps({"id": 1, "op": "hello"}) + "\n"
_PATIENCE_S = 20.0


def hello() -> Hello:
    """What the engine says of this host; HostError where there is no engine or it doesn't answer."""
    program = locate()
    try:
        done = subprocess.run([program], input=_HELLO, capture_output=True, text=True, timeout=_PATIENCE_S)
        answer = foreign.json_table(done.stdout.partition("\n")[0])
        return Hello.model_validate(answer["ok"])
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError) as error:
        raise HostError(f"{program} doesn't answer: {error}", hint="Rebuild it with 'make build'.") from error


def lacks_engine() -> str | None:
    """The mend where there is no working engine, else None."""
    try:
        hello()
    except HostError as error:
        return error.hint or error.message
    return None


def lacks_namespaces() -> str | None:
    """The mend where this host can't emulate a path, else None."""
    try:
        answer = hello()
    except HostError as error:
        return error.hint or error.message
    if answer.isolation == "none":
        return answer.mend or answer.isolation_reason or "see pronghorn doctor"
    return None


def findings() -> Iterator[Finding]:
    """The engine, and whether its paths are emulated."""
    try:
        answer = hello()
    except HostError as error:
        yield Finding("engine", "missing", error.message, error.hint)
        return
    yield Finding("engine", "ok", f"version {answer.version}")
    if answer.isolation == "none":
        reason = answer.isolation_reason or "denied"
        yield Finding("emulated paths", "missing", f"{reason}; only path 'direct' works", answer.mend)
    else:
        yield Finding("emulated paths", "ok", f"work, isolated by: {answer.isolation}")
