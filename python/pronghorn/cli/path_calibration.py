"""`pronghorn path … --calibrate`: asked against measured, with a pass or a fail."""

from pathlib import Path

import typer

from pronghorn import calibration
from pronghorn.calibration import Report
from pronghorn.calibration.table import table
from pronghorn.engine import Engine, EngineError
from pronghorn.errors import EXIT_CHECK_FAILED, HostError, InputError
from pronghorn.host import interrupts
from pronghorn.model.path import PathSpec
from pronghorn.terminal import Terminal

_WIDTH = 120
"""The least columns of a line that is not cut."""


def calibrate(path: PathSpec, name: str, seed: int, json_file: Path | None) -> None:
    """Prints the table on stdout and writes the report to `json_file`; exit status 1 where a row fails."""
    console = Terminal(highlight=False)
    if console.width < _WIDTH:
        console.width = _WIDTH
    Terminal(stderr=True, highlight=False).print(
        f"calibrating {name}, about {calibration.LONG_S:.0f} s, seed {seed}", style="dim"
    )
    report = interrupts.run(_measure(path, seed))
    console.print(table(report))
    failed = len(report.failed)
    passed = sum(row.verdict == "pass" for row in report.rows)
    console.print(
        f"\n{passed} passed, {failed} failed. By chance alone, a correct path fails a row once in "
        f"{1 / report.false_alarm:,.0f} times."
    )
    if json_file is not None:
        try:
            json_file.write_text(report.model_dump_json(indent=2) + "\n", encoding="utf-8")
        except OSError as error:
            raise HostError(f"{json_file}: {error.strerror}.") from error
    if not report.passed:
        raise typer.Exit(EXIT_CHECK_FAILED)


async def _measure(path: PathSpec, seed: int) -> Report:
    engine = await Engine.start()
    try:
        return await calibration.calibrate(engine, path, seed=seed)
    except EngineError as error:
        kind = InputError if error.kind == "input" else HostError
        raise kind(error.message, hint=error.hint) from error
    finally:
        await engine.stop()
