"""What could explain a run's result other than its protocols: warnings, each with its remedy."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import fisher_exact

from pronghorn.analysis.numbers import count
from pronghorn.calibration.table import row_text
from pronghorn.engine import Hello
from pronghorn.execute import (
    amplification,
    broken_stacks,
    calibrate,
    controls,
    loopback,
    physics,
    proof,
    states,
    visits,
)
from pronghorn.execute.artifacts import FLIGHT, PCAPNG
from pronghorn.execute.caution import Caution
from pronghorn.execute.progress import by_block
from pronghorn.model.arm import DEFAULT_CONGESTION_CONTROL
from pronghorn.model.experiment import Experiment
from pronghorn.model.path import DIRECT
from pronghorn.model.trial import Trial

NO_NETWORK = "no emulated network on this host"
"""The label of a run on a host that denies namespaces."""

LIVE = "live servers, without an emulated path"
"""The label of a run against servers that are somebody's."""

UNEQUAL_P = 0.01
"""The p-value of Fisher's exact test below which two arms count as discarded unequally often."""

_COMPARED = {
    "tls_version": "Bear it in mind where a difference is small.",
    "cipher": "Bear it in mind where a difference is small.",
    "key_exchange": "Bear it in mind where a difference is small: X25519MLKEM768 makes the handshake some "
    "2.3 kB longer than X25519 does.",
    "initial_window": "Bear it in mind where a difference is small.",
    "slow_start_until": "On paths with jitter HyStart may end slow start early. To see how much of a "
    "difference it explains: echo 0 > /sys/module/tcp_cubic/parameters/hystart",
}
"""What is compared between the arms, each with what to do about a difference."""

_NAMES = {
    "tls_version": "their TLS version",
    "cipher": "their cipher",
    "key_exchange": "the group of their key exchange",
    "initial_window": "their initial window",
    "slow_start_until": "what ends their slow start",
}


def label(experiment: Experiment, hello: Hello) -> str | None:
    """What qualifies everything that the run says, or None."""
    if all(path.name != DIRECT for path in experiment.paths):
        return None
    if experiment.live:
        return LIVE
    if hello.isolation == "none":
        return NO_NETWORK
    return "path 'direct': over loopback, no emulated network"


def cautions(
    experiment: Experiment, hello: Hello, trials: Sequence[Trial], manifest: Mapping[str, Any]
) -> list[Caution]:
    """All warnings of a run, the gravest first."""
    return [
        *_instrument(trials),
        *_proof(trials),
        *broken_stacks.cautions(trials),
        *_network(experiment, hello),
        *_captures(experiment, trials),
        *_calibration(manifest.get("calibration", [])),
        *_discards(experiment, trials),
        *_arms(manifest["arms"]),
        *controls.cautions(experiment, manifest["arms"]),
        *states.cautions(experiment, trials),
        *visits.cautions(experiment, trials, manifest.get("clients", {})),
        *_unlogged(trials),
        *_reconnected(trials),
        *_certificate(experiment, manifest.get("certificate")),
        *_buffers(trials),
        *_host(manifest["host"]),
    ]


def unfinished(run: Path, trials: int) -> Caution:
    """The warning of a run that was interrupted and is reported on as it stands."""
    return Caution(
        "unfinished",
        f"The run is unfinished: {count(trials, 'trial')} of it were recorded when this was written.",
        f"pronghorn run --resume {run}",
    )


def _instrument(trials: Sequence[Trial]) -> Iterator[Caution]:
    beaten = [trial for trial in trials if trial.reason == physics.REASON]
    if beaten:
        first = beaten[0]
        yield Caution(
            "physics",
            f"{len(beaten)} trials beat physics and were excluded, such as {first.cell}, {first.arm}: "
            f"{first.detail}. "
            "This is a fault of the instrument.",
            "Do not trust this run; report the fault with its trials.jsonl.",
        )
    broken = [trial for trial in trials if trial.reason in ("engine", "bench")]
    if broken:
        yield Caution(
            "broken",
            f"{len(broken)} trials broke within the engine, such as {broken[0].cell}, {broken[0].arm}: "
            f"{broken[0].detail}",
            "Look at 'pronghorn doctor'.",
        )


