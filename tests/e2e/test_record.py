"""`pronghorn record` against a site of three hosts: all that the page loaded, as it was sent, without its
secrets."""

import subprocess
import sys
from pathlib import Path

import pytest

from pronghorn import certificates
from pronghorn.sites import codings
from pronghorn.sites.archive import Archive, read

from . import recorded_site
from .programme import Run, assert_ended, run
from .recorded_site import HOSTS, PAGE, PNG, SECRETS, SPOILT, STYLE

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.beside]


def record(folder: Path, *more: str, limit_s: float = 300) -> "subprocess.CompletedProcess[str]":
    """Records the page into `folder/archive`."""
    identity = certificates.make(folder)
    with recorded_site.serving(identity) as port:
        words = [
            "record",
            "https://shop.example/",
            "--out",
            str(folder / "archive"),
            "--trust",
            str(identity.chain),
            "--resolve",
            f"*.example=127.0.0.1:{port}",
        ]
        return subprocess.run(
            [sys.executable, "-m", "pronghorn", *words, *more],
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
        )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("record")
    done = record(folder)
    assert done.returncode == 0, done.stderr
    (folder / "said").write_text(done.stdout)
    return folder


@pytest.fixture(scope="module")
def archive(folder: Path) -> Archive:
    return read(folder / "archive")


def test_all_that_the_page_loaded_is_there(archive: Archive) -> None:
    told = {
        (one.method, one.target.host, one.target.path.partition("?")[0]): (one.status, one.kind, one.how)
        for one in archive.exchanges
    }
    assert told == {
        ("GET", "shop.example", "/"): (200, "document", "other"),
        ("GET", "shop.example", "/s.css"): (200, "style", "parser"),
        ("GET", "cdn.example", "/i.png"): (200, "image", "parser"),
        ("GET", "shop.example", "/a.js"): (200, "script", "parser"),
        ("GET", "shop.example", "/bg.png"): (200, "image", "style"),
        ("POST", "shop.example", "/api"): (200, "fetch", "script"),
        ("GET", "shop.example", "/r"): (302, "fetch", "script"),
        ("GET", "shop.example", "/api2"): (200, "fetch", "redirect"),
        ("OPTIONS", "cdn.example", "/x.json"): (204, "fetch", "preflight"),
        ("GET", "cdn.example", "/x.json"): (200, "fetch", "script"),
        # A script made these two images while the parser waited for it, which Chromium calls the parser's.
        ("GET", "shop.example", "/none"): (204, "image", "parser"),
        ("GET", "shop.example", "/gone"): (404, "image", "parser"),
        ("GET", "frame.example", "/f.html"): (200, "document", "parser"),
        ("GET", "frame.example", "/in"): (200, "fetch", "script"),
        ("GET", "shop.example", "/spoilt.png"): (200, "image", "parser"),
        ("GET", "shop.example", "/lazy.png"): (200, "image", "parser"),
    }
    assert all(one.protocol == "h1" and one.priority for one in archive.exchanges)
    assert archive.site.left_out["WebSocket"] == 1
    assert archive.site.left_out["event stream"] >= 1


def test_bodies_are_as_they_were_sent(archive: Archive) -> None:
    by_path = {one.target.path: one for one in archive.exchanges}
    style, image, page = by_path["/s.css"], by_path["/i.png"], archive.page
    assert style.body is not None
    assert image.body is not None
    assert page.body is not None
    assert archive.body(style.body) == STYLE
    assert archive.body(image.body) == PNG
    assert not style.recoded
    # The page named its visitor's session, so it was compressed again.
    plain = codings.undone(archive.body(page.body), ["gzip"])
    assert page.recoded
    assert len(plain) == len(codings.undone(PAGE, ["gzip"]))
    assert by_path["/spoilt.png"].body_bytes == len(SPOILT)
    assert archive.site.made.bodies == 0


def test_frames_and_initiators_are_named(archive: Archive) -> None:
    by_path = {one.target.path: one for one in archive.exchanges}
    frame, within = by_path["/f.html"], by_path["/in"]
    assert within.document == frame.id
    assert frame.document is None
    assert by_path["/bg.png"].initiator == by_path["/s.css"].id
    assert by_path["/r"].initiator == by_path["/a.js"].id


def test_times_lie_within_the_load_and_what_scrolling_brought_after_it(archive: Archive) -> None:
    assert archive.site.load_s is not None
    lazy = next(one for one in archive.exchanges if one.target.path == "/lazy.png")
    assert archive.page.start_s == 0
    assert archive.page.wait_s > 0
    assert lazy.start_s > archive.site.load_s
    assert set(archive.site.hosts) == set(HOSTS)
    assert {host.group for host in archive.site.hosts.values()} == {1}


def test_no_secret_of_the_load_is_in_the_archive(folder: Path, archive: Archive) -> None:
    found = b"".join(one.read_bytes() for one in folder.rglob("archive/**/*") if one.is_file())
    for one in archive.exchanges:
        if one.body is not None:
            coding = codings.named(one.header("content-encoding"))
            found += codings.undone(archive.body(one.body), coding)
    assert [secret for secret in SECRETS if secret.encode() in found] == []
    assert len(dict(archive.page.headers)["Set-Cookie"]) == len("b=2")


def test_what_was_recorded_is_printed(folder: Path) -> None:
    said = (folder / "said").read_text()
    assert "16 requests, 3 hosts" in said
    assert "secrets replaced:" in said
    assert "left out:" in said


@pytest.mark.needs("guest")
def test_what_was_recorded_is_measured_with_all_its_hosts(folder: Path) -> None:
    asked = ("--set", "sites=archive", "--set", "paths=lte", "--set", "arms=h2,h3", "--set", "repeat=1")
    done = run("run", "--clock", "virtual", "--out", "out", *asked, folder=folder)
    assert_ended(done)
    loads = {trial.arm: trial for trial in Run(folder / "out").trials()}
    assert set(loads) == {"h2", "h3"}
    for arm, trial in loads.items():
        assert trial.status == "ok", trial.detail
        assert trial.page is not None
        hosts = {one.path.partition("//")[2].partition("/")[0]: one.protocol for one in trial.page.resources}
        # The page's own host has no name in a path; nobody but it is known to speak HTTP/3.
        assert hosts == {"": arm, "cdn.example": "h1", "frame.example": "h1"}


def test_a_page_that_cannot_be_loaded_leaves_nothing(tmp_path: Path) -> None:
    words = ["record", "https://shop.example/", "-o", str(tmp_path / "archive")]
    done = subprocess.run(
        [sys.executable, "-m", "pronghorn", *words, "--resolve", "shop.example=127.0.0.1:1"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 4
    assert "the page can't be loaded: net::ERR_" in done.stderr
    assert list(tmp_path.iterdir()) == []
