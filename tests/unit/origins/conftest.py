"""Where servers' programs are looked for."""

from pathlib import Path

import pytest

from pronghorn.origins import programs


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which programs are looked for, with no root of servers and nothing named."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(programs, "SYSTEM_FOLDERS", "")
    monkeypatch.setenv("PRONGHORN_SERVERS", str(tmp_path / "servers"))
    monkeypatch.delenv("PRONGHORN_NGINX", raising=False)
    return folder
