"""A study's page: their table and ours, the effects, the claims, the reasons, and what it was measured on."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pronghorn.analysis import numbers
from pronghorn.analysis.figures import figures
from pronghorn.analysis.numbers import count
from pronghorn.analysis.times import has_failed, times
from pronghorn.errors import HostError
from pronghorn.model.comparison import Figures
from pronghorn.model.expression import Term, parse
from pronghorn.model.path.profile import PathProfile
from pronghorn.model.study import FigureTable, ShownStatistic
from pronghorn.model.summary import Metric
from pronghorn.replicate import words
from pronghorn.replicate.causes import joined
from pronghorn.replicate.measured import Measured
from pronghorn.replicate.result import ClaimFound, Effect, RunFound, StudyFound, Tested
from pronghorn.report.markdown import escaped


def write(found: StudyFound, measured: Measured, folder: Path, command: str) -> Path:
    """Writes the page into `folder` as STUDY.md; HostError where it can't be."""
    file = folder / f"{found.study}.md"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(page(found, measured, command), encoding="utf-8")
    except OSError as error:
        raise HostError(f"{file}: can't be written: {error.strerror}.") from error
    return file


def page(found: StudyFound, measured: Measured, command: str) -> str:
    """The page, in GitHub Flavored Markdown."""
    study = measured.study
    parts = [
        f"# {escaped(found.title)}",
        _opening(found, command),
        "## How they measured",
        _list([f"{name}: {text}" for name, text in study.made.items()]),
        "What differs here:",
        _list(study.departures),
        "What they don't say, and our choice:",
        _list(study.guesses),
        "## The networks",
        _networks(measured),
        "## The claims",
        _table(("claim", "verdict"), [(one.claim, one.words) for one in found.claims]),
        *(_claim(one, found.effects) for one in found.claims),
        *_reasons(found),
        *_section("## What explains differences between our arms", _explanations(found)),
        "## Their figures and ours",
        *(_figures(measured, table) for table in study.tables),
        "## Effects",
        _effects(found.effects),
        *_section(words.SENSITIVITY, words.sensitivity(_unclaimed(found))),
        "## What it was measured on",
        *(_run(run) for run in found.runs),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _opening(found: StudyFound, command: str) -> str:
    commits = list(dict.fromkeys(commit for run in found.runs if run.trials for commit in _commits(run)))
    unfinished = [run.name for run in found.runs if run.trials and not run.finished]
    cut = f" **Not finished: {', '.join(unfinished)}.**" if unfinished else ""
    quick = " **This is the quick size: it decides little.**" if found.size == "quick" else ""
    return (
        f"Made by `{command}` at commit {', '.join(commits)}.{quick}{cut} [README.md](README.md) says "
        "how to read it and how verdicts are reached. Ratios are of times, so less than 1 means that the "
        "first is faster. For ratios of requests per second, more than 1 does. Intervals are 95 %. The "
        "tables' quantiles are measured values; those of ratios may lie between two "
        "(docs/methodology.md)."
    )


def _commits(run: RunFound) -> list[str]:
    """Those that a run was made at, one or more where it was cut and went on."""
    return list(dict.fromkeys(str(one.get("commit") or "not known") for one in _sessions(run)))


def _sessions(run: RunFound) -> list[Mapping[str, Any]]:
    """What is noted of the first and of those in which it went on."""
    return [run.notes, *run.notes.get("resumed", [])]


def _host(session: Mapping[str, Any]) -> str:
    host = session.get("host") or {}
    cores = f"{count(host['cores'], 'core')}" if host.get("cores") else ""
    names = (str(host[key]) for key in ("system", "kernel", "cpu", "machine") if host.get(key))
    return ", ".join(filter(None, (*names, cores)))


def _networks(measured: Measured) -> str:
    """Every path as it was emulated, and where its figures are from."""
    found: dict[tuple[str, ...], tuple[PathProfile, list[str]]] = {}
    for run in measured.runs.values():
        used = {cell.path for cell in run.cells}
        for path in run.planned.experiment.paths:
            if path.name in used:
                mine = (one for one in run.planned.overrides if one.startswith(f"path.{path.name}."))
                changed = [one.removeprefix(f"path.{path.name}.") for one in mine]
                found.setdefault((path.name, *changed), (path, []))[1].append(run.planned.name)
    rows = [
        (
            name,
            ", ".join(runs),
            *(_figures_of(path.definition.get(link) or "–") for link in ("down", "up")),
            "; ".join([path.source, *(f"here {one}, a guess of ours" for one in changed)]),
        )
        for (name, *changed), (path, runs) in found.items()
    ]
    return _table(("path", "runs", "down", "up", "source of its figures"), rows)


def _figures_of(definition: Any) -> str:
    """A link's definition, or a part of one, in words: `rate 20Mbit, delay 31ms, queue 256kB`."""
    if not isinstance(definition, Mapping):
        return str(definition)
    return ", ".join(
        f"{key} ({_figures_of(value)})" if isinstance(value, Mapping) else f"{key} {value}"
        for key, value in definition.items()
    )


def _claim(claim: ClaimFound, effects: Sequence[Effect]) -> str:
    """Each comparison's verdict in each setting, and which of these is nearest to theirs."""
    several = len(claim.readings) > 1
    rows = [
        (
            *([reading.setting] if several else []),
            words.quantity(part),
            words.theirs(part.theirs, part.kind, part.metric)
            + ("" if part.counted else " (also outside the bounds; not counted)")
            + (" (the premise)" if part.premise else ""),
            "; ".join(filter(None, (words.told(part.ours, part), words.decider(part), words.spoilt(part)))),
            str(part.ours.blocks or "–"),
            words.bounds(part),
            part.state,
        )
        for reading in claim.readings
        for part in reading.parts
    ]
    leading = ["setting"] if several else []
    headings = (*leading, "what is compared", "theirs", "ours", "blocks", "wanted", "verdict")
    note = f"{escaped(claim.note)}\n\n" if claim.note else ""
    parts = [f"### {escaped(claim.claim)}", f"{note}{_table(headings, rows)}"]
    nearest = words.sensitivity([one for one in effects if words.quantity(one) in _compared(claim)])
    return "\n\n".join([*parts, *_section(words.SENSITIVITY, nearest)])


def _compared(claim: ClaimFound) -> set[str]:
    """What a claim that is read in several settings compares."""
    several = len(claim.readings) > 1
    return {words.quantity(part) for one in claim.readings if several for part in one.parts}


def _unclaimed(found: StudyFound) -> list[Effect]:
    """The effects of which no claim has said how they are in each setting."""
    told = set[str]().union(*map(_compared, found.claims))
    return [one for one in found.effects if words.quantity(one) not in told]


def _reasons(found: StudyFound) -> list[str]:
    """Of each comparison once, though several claims rest on it, or several settings have the same trials."""
    same: dict[tuple[str, ...], dict[str, Tested]] = {}
    for claim in found.claims:
        for reading in claim.readings:
            for part in reading.unreproduced:
                setting = reading.setting if len(claim.readings) > 1 else ""
                same.setdefault((words.quantity(part), *part.trials), {})[setting] = part
    told = "\n".join(_why(list(parts), joined([*parts.values()])) for parts in same.values())
    return ["## Why were claims not reproduced?", _LEGEND, told] if told else []


def _why(settings: Sequence[str], part: Tested) -> str:
    """Why a comparison comes out otherwise in some settings, if in several."""
    where = "; ".join(filter(None, settings))
    head = f"{words.quantity(part)}{f' ({where})' if where else ''}: {words.differs(part)}."
    reasons = [*words.reasons(part), *words.measured_as_well(part)]
    return f"- {escaped(head)}\n{_list(reasons, indent='  ')}"


_LEGEND = (
    "What each change does to our value: *towards* theirs, *past* theirs, or *away*. *Within the bounds* "
    "it would be reproduced; if the bounds have one side, this says nothing about its size."
)


def _explanations(found: StudyFound) -> list[str]:
    return [f"{run.name}: {said}" for run in found.runs for said in run.explanations]


def _figures(measured: Measured, table: FigureTable) -> str:
    """Their figures of a table and ours of the same arms, in each setting that has them."""
    rows = [
        (case, name, whose, *cells)
        for case in table.rows
        for name in _arms(measured, table, case)
        for whose, cells in (
            ("theirs", [_shown(table.value(case, name, one), table.metric) for one in table.statistics]),
            *_ours(measured, table, Term(name, case)),
        )
    ]
    headings = ("case", "arm", "whose", *(words.heading(one) for one in table.statistics))
    return f"**{escaped(table.caption)}**\n\n{_table(headings, rows, first_number=3)}"


def _arms(measured: Measured, table: FigureTable, case: str) -> list[str]:
    """Those of a row: with a published figure, or compared with one that has."""
    compared = [
        term.arm for text in table.compare for term in measured.study.expanded(parse(text, case)).terms
    ]
    return list(dict.fromkeys([*table.rows[case], *compared]))


def _ours(measured: Measured, table: FigureTable, term: Term) -> Iterator[tuple[str, list[str]]]:
    """The figures of the arm in each setting that has its own; without the setting's name where all share
    them."""
    found = [(setting, measured.locate(setting)(term)) for setting in measured.study.settings]
    places = {None if at is None else (id(at.trials), at.arm) for _, at in found}
    seen = set()
    for setting, at in found:
        if at is None or (key := (id(at.trials), at.arm)) in seen:
            continue
        seen.add(key)
        trials = at.trials.of(at.arm)
        failed = sum(map(has_failed, trials))
        told = figures(times(trials, table.metric), with_mean=not failed)
        cells = [_shown(_figure(told, one), table.metric) for one in table.statistics]
        where = f", {setting.name}" if len(places) > 1 else ""
        lost = f", {failed} of them failed" if failed else ""
        yield f"ours{where}: {at.arm}, {count(len(trials), 'load')}{lost}", cells


def _figure(found: Figures, statistic: ShownStatistic) -> float | None:
    value: float | None = getattr(found, statistic, None)
    return value


def _shown(value: float | None, metric: Metric) -> str:
    return numbers.rate(value) if metric == "requests_per_second" else numbers.seconds(value)


def _effects(found: Sequence[Effect]) -> str:
    rows = [
        (
            words.quantity(one),
            words.theirs(one.theirs, one.kind, one.metric),
            at.setting,
            words.told(at.ours, one),
            "" if at.agrees is None else "yes" if at.agrees else "no",
        )
        for one in found
        for at in one.settings
    ]
    return _table(("effect", "theirs", "setting", "ours", "theirs within our interval"), rows)


def _run(run: RunFound) -> str:
    spoilt = "; ".join(f"{name} ({number} of {tried})" for name, (number, tried) in run.spoilt.items())
    told = {
        "command": f"{run.command}",
        "started": run.notes.get("started"),
        "ended": run.notes.get("ended") or "not finished",
        "trials": f"{run.trials}, of which {run.used} count; {run.contaminated} were contaminated, the "
        "others discarded with their blocks",
        "time that the trials took together, including waits for a turn": numbers.seconds(run.wall_s),
        "program": run.notes.get("program"),
        "commit": ", then ".join(_commits(run)),
        "contaminated in half of their loads or more, so the loads that count are a selection": spoilt,
        "host": ", then ".join(dict.fromkeys(map(_host, _sessions(run)))),
        "isolation": run.notes.get("isolation"),
        "origins": _identities(run.notes.get("origins")),
        "clients": _identities(run.notes.get("clients")),
        "libraries": _identities(run.notes.get("libraries")),
    }
    lines = [f"{name}: {value}" for name, value in told.items() if value not in (None, "")]
    warnings = [f"warning: {one.get('text', '')}" for one in run.notes.get("warnings", [])]
    return f"**{escaped(run.name)}** ({escaped(run.experiment)})\n\n{_list([*lines, *warnings])}"


def _identities(notes: Any) -> str:
    """Programs and versions on one line."""
    if not isinstance(notes, Mapping):
        return ""
    return "; ".join(f"{name} {_identity(value)}" for name, value in notes.items())


def _identity(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(str(value[key]) for key in ("name", "version") if value.get(key))
    return str(value)


def _section(heading: str, sentences: Sequence[str]) -> list[str]:
    return [heading, _list(sentences)] if sentences else []


def _list(sentences: Sequence[str], *, indent: str = "") -> str:
    return "\n".join(f"{indent}- {escaped(sentence)}" for sentence in sentences)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]], *, first_number: int | None = None) -> str:
    marks = ["---" if first_number is None or at < first_number else "---:" for at in range(len(headings))]
    lines = [headings, marks, *([escaped(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
