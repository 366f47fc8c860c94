"""The fuzzer's targets in Python do what they should with its seeds."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

FUZZ = Path(__file__).parents[3] / "fuzz" / "python"
SEEDS = sorted(FUZZ.glob("corpus/*/*"))


@pytest.fixture(scope="module")
def targets() -> ModuleType:
    spec = importlib.util.spec_from_file_location("targets", FUZZ / "targets.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{seed.parent.name}/{seed.name}")
def test_a_target_takes_its_seeds(targets: ModuleType, seed: Path) -> None:
    targets.TARGETS[seed.parent.name](seed.read_bytes())


def test_every_target_has_seeds(targets: ModuleType) -> None:
    assert {seed.parent.name for seed in SEEDS} == set(targets.TARGETS)
