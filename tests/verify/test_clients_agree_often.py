"""Chromium and the native loader rank the arms alike, with blocks enough to decide most cells."""

from pathlib import Path

import pytest

from . import agreement

pytestmark = pytest.mark.needs("namespaces", "engine", "chromium")

BLOCKS = 12


def test_where_both_clients_decide_they_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ranked = agreement.rank(tmp_path, "small", arms=("h1", "h2", "h3"), blocks=BLOCKS)

    with capsys.disabled():
        for one in ranked:
            said = ", ".join(
                f"{client}: {one.verdicts[client]} ({one.ratios[client] or float('nan'):.2f})"
                for client in agreement.CLIENTS
            )
            print(f"\n{one.arm} against h2 on {one.path}: {said}", end="")
    assert any(one.both_decided for one in ranked), ranked
    assert not [one for one in ranked if one.opposed], ranked
