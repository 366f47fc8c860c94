"""`--check`: what must hold of a load, such as `p99<200ms`, `rps>1000` or `failed<0.1%`.

    CHECK  = METRIC OP VALUE                 OP = "<" | "<=" | ">" | ">=" | "==" | "!="
    METRIC = [PHASE "."] STATISTIC           a time; PHASE: connect, first_byte, total (default), lag
           | "rps" | "goodput" | "upload" | "cpu" | "rss"
           | COUNT                           sent, unsent, succeeded, failed, connections.established …
           | "failed." KIND | "status." CODE | "connections.failed." KIND

Times and sizes have their units. A count is compared with a number, or in per cent of what was sent. What
isn't known, such as a percentile of too few samples, makes the check fail. In percentiles requests that
failed count as never answered: else a --timeout would make any of them hold.
"""

import math
import re
from typing import Literal, NamedTuple

from pronghorn.errors import InputError, nearest
from pronghorn.load import figures
from pronghorn.load.spec import LoadSpec
from pronghorn.model import percentiles, units
from pronghorn.model.load_report import LoadReport
from pronghorn.model.operators import OPERATORS

PHASES = ("connect", "first_byte", "total", "lag")
_OF_REQUESTS = ("first_byte", "total")
STATISTICS = ("min", "mean", "sd", *percentiles.PERCENTILES, "max")
FAILURES = (
    *("status", "grpc", "head", "early", "reset", "refused", "connection", "timeout", "short", "protocol"),
    "cut",
)
"""The kinds by which requests fail (docs/engine-protocol.md)."""
CONNECTION_FAILURES = (
    *("refused", "unreachable", "local", "timeout", "tls", "alpn", "reset", "idle", "protocol"),
    *("congestion_control", "cut"),
)
"""And connections."""

_COUNTS = (
    *("sent", "unsent", "succeeded", "failed", "retried"),
    *("connections.established", "connections.failed", "connections.closed_by_peer", "connections.resumed"),
)
_OF_SENT = ("succeeded", "failed")
_FORM = "write METRIC < VALUE (or <=, >, >=, ==, !=), such as 'p99<200ms', 'rps>1000' or 'failed<0.1%'"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")

Kind = Literal["time", "rate", "goodput", "size", "count"]


class Check(NamedTuple):
    """A parsed check. Of a time `phase` and `statistic` say which. `value` is in seconds, bytes, per second
    or a number; with `share` it is a part of what was sent."""

    text: str
    metric: str
    kind: Kind
    operator: str
    value: float
    share: bool = False
    phase: str | None = None
    statistic: str | None = None

    def hides_stalls(self, spec: LoadSpec) -> bool:
        """Whether it asks of a closed loop what only an open one can tell."""
        return spec.arrivals is None and self.phase in _OF_REQUESTS and self.statistic != "min"


class Result(NamedTuple):
    """Whether a check holds, and what was found, in words; None: what was measured is of this host and not of
    the server, so that it isn't judged."""

    check: Check
    holds: bool | None
    found: str


def parse(text: str, spec: LoadSpec) -> Check:
    """The check that `text` says of a load; InputError where it says none, or asks what the load can't
    tell."""
    split = re.fullmatch(r"\s*([^<>=!\s]+)\s*(<=|>=|==|!=|<|>)\s*(\S.*?)\s*", text)
    if split is None:
        raise InputError(f"--check {text!r}: this is no comparison; {_FORM}.")
    name, sign, value = split.groups()
    phase, statistic = _time(name)
    if statistic is not None:
        if phase == "lag" and spec.arrivals is None:
            raise InputError(f"--check {text!r}: only an open loop (--rate R) has a lag.")
        return Check(
            text, name, "time", sign, _quantity(text, value, "time"), phase=phase, statistic=statistic
        )
    kinds: dict[str, Kind] = {
        "rps": "rate",
        "goodput": "goodput",
        "upload": "goodput",
        "cpu": "time",
        "rss": "size",
    }
    if name in kinds:
        return Check(text, name, kinds[name], sign, _quantity(text, value, kinds[name]))
    if name not in _COUNTS and not _is_part(name) and not _is_kind_of_connection(name):
        raise InputError(f"--check {text!r}: {_unknown(name)}")
    if value.endswith("%"):
        if name not in _OF_SENT and not _is_part(name):
            raise InputError(f"--check {text!r}: {name!r} is not a share of the requests. Leave out %.")
        return Check(text, name, "count", sign, _quantity(text, value, "count"), share=True)
    return Check(text, name, "count", sign, _quantity(text, value, "count"))


def evaluate(check: Check, report: LoadReport) -> Result:
    """Whether `check` holds of what was measured."""
    if report.is_of_this_host and not check.metric.startswith("connections."):
        return Result(check, None, "this host itself refused most connections")
    value, shown = _value(check, report)
    holds = value is not None and OPERATORS[check.operator](value, check.value)
    found = shown if value is None else f"{check.metric} = {shown}"
    if report.stood_still_s:
        # What it lost makes times longer and counts smaller: a check can hold or fail by that alone.
        return Result(check, None, f"{found}, but the generator itself stood still")
    return Result(check, holds, found)