def _proof(trials: Sequence[Trial]) -> Iterator[Caution]:
    for reason in (proof.PROTOCOL, proof.CONGESTION_CONTROL):
        found = [trial for trial in trials if trial.reason == reason]
        if found:
            yield Caution(
                reason,
                f"{len(found)} trials did not measure what was asked for and count as failed, "
                f"such as {found[0].cell}, {found[0].arm}: {found[0].detail}",
                "Look at these trials' resources and origin_log in trials.jsonl.",
            )


def _network(experiment: Experiment, hello: Hello) -> Iterator[Caution]:
    if label(experiment, hello) == NO_NETWORK:
        yield Caution(
            "no-emulated-network",
            f"{NO_NETWORK} ({hello.isolation_reason or 'namespaces are denied'}): loads went over loopback. "
            "They say nothing about real networks.",
            hello.mend or "Look at 'pronghorn doctor'.",
        )
    if others := loopback.substituted(experiment):
        yield Caution(
            "congestion-control-denied",
            f"This user may not set TCP's congestion control '{DEFAULT_CONGESTION_CONTROL}'; "
            f"with the host's own ran {', '.join(f'{arm} ({control})' for arm, control in others.items())}.",
            loopback.mend(DEFAULT_CONGESTION_CONTROL),
        )


def _captures(experiment: Experiment, trials: Sequence[Trial]) -> Iterator[Caution]:
    if PCAPNG in experiment.artifacts and any(path.name == DIRECT for path in experiment.paths):
        yield Caution(
            "not-captured",
            "Trials over loopback (path 'direct') are not captured: they have no emulated path.",
            "Leave the path out, or capture loopback by other means.",
        )
    if FLIGHT in experiment.artifacts and any(path.name == DIRECT for path in experiment.paths):
        yield Caution(
            "no-flight",
            "Trials over loopback (path 'direct') leave no flight: connections there are all the machine's.",
            "Leave the path out, or the artifact.",
        )
    captured = [trial.counters.capture for trial in trials if trial.counters and trial.counters.capture]
    short = [capture for capture in captured if capture.lost_records]
    if short:
        yield Caution(
            "capture-incomplete",
            f"{len(short)} of {len(captured)} captures lack records, "
            f"{sum(capture.lost_records for capture in short)} in all: their writer could not keep up.",
            "Use fewer --jobs, a slower path or a faster disk.",
        )


def _calibration(reports: Sequence[Mapping[str, Any]]) -> Iterator[Caution]:
    for report in calibrate.failed(reports):
        wrong = report.get("fault") or "; ".join(
            row_text(row) for row in report["rows"] if row["verdict"] == "fail"
        )
        yield Caution(
            "calibration",
            f"Path {report['path']} was not as asked when the run began: {wrong}.",
            f"Look closer with 'pronghorn path {report['path']} --calibrate', on a quiet host.",
        )


def _discards(experiment: Experiment, trials: Sequence[Trial]) -> Iterator[Caution]:
    kept_out = 0
    for block in by_block(trials).values():
        last = max(trial.attempt for trial in block)
        kept_out += any(trial.status == "contaminated" for trial in block if trial.attempt == last)
    if kept_out:
        yield Caution(
            "blocks-kept-out",
            f"{kept_out} blocks had no uncontaminated attempt and are kept out.",
            "Run fewer trials side by side (--jobs), or on a quieter host.",
        )
    attempted = Counter(trial.arm for trial in trials)
    discarded = Counter(trial.arm for trial in trials if trial.status == "contaminated")
    for one, other in combinations([arm.name for arm in experiment.arms], 2):
        table = np.array([[discarded[arm], attempted[arm] - discarded[arm]] for arm in (one, other)])
        if fisher_exact(table).pvalue < UNEQUAL_P:
            yield Caution(
                "unequal-discards",
                f"{one} was contaminated in {discarded[one]} of {attempted[one]} trials, "
                f"{other} in {discarded[other]} of {attempted[other]}: the host may be too weak for one of "
                "them.",
                "Run fewer trials side by side (--jobs).",
            )


