"""Names of files that hold a query, as wget keeps them, answer the requests that pages make."""

from pathlib import Path

import pytest

from pronghorn.sites import build, lookup, names
from pronghorn.sites.names import Target


@pytest.mark.parametrize(
    ("file", "asked"),
    [
        ("/a.css", Target("/a.css")),
        ("/a.css?v=1", Target("/a.css?v=1")),
        ("/a.css?v=1", Target("/a.css", "v=1")),
        ("/a.css@v=1", Target("/a.css", "v=1")),
        ("/a.css@v=1", Target("/a.css@v=1")),
        ("/index.html?p=1", Target("/", "p=1")),
        ("/b/index.html", Target("/b/")),
        ("/css?f=A|B&u=%2Fc", Target("/css", "f=A|B&u=/c")),
        ("/css?f=A|B&u=%2Fc", Target("/css", "f=A%7CB&u=%2Fc")),
        ("/css?f=Open Sans", Target("/css", "f=Open%20Sans")),
        ("/css?f=A.css", Target("/css", "f=A")),
        ("/b/page.php?id=3.html", Target("/b/page.php", "id=3")),
        ("/a.js?q=d'e", Target("/a.js", "q=d%27e")),
        ("/a.js?q=é", Target("/a.js", "q=%C3%A9")),
    ],
)
def test_a_file_answers_the_requests_that_name_it(file: str, asked: Target) -> None:
    assert asked in names.targets(file)


@pytest.mark.parametrize(
    ("file", "asked"),
    [
        ("/a.css?v=1", Target("/a.css")),
        ("/me@home.png", Target("/me", "home.png")),
        ("/a.css?v=1.css", Target("/a.css", "v=1")),
    ],
)
def test_a_file_answers_no_other(file: str, asked: Target) -> None:
    assert asked not in names.targets(file)


@pytest.mark.parametrize(
    ("file", "ending", "url"),
    [
        ("/a.css", "css", "/a.css"),
        ("/a.css?v=6.4", "css", "/a.css?v=6.4"),
        ("/a.css@v=6.4", "css", "/a.css?v=6.4"),
        ("/b@1.2/a.min@6.4.js", "js", "/b%401.2/a.min%406.4.js"),
        ("/css?f=A.css", "css", "/css?f=A.css"),
        ("/icon@2x.png", "png", "/icon%402x.png"),
        ("/index.html", "html", "/"),
        ("/index.html?p=1", "html", "/?p=1"),
        ("/b/index.html", "html", "/b/index.html"),
        ("/what", "", "/what"),
    ],
)
def test_a_query_says_nothing_of_what_a_file_is(file: str, ending: str, url: str) -> None:
    assert (names.ending(file), names.url(file)) == (ending, url)


def test_a_folder_that_wget_made_is_a_site_whose_table_names_its_files(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    target.mkdir()
    (source / "index.html").write_text("<!DOCTYPE html><link rel=stylesheet href=style.css?v=6.4>")
    (source / "style.css?v=6.4").write_text("p {}")
    (source / "style.css").write_text("plain")
    site = build(f"dir:{source}", 1, target)
    kinds = {one.path: one.kind for one in site.resources}
    assert kinds == {"/": "document", "/style.css": "style", "/style.css?v=6.4": "style"}
    (entry,) = lookup.read(target)
    assert (entry.name, entry.codings) == ("1.css", ())
    assert ("/style.css", "v=6.4") in entry.queried
    assert entry.paths == ("/style.css?v=6.4",)
    assert (target / lookup.FOLDER / lookup.PLAIN / "1.css").read_text() == "p {}"
