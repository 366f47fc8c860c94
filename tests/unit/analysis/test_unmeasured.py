"""What a run that measured nothing is told to do."""

from typing import Any

import pytest

from .synthetic import cell, summarised, trial

DESIGN: dict[str, Any] = {"name": "run", "arms": ["h2", "h3"], "baseline": "h2", "seed": 1, "limit_s": 10}


@pytest.mark.parametrize("virtual", [False, True])
def test_virtual_time_is_named_to_who_measures_in_real_time(virtual: bool) -> None:
    late = [trial(cell("lte"), arm, 0, 9.0, status="contaminated", reason="late") for arm in ("h2", "h3")]
    found = summarised(late, virtual=virtual, **DESIGN)
    assert found.unmeasured is not None
    assert ("Measure in virtual time" in found.unmeasured.remedy) != virtual