def _arms(arms: Mapping[str, Mapping[str, Any]]) -> Iterator[Caution]:
    """Differences between the arms within an origin; those of older runs stand beside no origin's name."""
    origins = list(dict.fromkeys(name for arm in arms.values() for name in arm.get("origins", {})))
    for origin in origins or [None]:
        of_origin = {
            name: arm if origin is None else arm.get("origins", {}).get(origin, {})
            for name, arm in arms.items()
        }
        where = f" on {origin}" if len(origins) > 1 else ""
        for key, remedy in _COMPARED.items():
            values = {name: _text(settings[key]) for name, settings in of_origin.items() if key in settings}
            if len(set(values.values())) > 1:
                listed = "; ".join(f"{name}: {value}" for name, value in values.items())
                yield Caution(
                    f"arms-differ-{key.replace('_', '-')}",
                    f"The arms differ{where} in {_NAMES[key]}, as their stacks ship it ({listed}).",
                    remedy,
                )


def _buffers(trials: Sequence[Trial]) -> Iterator[Caution]:
    dropped: Counter[tuple[str, str]] = Counter()
    for trial in trials:
        if trial.counters is not None and trial.counters.host is not None:
            dropped[trial.arm, trial.cell.path] += sum(trial.counters.host.udp_receive_buffer_drops.values())
    for (arm, path), datagrams in sorted((+dropped).items()):
        yield Caution(
            "udp-receive-buffer",
            f"{arm} on {path}: the hosts dropped {datagrams} datagrams for want of a receive buffer, "
            "beyond what the path lost.",
            "Run fewer trials side by side (--jobs). Our own sockets ask for 1 MiB; the manifest has what "
            "they got; for other programs: sysctl -w net.core.rmem_max=7500000 net.core.rmem_default=7500000",
        )


def _unlogged(trials: Sequence[Trial]) -> Iterator[Caution]:
    origins = sorted({trial.cell.origin for trial in trials if not trial.origin_log_kept})
    if origins:
        yield Caution(
            "proof-by-client-only",
            f"No log was kept by {', '.join(origins)}: that the asked protocol was measured is known by the "
            "client alone.",
            "Of a live server that is all there can be; one of your own writes PRONGHORN_LOG, a "
            "configuration of your own logs to ${PRONGHORN_LOG}.",
        )


def _reconnected(trials: Sequence[Trial]) -> Iterator[Caution]:
    later: Counter[tuple[str, str]] = Counter()
    opened: Counter[tuple[str, str]] = Counter()
    for trial in trials:
        if trial.visit and trial.page is not None:
            group = trial.cell.client, trial.arm
            later[group] += 1
            opened[group] += any(one.connected_s is not None for one in trial.page.connections)
    for client, arm in sorted(+opened):
        yield Caution(
            "reconnected",
            f"{arm} with {client}: {opened[client, arm]} of {later[client, arm]} later loads of a kept stage "
            "opened connections all the same.",
            "Their times contain handshakes; page.connections in trials.jsonl tells which. A browser opens "
            "fewer than the native loader, and fewer with a short pause.",
        )


def _certificate(experiment: Experiment, found: Mapping[str, Any] | None) -> Iterator[Caution]:
    if found is None or found["first_flight_bytes"] <= amplification.LIMIT_BYTES:
        return
    if any("h3" in arm.protocols for arm in experiment.arms):
        yield Caution(
            "amplification-limit",
            f"The certificates ({found['chain_bytes']} bytes) make QUIC's servers send about "
            f"{found['first_flight_bytes']} bytes first, but the two datagrams of a client's first flight "
            f"allow only {amplification.LIMIT_BYTES} before its address is validated (RFC 9000 §8.1): h3 "
            "waits a round trip longer.",
            'Bear it in mind, or use a shorter chain: certificate = { key = "p256" }.',
        )


def _host(host: Mapping[str, Any]) -> Iterator[Caution]:
    if host["governor"] not in (None, "performance"):
        yield Caution(
            "governor",
            f"The CPU's frequency governor is '{host['governor']}': CPU-bound cells vary with it.",
            "cpupower frequency-set -g performance",
        )
    if host["load_average"] > host["cores"]:
        yield Caution(
            "busy-host",
            f"The host was busy when the run started: load {host['load_average']} on {host['cores']} cores.",
            "Run it on a quiet host.",
        )


def _text(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)
