"""A folder of somebody's own is a site, or is refused with the reason."""

import errno
import os
from collections.abc import Iterator
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
    with pytest.raises(ValueError, match=r"lacks index\.html"):
        build(f"dir:{source}", 1, target)


def test_what_is_no_folder_is_refused(source: Path, target: Path) -> None:
    with pytest.raises(ValueError, match="is no folder"):
        build(f"dir:{source / 'nothing'}", 1, target)


def test_a_link_out_of_the_folder_is_refused(source: Path, target: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (source / "leak.js").symlink_to(tmp_path / "secret")
    with pytest.raises(ValueError, match=r"leak\.js is a link to"):
        build(f"dir:{source}", 1, target)


def test_a_page_that_is_itself_a_link_out_of_the_folder_is_refused(
    source: Path, target: Path, tmp_path: Path
) -> None:
    (source / "index.html").rename(tmp_path / "elsewhere.html")
    (source / "index.html").symlink_to(tmp_path / "elsewhere.html")
    with pytest.raises(ValueError, match=r"index\.html is a link to"):
        build(f"dir:{source}", 1, target)


def test_a_link_to_a_folder_is_refused(source: Path, target: Path) -> None:
    (source / "loop").symlink_to(".")
    with pytest.raises(ValueError, match="is a link to a folder"):
        build(f"dir:{source}", 1, target)


def test_a_link_to_nowhere_is_refused(source: Path, target: Path) -> None:
    (source / "gone.js").symlink_to("nothing.js")
    with pytest.raises(ValueError, match="is a link to nothing"):
        build(f"dir:{source}", 1, target)


def test_what_is_neither_file_nor_folder_is_refused(source: Path, target: Path) -> None:
    os.mkfifo(source / "pipe")
    with pytest.raises(ValueError, match="is not a regular file"):
        build(f"dir:{source}", 1, target)


def test_a_link_that_leads_to_itself_is_refused(source: Path, target: Path) -> None:
    (source / "circle.js").symlink_to("circle.js")
    with pytest.raises(ValueError, match=r"circle\.js is a link to nothing"):
        build(f"dir:{source}", 1, target)


def test_a_folder_that_holds_its_own_copy_is_refused(source: Path) -> None:
    inside = source / "work"
    inside.mkdir()
    with pytest.raises(ValueError, match="Set TMPDIR"):
        build(f"dir:{source}", 1, inside)
    assert not any(inside.iterdir())


def test_a_name_that_is_no_utf8_is_refused_and_shown(source: Path, target: Path) -> None:
    Path(os.fsdecode(os.fsencode(source) + b"/\xff.js")).touch()
    with pytest.raises(ValueError, match=r"\\xff\.js: the name is not UTF-8") as caught:
        build(f"dir:{source}", 1, target)
    str(caught.value).encode()


def test_a_folder_that_cannot_be_read_is_refused(
    source: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = Path.iterdir

    def refuse(folder: Path) -> Iterator[Path]:
        if folder.name == "assets":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
        return listed(folder)

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(ValueError, match=r"assets can't be read: Permission denied"):
        build(f"dir:{source}", 1, target)


def test_a_file_that_cannot_be_read_is_refused(
    source: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = os.open

    def refuse(file: Path, flags: int) -> int:
        if file.name == "a.png":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))
        return opened(file, flags)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(ValueError, match=r"a\.png can't be read: Permission denied"):
        build(f"dir:{source}", 1, target)


def test_a_target_that_cannot_be_written_is_the_hosts_fault(source: Path, tmp_path: Path) -> None:
    (tmp_path / "occupied").touch()
    with pytest.raises(OSError, match="occupied"):
        build(f"dir:{source}", 1, tmp_path / "occupied")


def test_a_path_is_written_as_in_a_url(source: Path, target: Path) -> None:
    (source / "assets" / "50 %.svg").touch()
    paths = {resource.path for resource in build(f"dir:{source}", 1, target).resources}
    assert "/assets/50%20%25.svg" in paths
    assert (target / "assets" / "50 %.svg").exists()


def test_no_folder_at_all_is_refused(target: Path) -> None:
    with pytest.raises(ValueError, match="write dir:PATH"):
        build("dir:", 1, target)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"huge.bin": 900 << 30}, r"huge\.bin has 966367641600 bytes; a file of a site may have 1073741824"),
        (
            dict.fromkeys(("a.bin", "b.bin", "c.bin"), 1 << 30),
            r"has 3221225514 bytes; a site may have 2147483648",
        ),
    ],
)
def test_a_file_or_a_site_that_is_too_large_is_refused_before_it_is_read(
    sizes: dict[str, int], message: str, source: Path, target: Path
) -> None:
    for name, size in sizes.items():
        with (source / name).open("wb") as sparse:
            sparse.truncate(size)
    with pytest.raises(ValueError, match=message):
        build(f"dir:{source}", 1, target)
    assert not any(target.iterdir())


def test_a_page_that_is_a_device_or_a_pipe_is_refused(source: Path, target: Path) -> None:
    (source / "index.html").unlink()
    (source / "index.html").symlink_to("/dev/zero")
    with pytest.raises(ValueError, match=r"lacks index\.html"):
        build(f"dir:{source}", 1, target)
    (source / "index.html").unlink()
    os.mkfifo(source / "index.html")
    with pytest.raises(ValueError, match=r"lacks index\.html"):
        build(f"dir:{source}", 1, target)
