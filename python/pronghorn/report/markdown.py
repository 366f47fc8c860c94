"""A run's report in brief, for a pull request: GitHub Flavored Markdown, verdicts first."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from pronghorn.analysis.numbers import count, percent
from pronghorn.analysis.words import within
from pronghorn.foreign import visible
from pronghorn.model.summary import CellSummary, Comparison, Summary
from pronghorn.report.load_table import HEADINGS, LOAD_NOTE, load_rows
from pronghorn.report.path_counters import ipv6_paths
from pronghorn.report.table import table, thin_note

MOST_CHARACTERS = 60_000
"""A longer report loses its tables, then the ends of its lists: GitHub takes 65 536 characters of a comment.
"""

OPEN_VERDICTS, OPEN_CELLS = 12, 4
"""Beyond this number, sentences and cells' tables are folded; the headline never is."""


def markdown(summary: Summary, manifest: Mapping[str, Any]) -> str:
    """The report; of the manifest, `warnings` (`text`, `remedy`) and `started` are looked at."""
    tables = "\n\n".join(_cell(cell, summary) for cell in summary.cells)
    if len(summary.cells) > OPEN_CELLS:
        tables = _folded(f"Figures of {count(len(summary.cells), 'cell')}", tables)
    whole = _report(summary, manifest, tables)
    return whole if len(whole) <= MOST_CHARACTERS else _without_tables(summary, manifest)


def _without_tables(summary: Summary, manifest: Mapping[str, Any]) -> str:
    """The report without its cells' tables; where that is still too long, with as many sentences of each list
    as there is room for."""
    said = "The cells' tables are left out. They are in report.html."
    whole = _report(summary, manifest, said)
    if len(whole) <= MOST_CHARACTERS:
        return whole
    fewer = range(MOST_CHARACTERS)
    most = bisect_right(
        fewer, MOST_CHARACTERS, key=lambda most: len(_report(summary, manifest, said, most=most))
    )
    return _report(summary, manifest, said, most=max(0, most - 1))


def _report(summary: Summary, manifest: Mapping[str, Any], tables: str, *, most: int | None = None) -> str:
    """The report around its `tables`, with the first `most` sentences of each list, or all of them."""
    return _joined(
        [
            *(f"> **{escaped(line)}**" for line in summary.first_lines()),
            f"## {escaped(summary.name)}",
            *([f"> **{escaped(summary.label)}**"] if summary.label else []),
            *(f"**{escaped(sentence)}**" for sentence in summary.headline),
            _verdicts([_verdict(found, cell) for cell in summary.cells for found in cell.led()], most),
            *([escaped(summary.correction.words)] if summary.correction else []),
            _list([found.words for found in summary.explanations], most, "explanation"),
            _list(_of_kernels(summary), most, "kernel"),
            _list([pair.words for pair in summary.stacks], most, "stack"),
            _parts([said for cell in summary.cells for said in cell.why_words], most),
            _list([f"{claim.claim}: {claim.words}" for claim in summary.claims], most, "claim"),
            tables,
            _warnings(manifest.get("warnings") or [], most),
            _conditions(summary, manifest),
        ]
    )


def _of_kernels(summary: Summary) -> list[str]:
    found = summary.kernels
    if found is None:
        return []
    return [*(split.words for split in found.splits), *(change.words for change in found.changes)]


def escaped(text: str) -> str:
    """`text` as Markdown that reads the same: no markup, no HTML, no mention of anybody, on one line."""
    one_line = visible(" ".join(text.split()))
    plain = one_line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    plain = re.sub(r"([\\`*_\[\]|~$])", r"\\\1", plain)
    plain = re.sub(r"(?<!\w)#(?=\d)", "&#35;", plain)
    plain = re.sub(r"(?<![\w.-])@", "&#64;", plain)
    plain = re.sub(r"^(\d+)([.)] )", r"\1\\\2", plain)
    return re.sub(r"^(#+ |[-+] |=+$|-+$)", r"\\\1", plain)


def _verdict(found: Comparison, cell: CellSummary) -> str:
    """A verdict, and beside it how much was loaded."""
    return f"{found.words}. {cell.loaded_words}" if cell.loaded_words else found.words


def _verdicts(sentences: Sequence[str], most: int | None) -> str:
    told = _list(sentences, most, "verdict")
    return _folded(count(len(sentences), "verdict"), told) if len(sentences) > OPEN_VERDICTS else told


def _parts(sentences: Sequence[str], most: int | None) -> str:
    return _folded("Where the time went", _list(sentences, most, "sentence")) if sentences else ""


def _cell(cell: CellSummary, summary: Summary) -> str:
    if cell.makes_loads:
        rows = [(row.arm, row.figures, row.n, row.failed) for row in load_rows(cell, summary.load_limit_s)]
        return _table(cell, "", HEADINGS, rows, [LOAD_NOTE, *cell.notes])
    found = table(cell)
    thin = thin_note(found)
    return _table(
        cell,
        f", load time in {found.unit}",
        found.headings,
        [(row.arm, row.figures, row.n, row.failed) for row in found.rows],
        [*([thin] if thin else []), *cell.notes],
    )


def _table(
    cell: CellSummary,
    what: str,
    headings: Sequence[str],
    rows: Sequence[tuple[str, Sequence[str], str, int]],
    notes: Sequence[str],
) -> str:
    columns = ("arm", *headings, "n", "failed")
    lines = [
        f"| {' | '.join(escaped(column) for column in columns)} |",
        f"| --- |{' ---: |' * (len(columns) - 1)}",
        *(
            f"| {' | '.join(escaped(field) for field in (arm, *figures, n, str(failed)))} |"
            for arm, figures, n, failed in rows
        ),
    ]
    title = f"**{escaped(cell.title)}**{escaped(what)}, {count(cell.blocks, 'block')}"
    return _joined([title, "\n".join(lines), _list(notes)], end="")


def _warnings(warnings: Sequence[Any], most: int | None) -> str:
    said = [
        f"{one.get('text', '')} {one.get('remedy') or ''}" if isinstance(one, Mapping) else str(one)
        for one in warnings
    ]
    return _folded(count(len(said), "warning"), _list(said, most, "warning")) if said else ""


def _conditions(summary: Summary, manifest: Mapping[str, Any]) -> str:
    told = [
        f"Baseline {summary.baseline}",
        f"equivalence margin {within((summary.margin, summary.margin_s))}",
        f"{percent(summary.confidence)} intervals",
        f"seed {summary.seed}",
        *(f"path {name}: IPv6" for name in ipv6_paths(manifest)),
        *([str(manifest["started"])] if manifest.get("started") else []),
    ]
    return f"<sub>{escaped(' · '.join(told))}</sub>"


def _folded(what: str, text: str) -> str:
    return f"<details>\n<summary>{escaped(what)}</summary>\n\n{text}\n\n</details>"


def _list(sentences: Sequence[str], most: int | None = None, what: str = "") -> str:
    """A list of the first `most` sentences, and how many more of `what` there are, or of all."""
    told = [escaped(sentence) for sentence in sentences[:most]]
    if left_out := len(sentences) - len(told):
        told.append(f"… and {count(left_out, f'more {what}')}, which are in report.html.")
    return "\n".join(f"- {sentence}" for sentence in told)


def _joined(parts: Sequence[str], end: str = "\n") -> str:
    return "\n\n".join(part for part in parts if part) + end
