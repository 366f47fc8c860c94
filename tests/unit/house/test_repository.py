"""Which commit the program runs from: its own repository's, or none."""

import subprocess
from pathlib import Path

import pytest

from pronghorn import repository


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that looks like ours, with one commit."""
    for folder in ("crates/path", "python/pronghorn"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "Cargo.toml").write_text("", encoding="utf-8")
    author = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "."), (*author, "commit", "-q", "-m", "One")):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    monkeypatch.setattr(repository, "_TREE", tmp_path)
    return tmp_path


def test_a_changed_tree_is_told_from_its_commit(tree: Path) -> None:
    clean = repository.commit()
    assert clean is not None and len(clean) == 40
    (tree / "Cargo.toml").write_text("[workspace]", encoding="utf-8")
    assert repository.commit() == f"{clean}-dirty"


def test_a_repository_that_is_not_ours_is_not_told(tree: Path) -> None:
    (tree / "crates" / "path").rmdir()
    assert repository.commit() is None
