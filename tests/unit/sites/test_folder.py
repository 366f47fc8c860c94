"""A folder of somebody's own is a site, or is refused with the reason."""

import os
from pathlib import Path

import pytest

from pronghorn.sites import Resource, build


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!DOCTYPE html><img src=assets/a.png>")
    (folder / "assets" / "a.png").write_bytes(b"12345")
    return folder


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "target"
    folder.mkdir()
    return folder


def test_a_folder_is_copied_with_kinds_and_sizes(source: Path, target: Path) -> None:
    (source / ".git").mkdir()
    (source / ".git" / "config").write_text("hidden")
    (source / "same.css").symlink_to("assets/a.png")
    site = build(f"dir:{source}", 1, target)
    assert site.document == "/"
    assert site.root == target
    assert set(site.resources) == {
        Resource("/", "document", 37),
        Resource("/assets/a.png", "image", 5),
        Resource("/same.css", "style", 5),
    }
    assert site.total_bytes == 47
    assert (target / "same.css").read_bytes() == b"12345"
    assert not (target / ".git").exists()


def test_a_folder_without_a_page_is_refused(source: Path, target: Path) -> None:
    (source / "index.html").unlink()
    with pytest.raises(ValueError, match=r"holds no index\.html"):
        build(f"dir:{source}", 1, target)


def test_what_is_no_folder_is_refused(source: Path, target: Path) -> None:
    with pytest.raises(ValueError, match="is no folder"):
        build(f"dir:{source / 'nothing'}", 1, target)


def test_a_link_out_of_the_folder_is_refused(source: Path, target: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (source / "leak.js").symlink_to(tmp_path / "secret")
    with pytest.raises(ValueError, match=r"leak\.js is a link out of the folder"):
        build(f"dir:{source}", 1, target)


def test_a_page_that_is_itself_a_link_out_of_the_folder_is_refused(
    source: Path, target: Path, tmp_path: Path
) -> None:
    (source / "index.html").rename(tmp_path / "elsewhere.html")
    (source / "index.html").symlink_to(tmp_path / "elsewhere.html")
    with pytest.raises(ValueError, match=r"index\.html is a link out of the folder"):
        build(f"dir:{source}", 1, target)


def test_a_link_to_a_folder_is_refused(source: Path, target: Path) -> None:
    (source / "loop").symlink_to(".")
    with pytest.raises(ValueError, match="is a link to a folder"):
        build(f"dir:{source}", 1, target)


def test_a_link_to_nowhere_is_refused(source: Path, target: Path) -> None:
    (source / "gone.js").symlink_to("nothing.js")
    with pytest.raises(ValueError, match="is no regular file"):
        build(f"dir:{source}", 1, target)


def test_what_is_neither_file_nor_folder_is_refused(source: Path, target: Path) -> None:
    os.mkfifo(source / "pipe")
    with pytest.raises(ValueError, match="is no regular file"):
        build(f"dir:{source}", 1, target)