def _time(name: str) -> tuple[str | None, str | None]:
    """The phase and the statistic that `name` means, if it means one: `p99.9` is `p999`."""
    phase, dot, rest = name.partition(".")
    if not dot or phase not in PHASES:
        phase, rest = "total", name
    statistic = rest.replace(".", "") if re.fullmatch(r"p99\.9{1,2}", rest) else rest
    return (phase, statistic) if statistic in STATISTICS else (None, None)


def _is_part(name: str) -> bool:
    group, _, part = name.partition(".")
    return (group == "failed" and part in FAILURES) or (
        group == "status" and re.fullmatch(r"[1-5]\d\d", part) is not None
    )


def _is_kind_of_connection(name: str) -> bool:
    return name.removeprefix("connections.failed.") in CONNECTION_FAILURES and name.count(".") == 2


def _unknown(name: str) -> str:
    statistics = [percentiles.words(statistic) for statistic in STATISTICS]
    known = [
        *statistics,
        "rps",
        "goodput",
        "upload",
        "cpu",
        "rss",
        *_COUNTS,
        *(f"failed.{kind}" for kind in FAILURES),
    ]
    known += [f"connections.failed.{kind}" for kind in CONNECTION_FAILURES]
    meant = nearest(name, [*known, *(f"{phase}.{one}" for phase in PHASES for one in statistics)])
    question = f"; did you mean {meant!r}?" if meant else "."
    others = ", ".join(f"{phase}." for phase in PHASES if phase != "total")
    return (
        f"unknown metric {name!r}{question} Allowed: {', '.join(statistics)} (of total; else {others} before "
        f"it), rps, goodput, upload, cpu, rss, {', '.join(_COUNTS)}, status.CODE, failed.KIND "
        f"({', '.join(FAILURES)}), connections.failed.KIND ({', '.join(CONNECTION_FAILURES)})."
    )


def _quantity(text: str, value: str, kind: Kind) -> float:
    try:
        match kind:
            case "time":
                return units.time_ns(value) / 1e9
            case "size":
                return float(units.size_or_none(value))
            case "goodput":
                per_second = value.removesuffix("/s")
                return units.rate(value) / 8 if "bit" in value else float(units.size_or_none(per_second))
            case "rate":
                return _number(value.removesuffix("/s"))
            case "count":
                return units.share(value) if value.endswith("%") else _number(value)
    except units.UnitError as error:
        raise InputError(f"--check {text!r}: {error}.") from None


def _number(value: str) -> float:
    if not _NUMBER.fullmatch(value):
        raise units.UnitError(f"{value!r} is no number")
    return float(value)


def _value(check: Check, report: LoadReport) -> tuple[float | None, str]:
    """What was found and how it is shown; without it, why it isn't known."""
    if check.statistic is not None:
        return _time_found(check, report)
    requests = report.requests
    match check.metric:
        case "rps":
            return report.requests_per_second, figures.rate(report.requests_per_second, requests.succeeded)
        case "goodput":
            return report.bytes_per_second.payload, f"{figures.size(report.bytes_per_second.payload)}/s"
        case "upload":
            return report.bytes_per_second.uploaded, f"{figures.size(report.bytes_per_second.uploaded)}/s"
        case "cpu":
            return report.cpu_s.total, figures.duration(report.cpu_s.total)
        case "rss":
            return float(report.max_rss_bytes), figures.size(report.max_rss_bytes)
    number = _count(check.metric, report)
    if not check.share:
        return float(number), figures.grouped(number)
    if not requests.sent:
        return None, f"{check.metric} is unknown: nothing was sent"
    shown = f"{figures.share(number, requests.sent)} ({figures.grouped(number)} of {requests.sent})"
    return number / requests.sent, shown


def _time_found(check: Check, report: LoadReport) -> tuple[float | None, str]:
    found = getattr(report.latency_seconds, str(check.phase))
    samples = found.count if found is not None else 0
    statistic = str(check.statistic)
    if statistic not in percentiles.PERCENTILES:
        value = None if found is None else float(getattr(found, statistic))
        return value, f"{check.metric} is unknown: no samples" if value is None else figures.duration(value)
    value = percentiles.told(found, statistic)
    if value is None:
        needed = percentiles.samples_needed(statistic)
        return None, f"{check.metric} is unknown: it needs {needed} samples, and there are {samples}"
    if check.phase not in _OF_REQUESTS or not report.requests.failures:
        return value, figures.duration(value)
    lost = f"the {figures.grouped(report.requests.failures)} that failed"
    value = percentiles.of_all(found, statistic, report.requests.sent)
    if math.isinf(value):
        return None, f"{check.metric} is unknown: it lies among {lost}"
    return value, f"{figures.duration(value)}, if {lost} count as never answered"


def _count(name: str, report: LoadReport) -> int:
    group, _, part = name.partition(".")
    requests, connections = report.requests, report.connections
    if group == "status":
        return requests.statuses.get(part, 0)
    if group == "failed":
        return requests.failed.get(part, 0) if part else requests.failures
    if name == "connections.failed":
        return sum(connections.failed.values())
    if _is_kind_of_connection(name):
        return connections.failed.get(name.removeprefix("connections.failed."), 0)
    return int(getattr(connections, part) if group == "connections" else getattr(requests, name))
