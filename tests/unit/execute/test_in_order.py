"""Trials come to the journal in the order in which their courses began, whenever they end."""

from pathlib import Path

from pronghorn.execute.in_order import InOrder
from pronghorn.model.trial import Cell
from pronghorn.plan import Block
from pronghorn.runs import journal
from pronghorn.runs.journal import Journal

from ..runs.recorded import HEADER, trial

CELL = Cell(site="tiny", path="lan", origin="builtin", client="native")
COURSES = [[Block(CELL, number, ("h2", "h3"), number)] for number in range(3)]


def blocks(folder: Path) -> list[tuple[int, str]]:
    return [(one.block, one.arm) for one in journal.read(folder).trials]


def test_later_courses_wait_for_the_first(tmp_path: Path) -> None:
    with Journal(tmp_path, HEADER) as record:
        in_order = InOrder(record, COURSES)
        in_order.append(COURSES[1], trial(1, "h2"))
        in_order.append(COURSES[0], trial(0, "h2"))
        assert blocks(tmp_path) == [(0, "h2")]
        in_order.append(COURSES[1], trial(1, "h3"))
        in_order.ends(COURSES[1])
        in_order.append(COURSES[2], trial(2, "h2"))
        assert blocks(tmp_path) == [(0, "h2")]
        in_order.append(COURSES[0], trial(0, "h3"))
        in_order.ends(COURSES[0])
        assert blocks(tmp_path) == [(0, "h2"), (0, "h3"), (1, "h2"), (1, "h3"), (2, "h2")]
        in_order.append(COURSES[2], trial(2, "h3"))
        in_order.ends(COURSES[2])
        in_order.close()
    assert blocks(tmp_path)[-1] == (2, "h3")
    assert len(blocks(tmp_path)) == 6


def test_what_was_measured_is_recorded_where_the_run_ends_early(tmp_path: Path) -> None:
    with Journal(tmp_path, HEADER) as record:
        in_order = InOrder(record, COURSES)
        in_order.append(COURSES[2], trial(2))
        in_order.append(COURSES[1], trial(1))
        in_order.close()
        in_order.close()
    assert blocks(tmp_path) == [(1, "h2"), (2, "h2")]
