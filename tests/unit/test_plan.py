"""The plan: every random draw from the seed, arms in random order, long blocks early."""

import math
from collections import Counter
from pathlib import Path

from pronghorn import plan
from pronghorn.model import experiment_table
from pronghorn.model.experiment import Experiment
from pronghorn.model.experiment_table import Vocabulary
from pronghorn.model.source import Source
from pronghorn.model.trial import Cell


def experiment(seed: int, *, repeat: int = 12, paths: str = '"a", "b"') -> Experiment:
    text = f"""
        sites = ["tiny"]
        paths = [{paths}]
        arms = ["h1", "h2", "h3"]
        repeat = {repeat}
        seed = {seed}
        [path.a]
        down = {{}}
        up = {{}}
        [path.b]
        down = {{}}
        up = {{}}
    """
    source = Source("plan.toml", text)
    words = Vocabulary(("tiny",), ("builtin",), ("native",), {})
    return experiment_table.parse(source.table(), source, words, default_seed=0, folder=Path())


def costs(design: Experiment, **by_path: float) -> dict[Cell, float]:
    return {cell: by_path.get(cell.path, 1.0) for cell in design.cells()}


def test_the_same_seed_gives_the_same_plan_and_another_another() -> None:
    one, again, other = experiment(5), experiment(5), experiment(6)
    assert plan.make(one, costs(one)) == plan.make(again, costs(again))
    assert plan.make(one, costs(one)) != plan.make(other, costs(other))


def test_cells_that_differ_in_their_kernel_alone_share_all_draws() -> None:
    design = experiment(5).model_copy(update={"clock": "both", "kernels": ("6.12", "7.2")})
    drawn: dict[tuple[str, int], set[tuple[int, tuple[str, ...]]]] = {}
    for block in plan.make(design, costs(design)):
        drawn.setdefault((block.cell.path, block.number), set()).add((block.path_seed, block.order))
    assert {len(found) for found in drawn.values()} == {1}
    alone = experiment(5)
    assert drawn == {
        (block.cell.path, block.number): {(block.path_seed, block.order)}
        for block in plan.make(alone, costs(alone))
    }


def test_cells_that_differ_in_their_servers_version_alone_share_all_draws() -> None:
    design = experiment(5).model_copy(update={"origins": ("nginx@1.26", "nginx@1.30", "caddy")})
    drawn: dict[tuple[str, int], list[tuple[int, tuple[str, ...]]]] = {}
    for block in sorted(plan.make(design, costs(design)), key=lambda block: block.cell.origin):
        drawn.setdefault((block.cell.path, block.number), []).append((block.path_seed, block.order))
    for caddy, older, newer in drawn.values():
        assert older == newer
        assert older[0] != caddy[0]


def test_every_block_has_every_arm_once_and_a_seed_of_its_own() -> None:
    design = experiment(1)
    blocks = plan.make(design, costs(design))
    assert Counter((block.cell.path, block.number) for block in blocks) == Counter(
        (path, number) for path in "ab" for number in range(12)
    )
    assert all(sorted(block.order) == ["h1", "h2", "h3"] for block in blocks)
    assert len({block.path_seed for block in blocks}) == len(blocks)
    assert all(0 <= block.path_seed < 2**64 for block in blocks)


def test_every_arm_takes_every_position_about_equally_often() -> None:
    """600 blocks: a position's count is binomial (n = 600, p = 1/3); nine counts within 5.5 sigma, false
    alarm < 1e-6."""
    design = experiment(2, repeat=600, paths='"a"')
    positions = Counter(
        (arm, block.order.index(arm)) for block in plan.make(design, costs(design)) for arm in block.order
    )
    sigma = math.sqrt(600 * (1 / 3) * (2 / 3))
    assert all(
        abs(positions[arm, place] - 200) < 5.5 * sigma for arm in ("h1", "h2", "h3") for place in range(3)
    )


def test_cells_of_equal_cost_are_interleaved() -> None:
    design = experiment(3)
    first_half = Counter(block.cell.path for block in plan.make(design, costs(design))[:12])
    assert set(first_half) == {"a", "b"}


def test_much_longer_blocks_start_first() -> None:
    design = experiment(4)
    order = [block.cell.path for block in plan.make(design, costs(design, b=30.0))]
    assert order == ["b"] * 12 + ["a"] * 12


def test_a_cells_draws_do_not_depend_on_the_other_cells() -> None:
    alone, both = experiment(9, paths='"a"'), experiment(9)
    of_a = {block for block in plan.make(both, costs(both)) if block.cell.path == "a"}
    assert set(plan.make(alone, costs(alone))) == of_a
