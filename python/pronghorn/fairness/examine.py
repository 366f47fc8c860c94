"""The fairness manifest of a run, and its warnings."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pronghorn.fairness import compare, differences, rules
from pronghorn.fairness.differences import Compared
from pronghorn.fairness.flights import Flights
from pronghorn.fairness.group import Group
from pronghorn.fairness.row import Row
from pronghorn.knobs import fair
from pronghorn.model.caution import Caution
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Cell, Trial


class CellFairness(NamedTuple):
    """A cell's rows, and in sentences what of its arms can't be made equal."""

    cell: Cell
    rows: Sequence[Row]
    unequalled: Sequence[str]

    def to_manifest(self) -> dict[str, Any]:
        """The cell's entry in manifest.json."""
        return {
            "cell": self.cell.model_dump(),
            "rows": [row.to_manifest() for row in self.rows],
            "unequalled": list(self.unequalled),
        }


class Findings(NamedTuple):
    """What the arms of each cell ran with, and what of that is a warning."""

    cells: Sequence[CellFairness]
    cautions: Sequence[Caution]

    def to_manifest(self) -> list[dict[str, Any]]:
        """As `fairness` in manifest.json."""
        return [cell.to_manifest() for cell in self.cells]


def examine(
    experiment: Experiment, trials: Sequence[Trial], notes: Mapping[str, Any], run: Path | None = None
) -> Findings:
    """Compares the arms of each cell by the records of its `trials` and the rest of the manifest, `notes`.
    Flights are looked for in the directory `run`. Without trials only what is known beforehand is
    compared."""
    flights = Flights(run)
    by_arm: dict[tuple[Cell, str], list[Trial]] = {}
    for trial in trials:
        if trial.page is not None:
            by_arm.setdefault((trial.cell, trial.arm), []).append(trial)
    compared = []
    for cell in experiment.cells():
        groups = [
            Group(experiment, cell, arm, tuple(by_arm.get((cell, arm.name), ())), notes, flights)
            for arm in experiment.arms
        ]
        compared.append(Compared(groups, compare.rows(groups)))
    groups = [group for one in compared for group in one.groups]
    return Findings(
        [CellFairness(one.cell, one.rows, _unequalled(experiment, one.cell)) for one in compared],
        [*rules.cautions(groups), *differences.cautions(compared)],
    )


def _unequalled(experiment: Experiment, cell: Cell) -> list[str]:
    """What fair arms can't be made equal in, each sentence once; none where none are asked for."""
    told = [text for arm in experiment.arms for text in fair.unequalled(experiment, cell, arm)]
    return list(dict.fromkeys(told))
