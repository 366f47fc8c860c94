"""Folders as wget leaves them: queries in names, a folder a host, links converted; links to elsewhere are
refused."""

from pathlib import Path

import pytest

from pronghorn.errors import InputError
from pronghorn.importing import bring
from pronghorn.sites.archive import Archive, read

from .archives import decoded

PNG = b"\x89PNG" + bytes(600)
STYLE = b"body{background:url(../bg.png?v=3)}" + b" " * 2000


def write(folder: Path, files: dict[str, bytes]) -> Path:
    """The folder with these files."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def imported(folder: Path, page: str | None = None) -> Archive:
    bring(folder, folder.parent / "archive", page=page)
    return read(folder.parent / "archive")


def test_queries_in_names_become_queries_of_urls(tmp_path: Path) -> None:
    page = b"<link rel=stylesheet href='css/a.css?v=2&amp;t=1'><img src=i.png><a href=other.html>"
    folder = write(
        tmp_path / "shop.example",
        {"index.html": page, "css/a.css?v=2&t=1": STYLE, "bg.png?v=3": PNG, "i.png": PNG, "other.html": b"x"},
    )
    archive = imported(folder)
    assert [(one.url, one.kind, one.initiator, one.how) for one in archive.exchanges] == [
        ("https://shop.example/", "document", None, "other"),
        ("https://shop.example/css/a.css?v=2&t=1", "style", 1, "parser"),
        ("https://shop.example/i.png", "image", 1, "parser"),
        ("https://shop.example/bg.png?v=3", "image", 2, "style"),
    ]
    assert archive.site.left_out == {"not named by the page": 1}
    assert archive.exchanges[1].header("content-encoding") == "br"
    assert decoded(archive, 2) == STYLE
    assert archive.exchanges[2].header("content-type") == "image/png"


def test_a_folder_a_host_and_converted_links(tmp_path: Path) -> None:
    page = b"<link rel=stylesheet href='a.css%3Fv=2.css'><img src='../cdn.example/i.png'>"
    files = {
        "shop.example/index.html": page,
        "shop.example/a.css?v=2.css": STYLE,
        "cdn.example/i.png": PNG,
        "notes": b"no host",
    }
    archive = imported(write(tmp_path / "mirror", files))
    assert [one.url for one in archive.exchanges] == [
        "https://shop.example/",
        "https://shop.example/a.css%3Fv=2.css",
        "https://cdn.example/i.png",
    ]
    assert b"src='https://cdn.example/i.png'" in decoded(archive, 1)
    assert archive.site.repaired == {"link to another host's folder": 1}
    assert not archive.site.hosts["cdn.example"].first_party


def test_a_folder_that_does_not_say_its_host_gets_one(tmp_path: Path) -> None:
    archive = imported(write(tmp_path / "site", {"index.html": b"<img src=/i.png>", "i.png": PNG}))
    assert list(archive.site.hosts) == ["site.example"]
    assert len(archive.exchanges) == 2


def test_a_folder_without_a_page_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"one index\.html, the page; found: none"):
        imported(write(tmp_path / "site", {"i.png": PNG}))
    two = {"a.example/index.html": b"a", "b.example/index.html": b"b"}
    folder = write(tmp_path / "two", two)
    with pytest.raises(InputError, match=r"found: .*, "):
        imported(folder)
    assert imported(folder, "https://b.example/").page.url == "https://b.example/"


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside", "/dev/zero", "nothing", "."])
def test_links_that_leave_the_folder_are_refused(tmp_path: Path, target: str) -> None:
    (tmp_path / "outside").write_text("outside")
    folder = write(tmp_path / "site", {"index.html": b"x"})
    (folder / "link").symlink_to(target)
    with pytest.raises(InputError):
        imported(folder)
    assert not (tmp_path / "archive").exists()
