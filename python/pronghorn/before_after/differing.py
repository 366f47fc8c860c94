"""What else differs between two runs, by their manifests: whatever could explain a change beside the one
under test."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pronghorn.analysis.numbers import count
from pronghorn.before_after.recorded import RecordedRun
from pronghorn.model.caution import Caution
from pronghorn.model.trial import Cell

_MOST = 8
"""The most differences of one kind that are shown in full."""

_LONGEST = 60
"""The beginning of a longer value is shown."""

_HOST = ("kernel", "machine", "cpu", "cores", "memory_bytes", "governor", "system")
_EXPERIMENT = (
    "state", "pause", "limit", "cache_control", "compression", "host", "certificate", "browser", "fair",
    "background", "load",
)  # fmt: skip


class Kind(NamedTuple):
    """What may differ: what it is called, and what to do about it."""

    words: str
    remedy: str


KINDS: Mapping[str, Kind] = {
    "path": Kind(
        "The networks differ",
        "The runs say nothing about the server. Measure both over the same paths.",
    ),
    "site": Kind(
        "What was loaded differs",
        "The runs say nothing about the server unless the page is the change under test.",
    ),
    "experiment": Kind("The experiments differ", "Measure both runs with one experiment."),
    "arm": Kind(
        "What the arms ran with differs",
        "If this isn't the change under test, use the same setting in both runs "
        "(docs/experiments.md, Knobs).",
    ),
    "origin": Kind("The origins differ", "If this is the change under test, ignore this warning."),
    "client": Kind("The clients differ", "Measure both runs with one version of the client."),
    "program": Kind("The versions of Pronghorn differ", "Measure both runs with one version of it."),
    "host": Kind(
        "The hosts differ",
        "Measure both runs on one host. Otherwise the change includes the difference between the hosts.",
    ),
    "jobs": Kind("The trials side by side differ", "Measure both runs with the same --jobs."),
}
"""The kinds of differences, the gravest first."""


def cautions(
    before: RecordedRun, after: RecordedRun, cells: Sequence[Cell], arms: Sequence[str]
) -> Iterator[Caution]:
    """The warnings: of a run that isn't whole or was sampled by a rule, and one for each kind in which the
    runs differ, as far as it concerns the cells and arms that they have in common."""
    for run in (before, after):
        yield from _unfinished(run)
        yield from _sampled(run)
    earlier, later = (_facts(run, cells, arms) for run in (before, after))
    for kind, (words, remedy) in KINDS.items():
        told = list(_differences(earlier[kind], later[kind]))
        if told:
            more = [f"and {len(told) - _MOST} more"] if len(told) > _MOST else []
            text = f"{words}: {'; '.join([*told[:_MOST], *more])}."
            yield Caution(f"differs-{kind}", text, remedy)


def _unfinished(run: RecordedRun) -> Iterator[Caution]:
    if not run.manifest.get("ended"):
        text = f"{run.path} is unfinished: its {count(len(run.trials), 'trial')} are compared."
        yield Caution("unfinished", text, f"pronghorn run --resume {run.path}")
    for warning in run.warnings:
        yield Caution("journal", warning, "Its records are not compared. --resume measures them again.")
    for warning in run.unknown:
        yield Caution("manifest", warning, "Other differences between the runs may be missing here.")


def _sampled(run: RecordedRun) -> Iterator[Caution]:
    """Whoever stops when the answer is known has looked more than once."""
    if run.experiment.sampling is not None:
        text = (
            f"{run.path} was sampled until its answer was known ({_repeat(run)}). The intervals here are "
            "those of a fixed number of blocks, so they may miss the true value more often than they say."
        )
        yield Caution("sampled-by-rule", text, "If this matters, give both runs a fixed number of blocks.")


def _repeat(run: RecordedRun) -> str:
    """How many blocks a cell was to have."""
    rule = run.experiment.sampling
    return f"{rule.least} to {rule.most} until {rule.until}" if rule else str(run.experiment.repeat)


def _facts(run: RecordedRun, cells: Sequence[Cell], arms: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What a run's records say of each kind, as flat tables."""
    notes, resolved = run.manifest, run.experiment.resolved()
    host = notes.get("host") or {}
    taken = {
        "path": _chosen(notes.get("paths"), {cell.path for cell in cells}) | {"label": notes.get("label")},
        "site": _chosen(run.sites, {cell.site for cell in cells}),
        "experiment": {"repeat": _repeat(run), **_chosen(resolved, _EXPERIMENT)},
        "arm": _chosen(run.noted("arms"), arms),
        "origin": _chosen(run.noted("origins"), {cell.origin for cell in cells}),
        "client": _chosen(notes.get("clients"), {cell.client for cell in cells}),
        "program": _chosen(notes, ("program", "engine", "libraries")),
        "host": {
            **_chosen(host, _HOST),
            **_chosen(notes, ("isolation", "offloads", "sysctls", "guest")),
        },
        "jobs": _chosen(notes, ("jobs",)),
    }
    return {kind: dict(_flat(table)) for kind, table in taken.items()}


def _chosen(table: Any, keys: Any) -> dict[str, Any]:
    return {key: table[key] for key in sorted(keys) if key in table} if isinstance(table, Mapping) else {}


def _flat(table: Mapping[str, Any], name: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        whole = f"{name} {key}".strip()
        if isinstance(value, Mapping):
            yield from _flat(value, whole)
        else:
            yield whole, value


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted(before.keys() | after.keys()):
        one, other = before.get(name), after.get(name)
        if one != other:
            yield f"{name} {_shown(one)} before, {_shown(other)} after"


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value) or "none"
    told = json.dumps(value)
    return told if len(told) <= _LONGEST else f"{told[:_LONGEST]}…"
