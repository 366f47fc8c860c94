"""What cells are called in sentences and tables."""

from collections.abc import Sequence

from pronghorn.model.cell import DIMENSIONS, Cell


def name_cells(cells: Sequence[Cell]) -> dict[Cell, str]:
    """Each cell by what tells it from the others; the path is always named."""
    varying = [key for key in DIMENSIONS if key == "path" or len({getattr(cell, key) for cell in cells}) > 1]
    return {cell: ", ".join(filter(None, map(cell.named, varying))) for cell in cells}
