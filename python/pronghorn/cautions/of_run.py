"""What could explain a run's result other than its protocols: warnings, each with its remedy."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from pronghorn.analysis.blocks import by_block
from pronghorn.analysis.contamination import SUSPICION, p_of_discards
from pronghorn.analysis.numbers import count
from pronghorn.calibration.table import failed, row_text
from pronghorn.cautions import (
    broken_stacks,
    drift,
    fallbacks,
    older_servers,
    outliers,
    own_hosts,
    preflight,
    rare_losses,
    replays,
    two_modes,
    unseen_state,
    virtual_time,
)
from pronghorn.engine import Hello
from pronghorn.host import loopback
from pronghorn.model import published
from pronghorn.model.arm import DEFAULT_CONGESTION_CONTROL
from pronghorn.model.artifacts import FLIGHT, PCAPNG
from pronghorn.model.caution import Caution
from pronghorn.model.experiment import Experiment
from pronghorn.model.path import DIRECT
from pronghorn.model.trial import Trial
from pronghorn.runs.noted import PREFLIGHT
from pronghorn.trust import physics, proof

NO_NETWORK = "no emulated network on this host"
"""The label of a run on a host that denies namespaces."""

LIVE = "live servers, without an emulated path"
"""The label of a run against live servers."""


def label(experiment: Experiment, hello: Hello) -> str | None:
    """What qualifies everything that the run says, or None."""
    if experiment.virtual:
        return virtual_time.LABEL
    if experiment.in_guests:
        return virtual_time.LABEL_OF_BOTH
    if all(path.name != DIRECT for path in experiment.paths):
        return None
    if experiment.live:
        return LIVE
    if hello.isolation == "none":
        return NO_NETWORK
    return "path 'direct': over loopback, no emulated network"


def cautions(
    experiment: Experiment,
    hello: Hello,
    trials: Sequence[Trial],
    manifest: Mapping[str, Any],
    unfair: Sequence[Caution] = (),
    run: Path | None = None,
) -> list[Caution]:
    """All warnings of a run, the gravest first. `unfair` are those about differences between its arms;
    flights are looked for in the directory `run`."""
    return [
        *_instrument(trials),
        *_proof(trials),
        *preflight.cautions(manifest.get(PREFLIGHT, [])),
        *broken_stacks.cautions(trials),
        *virtual_time.cautions(experiment, manifest),
        *_network(experiment, hello),
        *_captures(experiment, trials),
        *_calibration(manifest.get("calibration", [])),
        *_discards(experiment, trials),
        *drift.cautions(experiment, trials),
        *outliers.cautions(experiment, trials),
        *rare_losses.cautions(experiment, trials),
        *two_modes.cautions(experiment, trials, run),
        *unfair,
        *unseen_state.cautions(experiment, trials),
        *fallbacks.cautions(experiment, trials, manifest.get("clients", {})),
        *older_servers.cautions(experiment, manifest.get("origins", {})),
        *own_hosts.cautions(manifest.get("sites", {})),
        *replays.cautions(experiment, trials, manifest.get("sites", {})),
        *_published(experiment),
        *_unlogged(trials),
        *_reconnected(trials),
        *(() if experiment.virtual else _host(manifest["host"])),
    ]


def unfinished(run: Path, trials: int) -> Caution:
    """The warning of a run that was interrupted and is reported on as it stands."""
    return Caution(
        "unfinished",
        f"The run is unfinished: this covers {count(trials, 'trial')} recorded so far.",
        f"pronghorn run --resume {run}",
    )


def _instrument(trials: Sequence[Trial]) -> Iterator[Caution]:
    beaten = [trial for trial in trials if trial.reason == physics.REASON]
    if beaten:
        first = beaten[0]
        yield Caution(
            "physics",
            f"{len(beaten)} trials were faster than physics allows and were excluded. An example: "
            f"{first.cell}, {first.arm}: {first.detail}. This is a bug in Pronghorn.",
            "Don't trust this run. Report the bug with its trials.jsonl.",
        )
    broken = [trial for trial in trials if trial.reason in ("engine", "bench")]
    if broken:
        yield Caution(
            "broken",
            f"{len(broken)} trials failed because of the engine. An example: {broken[0].cell}, "
            f"{broken[0].arm}: {broken[0].detail}",
            "Run 'pronghorn doctor'.",
        )


def _proof(trials: Sequence[Trial]) -> Iterator[Caution]:
    for reason in (proof.PROTOCOL, proof.CONGESTION_CONTROL):
        found = [trial for trial in trials if trial.reason == reason]
        if found:
            yield Caution(
                reason,
                f"{len(found)} trials did not measure what was asked for and count as failed. An "
                f"example: {found[0].cell}, {found[0].arm}: {found[0].detail}",
                "See resources and origin_log of these trials in trials.jsonl.",
            )


def _network(experiment: Experiment, hello: Hello) -> Iterator[Caution]:
    if label(experiment, hello) == NO_NETWORK:
        yield Caution(
            "no-emulated-network",
            f"{NO_NETWORK} ({hello.isolation_reason or 'namespaces are denied'}): loads went over "
            "loopback. They say nothing about real networks.",
            hello.mend or "Run 'pronghorn doctor'.",
        )
    if (theirs := loopback.by_host(experiment)) is not None:
        servers, control = theirs
        yield Caution(
            "congestion-control-of-host",
            f"On path '{DIRECT}' {', '.join(servers)} used this machine's TCP congestion control, "
            f"{control}. On an emulated path it is '{DEFAULT_CONGESTION_CONTROL}'.",
            loopback.mend_of_host(DEFAULT_CONGESTION_CONTROL),
        )
    if others := loopback.substituted(experiment):
        yield Caution(
            "congestion-control-denied",
            f"This user may not set TCP's congestion control '{DEFAULT_CONGESTION_CONTROL}'. These arms "
            f"used the host's own: {', '.join(f'{arm} ({control})' for arm, control in others.items())}.",
            loopback.mend(DEFAULT_CONGESTION_CONTROL),
        )


def _captures(experiment: Experiment, trials: Sequence[Trial]) -> Iterator[Caution]:
    if PCAPNG in experiment.artifacts and any(path.name == DIRECT for path in experiment.paths):
        yield Caution(
            "not-captured",
            "Trials over loopback (path 'direct') are not captured: they have no emulated path.",
            "Leave the path out, or capture loopback with another tool.",
        )
    if FLIGHT in experiment.artifacts and any(path.name == DIRECT for path in experiment.paths):
        yield Caution(
            "no-flight",
            "Trials over loopback (path 'direct') record no flight, because connections there mix "
            "with the machine's others.",
            "Leave out the path or the artifact.",
        )
    captured = [trial.counters.capture for trial in trials if trial.counters and trial.counters.capture]
    short = [capture for capture in captured if capture.lost_records]
    if short:
        yield Caution(
            "capture-incomplete",
            f"{len(short)} of {len(captured)} captures lack records, "
            f"{sum(capture.lost_records for capture in short)} in all: they could not be written fast "
            "enough.",
            "Use fewer --jobs, a slower path or a faster disk.",
        )


def _calibration(reports: Sequence[Mapping[str, Any]]) -> Iterator[Caution]:
    for report in failed(reports):
        wrong = report.get("fault") or "; ".join(
            row_text(row) for row in report["rows"] if row["verdict"] == "fail"
        )
        yield Caution(
            "calibration",
            f"Path {report['path']}{_on(report)} differed from its specification when the run began: "
            f"{wrong}.",
            f"Check it on a quiet host: 'pronghorn path {report['path']} --calibrate'",
        )


def _on(report: Mapping[str, Any]) -> str:
    return f" on kernel '{report['kernel']}'" if report.get("kernel") else ""


def _discards(experiment: Experiment, trials: Sequence[Trial]) -> Iterator[Caution]:
    kept_out = 0
    for block in by_block(trials).values():
        last = max(trial.attempt for trial in block)
        kept_out += any(trial.status == "contaminated" for trial in block if trial.attempt == last)
    if kept_out:
        yield Caution(
            "blocks-kept-out",
            f"{count(kept_out, 'block')} left out because every attempt was contaminated.",
            "Run fewer trials side by side (--jobs), use a quieter host, or add --awake on a virtual "
            "machine.",
        )
    attempted = Counter(trial.arm for trial in trials)
    discarded = Counter(trial.arm for trial in trials if trial.status == "contaminated")
    for one, other in combinations([arm.name for arm in experiment.arms], 2):
        p = p_of_discards((discarded[one], discarded[other]), (attempted[one], attempted[other]))
        if p < SUSPICION:
            yield Caution(
                "unequal-discards",
                f"{one} was contaminated in {discarded[one]} of {attempted[one]} trials, {other} in "
                f"{discarded[other]} of {attempted[other]}. The host may be too weak for one of them.",
                "Run fewer trials side by side (--jobs).",
            )


def _published(experiment: Experiment) -> Iterator[Caution]:
    """A run that is held against measurements of another load."""
    if experiment.published is None or experiment.load is None:
        return
    asked = experiment.load.definition()
    theirs = published.read(experiment.published).load.model_dump()
    other = [
        f"{key} {asked.get(key, 1)} ({theirs[key]})" for key in theirs if asked.get(key, 1) != theirs[key]
    ]
    other += [key for key in ("duration", "rate", "warm_up", "document") if key in asked]
    other += ["connect each"] if experiment.load.connect == "each" else []
    if other:
        yield Caution(
            "not-the-published-load",
            "The load differs from the published one that it is compared with (theirs in brackets): "
            f"{', '.join(other)}.",
            "Its figures and its verdicts on the claims are about another load.",
        )


def _unlogged(trials: Sequence[Trial]) -> Iterator[Caution]:
    origins = sorted({trial.cell.origin for trial in trials if not trial.origin_log_kept})
    if origins:
        yield Caution(
            "proof-by-client-only",
            f"{', '.join(origins)} kept no log, so only the client confirms that the requested protocol "
            "was used.",
            "A live server can't do more. A server of your own can write PRONGHORN_LOG; a configuration "
            "of your own can log to ${PRONGHORN_LOG}.",
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
            f"{arm} with {client}: {opened[client, arm]} of {later[client, arm]} later loads of a kept "
            "stage opened new connections.",
            "Their times contain handshakes. page.connections in trials.jsonl shows which. A browser "
            "opens fewer than the native loader, and fewer with a short pause.",
        )


def _host(host: Mapping[str, Any]) -> Iterator[Caution]:
    if host["governor"] not in (None, "performance"):
        yield Caution(
            "governor",
            f"The CPU's frequency governor is '{host['governor']}', so CPU-bound cells vary with it.",
            "cpupower frequency-set -g performance",
        )
    if host["load_average"] > host["cores"]:
        yield Caution(
            "busy-host",
            f"The host was busy when the run started: load {host['load_average']} on {host['cores']} cores.",
            "Measure on a quiet host.",
        )
