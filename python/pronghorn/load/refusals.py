"""What the engine refuses of a load, in the words that a person typed."""

import re

from pronghorn.engine import EngineError
from pronghorn.errors import InputError
from pronghorn.load.spec import LoadSpec

_FLAGS = {
    "address": "--address",
    "zone": "--address",
    "unix_socket": "--unix-socket",
    "target_file": "-i",
    "targets": "-i",
    "tls.certificate": "--cert",
    "port": "--port",
    "protocol": "--http",
    "session": "--resume",
    "connections": "-c",
    "streams": "-m",
    "threads": "-t",
    "stop.requests": "-n",
    "stop.duration_s": "-d",
    "limit_s": "--limit",
    "warm_up.requests": "--warm-up",
    "warm_up.duration_s": "--warm-up",
    "arrivals.rate_per_s": "--rate",
    "ramp_s": "--ramp",
    "request_timeout_s": "--timeout",
    "connect_timeout_s": "--connect-timeout",
    "knobs": "--knob",
    "knobs.pacing": "--knob pacing",
}
_STEP = re.compile(r"arrivals\.steps\[(\d+)\]\.\w+: (.*)", re.DOTALL)
_TARGET = re.compile(r"targets\[(\d+)\]\.(url|method|headers|body|weight)(?:\[\d+\])?: (.*)", re.DOTALL)
_OF_A_TARGET = {"method": "--method", "headers": "-H", "body": "--body"}
_UNREAD = "not a load's specification: "


def typed(refused: EngineError, spec: LoadSpec) -> InputError:
    """The error for the command line, whose `spec` the engine refused."""
    return InputError(_message(refused.message, spec), hint=refused.hint or _hint(refused.message))


def _message(message: str, spec: LoadSpec) -> str:
    of_target = _TARGET.fullmatch(message)
    if of_target is not None and int(of_target[1]) < len(spec.targets):
        url = spec.targets[int(of_target[1])].url
        name = {"url": url, "weight": f"{url}, weight", **_OF_A_TARGET}[of_target[2]]
        return f"{name}: {_sentence(of_target[3])}"
    of_step = _STEP.fullmatch(message)
    if of_step is not None:
        return f"--rate, step {int(of_step[1]) + 1}: {_sentence(of_step[2])}"
    if message.startswith(_UNREAD):
        reason = re.sub(r" at line \d+ column \d+$", "", message.removeprefix(_UNREAD))
        return f"the engine can't read the load's specification: {_sentence(reason)}"
    key, colon, problem = message.partition(": ")
    if colon and key in _FLAGS:
        return f"{_FLAGS[key]}: {_sentence(problem)}"
    if spec.tls.ca is not None and (key == spec.tls.ca or message.startswith("the CA ")):
        return f"--ca {spec.tls.ca}: {_sentence(problem)}"
    for flag, file in (("--cert", spec.tls.certificate), ("--key", spec.tls.key)):
        if colon and file is not None and key == file:
            return f"{flag} {file}: {_sentence(problem)}"
    return _sentence(message)


def _hint(message: str) -> str | None:
    if message.startswith(_UNREAD):
        return "Its version may differ: pronghorn doctor"
    if message.startswith("the CA "):
        return "Name a PEM file with the authority's certificate (BEGIN CERTIFICATE)."
    return None


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."
