"""A stand-in for `pronghorn-engine`: it speaks the protocol and measures nothing.

Its behaviour is the JSON in FAKE_ENGINE: `isolation`, `mend`, `congestion_controls`, `log` (a file in which
every request is noted), and `rules`, a list of {"do": FAULT, "protocol": only for it, "visit": only in this
load since the bench was opened, "once": a marker file; with it the fault happens only while that file does
not exist}. A load takes `pace_s` seconds; its connection stands
after `connected_s`."""

# It is started for every trial, and so imports only what it can't do without.
from __future__ import annotations

import json
import os
import sys
import time

from . import fake_answers as whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONFIGURATION: dict[str, Any] = json.loads(os.environ.get("FAKE_ENGINE", "{}"))
RESOURCES = ("/", "/a.js", "/b.png")
BYTES = 600_000
ROUND_TRIPS = {"h1": 4, "h2": 4, "h3": 3}


class Refusal(Exception):
    """An error to be answered: its kind, message and mend, and for a path its key and line."""


class Bench:
    """The state between two requests."""

    def __init__(self) -> None:
        self.path: dict[str, Any] | None = None
        self.is_open = False
        self.warms_up = False
        self.served: list[dict[str, Any]] | None = None
        self.visits = 0
        self.loads = 0
        self.seed = 0
        self.protocol = "h2"
        self.control: dict[str, str] = {}
        self.fault: str | None = None
        self.made_load = False
        self.counts = False
        self.beside: dict[str, Any] | None = None
        self.capture: str | None = None
        self.arrivals: str | None = None
        self.qlog: str | None = None
        self.flight: dict[str, float] | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        operation = getattr(self, f"op_{request['op']}", None)
        if operation is None:
            raise Refusal("input", f"unknown op {request['op']}", None)
        answer: dict[str, Any] = operation(request)
        return answer

    def op_hello(self, _request: dict[str, Any]) -> dict[str, Any]:
        return {
            "version": "0.0-fake",
            "isolation": CONFIGURATION.get("isolation", "root"),
            "isolation_reason": CONFIGURATION.get("isolation_reason"),
            "mend": CONFIGURATION.get("mend"),
            "congestion_controls": CONFIGURATION.get("congestion_controls", ["reno", "cubic", "bbr"]),
            "libraries": {"quinn": "0.0"},
        }

    def op_describe_path(self, request: dict[str, Any]) -> dict[str, Any]:
        for name in ("down", "up"):
            for holder in ("trace", "schedule"):
                text = request["path"][name].get(holder, {}).get("text", "")
                for number, line in enumerate(text.splitlines(), 1):
                    if line == "wrong":
                        raise Refusal("input", "'wrong' is wrong", None, f"{name}.{holder}", number)
        links = {name: request["path"][name] for name in ("down", "up")}
        figures = {
            name: whole.link_figures(link.get("rate_bit_per_s"), link.get("delay_ns", 0))
            for name, link in links.items()
        }
        return {**figures, "handover": None}

    def op_open(self, request: dict[str, Any]) -> dict[str, Any]:
        if self.is_open:
            raise Refusal("input", "a bench is open; close it first", None)
        if "tcp_congestion_control" not in request:
            raise Refusal("input", "missing field `tcp_congestion_control`", None)
        self.is_open, self.warms_up = True, request.get("warm_up", False)
        self.path, self.seed = request["path"], request["seed"]
        self.capture, self.arrivals = request.get("capture"), request.get("arrivals")
        self.flight, self.qlog = request.get("flight"), None
        self.fault, self.served, self.visits, self.loads = None, None, 0, 0
        tcp = {side: whole.host_tcp() for side in ("client", "server")} if self.path else None
        addresses = {"client_address": "198.18.0.1", "server_address": "198.18.0.2"}
        return {**addresses, "further_addresses": [], "tcp": tcp, "open_s": 0.001}

    def op_begin(self, request: dict[str, Any]) -> dict[str, Any]:
        self.needs_bench()
        if not self.warms_up:
            raise Refusal("input", "the bench was not opened with a warm-up", None)
        before, self.seed, self.loads = 100 * self.loads, request["seed"], 0
        return {"packets_before": {"down": before, "up": before}, "quiet": True}

    def needs_bench(self) -> None:
        if not self.is_open:
            raise Refusal("input", "no bench is open", None)

    def op_origin(self, request: dict[str, Any]) -> dict[str, Any]:
        self.needs_bench()
        self.served = []
        self.log("server", request)
        self.counts = request.get("log") == "counts"
        self.control = request["congestion_control"]
        for file in (request["root"], request["certificate"], request["key"]):
            if not os.path.exists(file):  # noqa: PTH110
                raise Refusal("input", f"{file} is missing", None)
        return {"port": 4433, "clear_port": None}

    def op_load(self, request: dict[str, Any]) -> dict[str, Any]:
        self.needs_bench()
        self.protocol = request["protocol"]
        self.log("client", request)
        self.fault = fault(self.protocol, self.visits)
        self.visits, self.loads = self.visits + 1, self.loads + 1
        time.sleep(CONFIGURATION.get("pace_s", 0))
        if self.fault == "die":
            print("the fake engine was told to die", file=sys.stderr, flush=True)
            os._exit(7)
        if self.fault == "garbage":
            print("this is no JSON", flush=True)
            return {}
        if self.fault == "break":
            raise Refusal("bench", "the fake bench broke", None)
        if self.fault == "refuse":
            raise Refusal("input", "the fake engine refuses", None)
        if self.fault == "timeout":
            return page(self.protocol, outcome="failed", reason="timeout", detail="cut after the limit")
        if self.fault in ("silent", "halfway"):
            begun = 200 if self.fault == "halfway" else None
            seen = self.protocol if begun else None
            unanswered = [
                whole.resource("/", kind="document", status=begun, error="not complete", protocol=seen)
            ]
            return page(
                self.protocol,
                outcome="failed",
                reason="timeout",
                detail=f"1 resources not complete after {request['limit_s']:g} s",
                resources=unanswered,
            )
        if self.fault in ("gone", "reset"):
            detail = "/b.png was answered 404" if self.fault == "gone" else "/: the connection was reset"
            reason = "status" if self.fault == "gone" else "reset"
            return page(self.protocol, outcome="failed", reason=reason, detail=detail)
        self.serve()
        seen = "h1" if self.fault == "client-protocol" else self.protocol
        account = {"cpu": {"client": None, "origin": None}} if self.fault == "crowd" else {}
        load_s = self.floor_s(seen) * (0.5 if self.fault == "physics" else 1.2) * (1 + self.seed % 97 / 1000)
        times = {"load_s": load_s, "ttfb_s": load_s / 2, "connect_s": load_s / 8, "tls_s": load_s / 4}
        return page(seen, outcome="ok", **times, **account)

    def op_generate_start(self, request: dict[str, Any]) -> dict[str, Any]:
        self.needs_bench()
        self.beside = request["spec"]
        return {}

    def op_generate_stop(self, _request: dict[str, Any]) -> dict[str, Any]:
        """A load of 50 requests since its start; of none with the fault `idle`."""
        if self.beside is None:
            raise Refusal("input", "no load runs", None)
        spec, self.beside = self.beside, None
        made = 0 if self.fault == "idle" else 50
        path = spec["targets"][0]["url"].split("/", 3)[3]
        entry = whole.served_request(
            f"/{path}", protocol=spec["protocol"], status=200, bytes=612, served_s=1.0
        )
        if self.served is not None:
            self.served += [dict(entry) for _ in range(made)]
        return load_report(spec, made, made, made, {}, 2.0)

    def op_generate(self, request: dict[str, Any]) -> dict[str, Any]:
        """A load whose counts close; cut in its middle with the fault `timeout`, and one request of it reset
        with `reset`."""
        self.needs_bench()
        spec, self.made_load = request["spec"], True
        self.protocol = spec["protocol"]
        self.fault = fault(self.protocol, self.visits)
        self.visits, self.loads = self.visits + 1, self.loads + 1
        if self.fault == "break":
            raise Refusal("bench", "the fake bench broke", None)
        planned = spec["stop"].get("requests", 100)
        sent = planned // 2 if self.fault == "timeout" else planned
        failed = {"timeout": {"cut": 1}, "reset": {"reset": 1}}.get(self.fault or "", {})
        succeeded = sent - sum(failed.values())
        logged = succeeded - 1 if self.fault == "origin-forgets" else succeeded
        seen = "h1" if self.fault == "origin-protocol" else self.protocol
        path = spec["targets"][0]["url"].split("/", 3)[3]
        if self.served is not None:
            entry = whole.served_request(f"/{path}", protocol=seen, status=200, bytes=612)
            self.served += [dict(entry) for _ in range(logged)]
        rounds = 4 + planned // (spec["connections"] * spec["streams"])
        window_s = max(0.01, rounds * (self.delay_s("down") + self.delay_s("up")))
        window_s *= 1 + self.seed % 97 / 1000
        if self.fault == "timeout":
            window_s = spec["limit_s"]
        return load_report(spec, planned, sent, succeeded, failed, window_s)

    def log(self, end: str, request: dict[str, Any]) -> None:
        if folder := request.get("qlog"):
            os.makedirs(folder, exist_ok=True)  # noqa: PTH103
            with open(f"{folder}/{end}-0.sqlog", "a", encoding="utf-8"):  # noqa: PTH123
                pass
            self.qlog = folder

    def serve(self) -> None:
        protocol = "h1" if self.fault == "origin-protocol" else self.protocol
        names = RESOURCES[1:] if self.fault == "origin-forgets" else RESOURCES
        if self.served is not None:
            self.served += [
                whole.served_request(name, protocol=protocol, status=200, bytes=10) for name in names
            ]

    def op_origin_log(self, _request: dict[str, Any]) -> dict[str, Any]:
        if self.served is None:
            raise Refusal("input", "no origin was started", None)
        control = self.control["quic" if self.protocol == "h3" else "tcp"]
        if self.fault == "control":
            control = "reno"
        connection = {"protocol": self.protocol, "tls": True, "congestion_controller": control}
        connections = [{**connection, "udp_receive_buffer": None, "settings": {}}] if self.visits else []
        kinds = {(one["protocol"], one["status"]) for one in self.served}
        return {
            "requests": [] if self.counts else self.served,
            "connections": connections,
            "counts": [self.count(*kind) for kind in sorted(kinds)],
            "connection_counts": [{"protocol": self.protocol, "tls": True, "connections": self.visits}],
            "tickets": {name: {"redeemed": 0, "replayed": 0, "unknown": 0} for name in ("tcp", "quic")},
            "cpu_s": None,
        }

    def count(self, protocol: str, status: int) -> dict[str, Any]:
        """How many requests were alike."""
        alike = [one for one in self.served or [] if (one["protocol"], one["status"]) == (protocol, status)]
        size = sum(one["bytes"] for one in alike)
        kind = {"protocol": protocol, "status": status, "early": False, "cut_off": False}
        return {**kind, "requests": len(alike), "bytes": size}

    def op_flight(self, _request: dict[str, Any]) -> dict[str, Any]:
        if self.flight is None:
            raise Refusal("input", "the bench was opened without a flight", None)
        cost = {"cpu_s": 0.0, "ticks": 0, "late_ticks": 0}
        return {"clock_base_monotonic_s": 1.0, "connections": [], "cost": cost, **self.flight}

    def op_calibrate(self, request: dict[str, Any]) -> dict[str, Any]:
        """A path that is as asked; with `miscalibrated` in CONFIGURATION one of twice the delay."""
        return {name: self.probed(name, request[name]) for name in ("down", "up")}

    def probed(self, name: str, phases: list[dict[str, int]]) -> dict[str, Any]:
        """The fate of one link's probes: each n-th is lost where one in n is to be; the queue is real."""
        spec = (self.path or {}).get(name, {})
        delay_ns = spec.get("delay_ns", 0) * (2 if CONFIGURATION.get("miscalibrated") else 1)
        share = spec.get("loss", {}).get("probability", 0.0)
        queue = spec.get("queue", {"packets": 1000})
        told, packets_out, lost, dropped = [], 0, 0.0, 0
        for phase in phases:
            sent = [number * phase["gap_ns"] for number in range(phase["packets"])]
            arrivals, free = [], 0.0
            room = queue.get("packets") or queue["bytes"] // phase["bytes"]
            each = phase["bytes"] * 8e9 / spec.get("rate_bit_per_s", 1e15)
            for number, at in enumerate(sent):
                lost += share
                if lost >= 1:
                    lost -= 1
                    continue
                reached = at + delay_ns
                if -((reached - free) // each) + 1 > room:
                    dropped += 1
                    continue
                free = max(free, reached) + each
                arrivals.append([number, round(free)])
            packets_out += len(arrivals)
            link = {**self.link(name), "packets_out": packets_out, "queue_dropped": dropped}
            told.append({"sent_ns": sent, "arrivals": arrivals, "settled": True, "link": link})
        return {"phases": told, "damaged": 0, "receive_buffer_drops": 0, "answers": 0}

    def op_close(self, request: dict[str, Any]) -> dict[str, Any]:
        counters = self.op_counters(request)
        counters["arrivals"] = None
        self.is_open = False
        if self.arrivals is not None and self.fault != "arrivals":
            nothing = {"version": 1, "clock_base_monotonic_s": 0.0, "missing_records": 0, "connections": []}
            import gzip

            with gzip.open(self.arrivals, "wt", encoding="utf-8") as file:
                json.dump(nothing, file)
            none = dict.fromkeys(("packets", "connections", "missing_records"), 0)
            counters["arrivals"] = {**none, "seconds": 0.0, "fault": None}
        return counters

    def op_counters(self, _request: dict[str, Any]) -> dict[str, Any]:
        self.needs_bench()
        nothing = dict.fromkeys(("down", "up", "host", "cross", "handover", "capture", "qlog"))
        if self.path is None:
            return nothing
        return {
            **nothing,
            "down": self.link("down"),
            "up": self.link("up"),
            "host": whole.host(
                steal_share=0.5 if self.fault == "steal" else 0.0,
                cpu={"own_s": 0.1, "own_share": 0.1, "others_share": 0.0 if self.made_load else 0.9},
                udp_receive_buffer_drops={"client": 3 if self.fault == "buffer" else 0, "server": 0},
            ),
            "capture": self.captured() if self.capture else None,
            "qlog": self.logged(),
        }

    def logged(self) -> dict[str, Any] | None:
        if self.qlog is None:
            return None
        fault = "no room" if self.fault == "qlog" else None
        return {"files": len(os.listdir(self.qlog)), "fault": fault}  # noqa: PTH208

    def captured(self) -> dict[str, Any]:
        if self.fault == "capture":
            return {"packets": 0, "lost_records": 0, "secrets": 0, "fault": "cannot write it: disk full"}
        with open(self.capture or "", "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(self.protocol)
        return {"packets": 100, "lost_records": 2 if self.fault == "capture-slow" else 0, "secrets": 5}

    def link(self, name: str) -> dict[str, Any]:
        return whole.link(
            packets_in=100 * self.loads,
            packets_out=100 * self.loads,
            ring_dropped=1 if self.fault == "ring" else 0,
            delay_min_s=self.delay_s(name),
            lateness=whole.delays(100, 0.5 if self.fault == "late" else 0.0001),
        )

    def delay_s(self, name: str) -> float:
        return float((self.path or {}).get(name, {}).get("delay_ns", 0)) / 1e9

    def floor_s(self, protocol: str) -> float:
        """The least that physics allows the load."""
        rate = (self.path or {}).get("down", {}).get("rate_bit_per_s", 1e9)
        trips = ROUND_TRIPS[protocol] * (self.delay_s("down") + self.delay_s("up"))
        return max(BYTES * 8 / float(rate), trips, 1e-3)


def load_report(
    spec: dict[str, Any], planned: int, sent: int, succeeded: int, failed: dict[str, int], window_s: float
) -> dict[str, Any]:
    """A LoadReport."""
    keys = ("min", "mean", "max", "p50", "p75", "p90", "p95", "p99", "p999", "p9999")
    spread = {"count": succeeded, "sd": 0.0, **dict.fromkeys(keys, window_s / 2)}
    return {
        "requests": {
            "planned": planned, "sent": sent, "unsent": planned - sent, "retried": 0, "succeeded": succeeded,
            "failed": failed, "statuses": {"200": succeeded}, "warm_up": 0,
        },
        "connections": whole.load_connections(spec["connections"]),
        "window_s": window_s,
        "requests_per_second": succeeded / window_s,
        "finished": "cut" not in failed,
        "bytes": {
            "payload": 612 * succeeded,
            "uploaded": 0,
            "headers": 0,
            "wire_received": 0,
            "wire_sent": 0,
        },
        "bytes_per_second": {"payload": 0, "uploaded": 0, "wire_received": 0, "wire_sent": 0},
        "latency_seconds": {"connect": spread, "first_byte": spread, "total": spread, "lag": None},
        "cpu_s": {"user": 0.1, "system": 0.1, "waited": 0.0, "critical": 0.0},
        "stood_still_s": 0.0,
        "server_drops": None,
        "max_rss_bytes": 0,
        "settings": {},
        "congestion_controller": "cubic",
        "protocol": spec["protocol"],
        "tls": {"version": "1.3", "cipher": "TLS13_AES_128_GCM_SHA256"},
        "stack": "quinn" if spec["protocol"] == "h3" else "linux",
        "failures": [],
    }  # fmt: skip


def page(protocol: str, **figures: Any) -> dict[str, Any]:
    """A PageLoad."""
    loaded = {"protocol": protocol, "status": 200, "bytes": 10, "connection": 0}
    made: dict[str, Any] = {
        "requests": len(RESOURCES),
        "bytes": BYTES,
        "round_trips": ROUND_TRIPS[protocol],
        "connections": [whole.connection(protocol, connected_s=CONFIGURATION.get("connected_s"))],
        "resources": [whole.resource(name, **loaded) for name in RESOURCES],
    }
    return whole.page(**(made | figures))


def fault(protocol: str, visit: int) -> str | None:
    """The fault that the rules ask for in a load over `protocol`, the `visit`th of its bench."""
    for rule in CONFIGURATION.get("rules", []):
        if (rule.get("protocol", protocol), rule.get("visit", visit)) != (protocol, visit):
            continue
        if "once" in rule:
            try:
                os.close(os.open(rule["once"], os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
        return str(rule["do"])
    return None


def main(transcript: str = "") -> None:
    """Answers until stdin closes. What was asked and answered is noted in the folder `transcript`."""
    noted = open(f"{transcript}/{os.getpid()}", "a", encoding="utf-8") if transcript else None  # noqa: PTH123, SIM115
    bench = Bench()
    log = CONFIGURATION.get("log")
    for line in sys.stdin:
        request = json.loads(line)
        if log:
            with open(log, "a", encoding="utf-8") as file:  # noqa: PTH123
                file.write(json.dumps({"pid": os.getpid(), **request}) + "\n")
        try:
            answer: dict[str, Any] = {"id": request["id"], "ok": bench.answer(request)}
        except Refusal as refusal:
            words = dict(zip(("kind", "message", "mend", "key", "line"), refusal.args, strict=False))
            answer = {"id": request["id"], "error": words}
        if noted and bench.fault != "garbage":
            try:
                noted.write(json.dumps([request, answer]) + "\n")
                noted.flush()
            except OSError:  # The disk is full, as a test wants it to be.
                noted = None
        print(json.dumps(answer), flush=True)
