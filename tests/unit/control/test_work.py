"""Where a run's temporary folders are."""

from pathlib import Path

import pytest

from pronghorn.execute import work
from pronghorn.execute.work import PREFIX, work_folder


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What stands for the file system in memory; the environment names no temporary folder."""
    folder = tmp_path / "memory"
    folder.mkdir()
    monkeypatch.setattr(work, "MEMORY", folder)
    monkeypatch.setattr(work, "MEMORY_BYTES", 1)
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(name, raising=False)
    return folder


def test_what_is_small_is_kept_in_memory_and_gone_afterwards(memory: Path) -> None:
    with work_folder() as large, work_folder(small=True) as small:
        assert small.parent == memory
        assert large.parent != memory
    assert not small.exists()
    assert not large.exists()


def test_nothing_is_kept_in_memory_where_there_is_no_room(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "MEMORY_BYTES", 2**62)
    with work_folder(small=True) as small:
        assert small.parent != memory


def test_nothing_is_kept_in_memory_where_there_is_none(memory: Path) -> None:
    memory.rmdir()
    with work_folder(small=True) as small:
        assert small.is_dir()


def test_nothing_is_kept_in_memory_where_the_environment_says_otherwise(
    memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", "/anywhere")
    with work_folder(small=True) as small:
        assert small.parent != memory


def test_what_a_killed_run_left_in_memory_is_swept_and_what_lives_is_not(memory: Path) -> None:
    left = memory / f"{PREFIX}left"
    left.mkdir()
    with work_folder(small=True) as small:
        assert not left.exists()
        with work_folder(small=True):
            assert small.exists()
