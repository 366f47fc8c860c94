"""What tests of every package may ask for."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .. import overheard
from .laboratory import Laboratory


@pytest.fixture
def laboratory(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Iterator[Laboratory]:
    """A laboratory whose engine behaves. In the end both keep to the engine's protocol."""
    made = Laboratory(tmp_path, tmp_path_factory.mktemp("transcript"), monkeypatch, capsys)
    yield made
    assert list(overheard.new_faults(made.said())) == []
