"""What tests of every package may ask for."""

from pathlib import Path

import pytest

from .laboratory import Laboratory


@pytest.fixture
def laboratory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Laboratory:
    """A laboratory whose engine behaves."""
    return Laboratory(tmp_path, monkeypatch, capsys)
