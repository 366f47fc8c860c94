"""The findings, for people or for programs."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.text import Text

from pronghorn import __version__
from pronghorn.doctor.examine import examine
from pronghorn.doctor.finding import Finding
from pronghorn.errors import EXIT_HOST, EXIT_OK
from pronghorn.terminal import Terminal

_COLOURS = {"ok": "green", "missing": "red", "note": "yellow"}


def main(console: Terminal | None = None, root: Path = Path("/"), *, as_json: bool = False) -> int:
    """Prints every finding on `console` (None: stdout), or one JSON object on stdout. Returns 0, or 3 where
    anything is missing.

    `root` is the folder under which /proc, /sys and /dev are read.
    """
    findings = list(examine(root))
    ready = all(finding.state != "missing" for finding in findings)
    if as_json:
        print(json.dumps(_table(findings, ready=ready), indent=2))
    else:
        _lines(findings, console or Terminal(highlight=False))
    return EXIT_OK if ready else EXIT_HOST


def _table(findings: Sequence[Finding], *, ready: bool) -> dict[str, object]:
    return {
        "program": __version__,
        "kernel": os.uname().release,
        "ready": ready,
        "findings": [asdict(finding) for finding in findings],
    }


def _lines(findings: Sequence[Finding], out: Terminal) -> None:
    width = max(len(finding.subject) for finding in findings)
    out.print(f"pronghorn {__version__} on Linux {os.uname().release}", soft_wrap=True)
    for finding in findings:
        state = Text(f"{finding.state:8}", _COLOURS[finding.state])
        out.print(state + Text(f"{finding.subject:{width}}  {finding.detail}", ""), soft_wrap=True)
        if finding.mend:
            out.print(Text(f"{'':8}{'':{width}}  fix: {finding.mend}"), soft_wrap=True)
