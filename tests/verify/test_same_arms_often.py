"""An arm against itself is told apart no more often than its intervals allow."""

from pathlib import Path

import pytest

from .same_arms import decided, most_decided, verdicts

pytestmark = pytest.mark.needs("namespaces")

SEEDS = range(1, 21)
PATHS = ("lte", "lte-poor")
AT_ONCE = 5


def test_few_of_twenty_runs_of_the_same_arm_twice_decide(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = verdicts(tmp_path, SEEDS, PATHS, at_once=AT_ONCE)

    tally = {path: sum(decided(run[path]) for run in found) for path in PATHS}
    runs = sum(any(map(decided, run.values())) for run in found)
    with capsys.disabled():
        by_path = ", ".join(f"{count} on {path}" for path, count in tally.items())
        print(
            f"\nA/A: {runs} of {len(found)} runs decided ({by_path}); at most {most_decided(len(found))} may"
        )
    assert runs <= most_decided(len(SEEDS)), found
