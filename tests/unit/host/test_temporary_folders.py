"""Where a run's temporary folders are."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from pronghorn.host import temporary_folders
from pronghorn.host.temporary_folders import PREFIX, has_memory, memory_folder, work_folder


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What stands for the file system in memory; the environment names no temporary folder."""
    folder = tmp_path / "memory"
    folder.mkdir()
    monkeypatch.setattr(temporary_folders, "MEMORY", folder)
    monkeypatch.setattr(temporary_folders, "MEMORY_BYTES", 1)
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    return folder


def test_what_browsers_write_is_in_memory_and_gone_afterwards(memory: Path) -> None:
    assert has_memory()
    with work_folder() as work, memory_folder() as mine:
        assert mine is not None
        assert (mine.parent, work.parent == memory) == (memory, False)
    assert not mine.exists()
    assert not work.exists()


def without_room(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(temporary_folders, "MEMORY_BYTES", 2**62)


def without_memory(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(temporary_folders, "MEMORY", Path("/nowhere"))


def elsewhere(patch: pytest.MonkeyPatch) -> None:
    patch.setenv("TMPDIR", "/anywhere")


def as_a_person(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("os.geteuid", lambda: 1000)


@pytest.mark.usefixtures("memory")
@pytest.mark.parametrize("hinder", [without_room, without_memory, elsewhere, as_a_person])
def test_elsewhere_it_is_on_the_disk(
    hinder: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    hinder(monkeypatch)
    assert not has_memory()
    with memory_folder() as mine:
        assert mine is None


@pytest.mark.usefixtures("memory")
def test_a_folder_that_cannot_be_made_in_memory_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> str:
        raise OSError(errno.EDQUOT, "no quota left")

    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    with memory_folder() as mine:
        assert mine is None


def test_what_a_killed_run_left_in_memory_is_swept_and_what_lives_is_not(memory: Path) -> None:
    left = memory / f"{PREFIX}left"
    left.mkdir()
    with memory_folder() as mine:
        assert left.exists()
        with work_folder():
            assert not left.exists()
            assert mine is not None
            assert mine.exists()
