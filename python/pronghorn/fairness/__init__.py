"""What the arms of a cell ran with, arm beside arm, as read back from kernel and stacks: the fairness
manifest.

`settings` is the table of what is compared, `readings` reads it back, `differences` makes warnings of what
is unequal, and `rules` know the traps that have to be measured. docs/report.md tells how to read it."""

from pronghorn.fairness.examine import CellFairness, Findings, examine
from pronghorn.fairness.row import Row

__all__ = ["CellFairness", "Findings", "Row", "examine"]
