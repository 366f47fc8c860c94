"""`pronghorn import` and `pronghorn record`: what they print, and what they say of bad input."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from pronghorn.cli.record import _mapping
from pronghorn.errors import InputError
from pronghorn.importing import bring

from .. import program

HARS = Path(__file__).parents[1] / "importing" / "hars"


Run = Callable[..., program.Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return partial(program.run, monkeypatch, capsys)


def test_an_import_says_what_it_made_and_what_it_left_out(run: Run, tmp_path: Path) -> None:
    said = run("import", str(HARS / "webpagetest.har"), "-o", str(tmp_path / "shop")).stdout
    assert f"{tmp_path / 'shop'}: 7 requests, 2 hosts, " in said
    assert "made up: 6 bodies that the source lacks, " in said
    assert "100 % of all bytes" in said
    assert "left out: 7 of another page" in said
    assert "secrets replaced: 1 cookie" in said


def test_an_import_of_a_whole_file_makes_nothing_up(run: Run, tmp_path: Path) -> None:
    said = run("import", str(HARS / "chrome.har"), "--out", str(tmp_path / "shop"), "--keep-secrets").stdout
    assert "made up" not in said
    assert "secrets" not in said
    assert "compressed again: 3 bodies" in said


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "no such file"),
        (b"<html>", "neither a HAR file"),
        (b'{"log": {"entries": []}}', "log.entries is empty"),
        (json.dumps({"log": {"entries": [{"request": {"url": "ws://x/"}}]}}).encode(), "WebSocket: 1"),
    ],
)
def test_bad_input_is_one_message_that_names_the_file(
    tmp_path: Path, content: bytes | None, says: str
) -> None:
    file = tmp_path / "site.har"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError) as error:
        bring(file, tmp_path / "shop")
    assert error.value.message.startswith(str(file))
    assert says in error.value.message
    assert not (tmp_path / "shop").exists()


@pytest.mark.parametrize(
    "words", [["--viewport", "big"], ["--viewport", "0x7"], ["--resolve", "shop.example"]]
)
def test_a_recording_that_cannot_be_is_refused_before_a_browser_starts(
    run: Run, tmp_path: Path, words: list[str]
) -> None:
    done = run("record", "https://shop.example/", "-o", str(tmp_path / "shop"), *words)
    assert done.status == 2
    assert words[0] in done.stderr


def test_an_address_that_is_none_is_not_recorded(run: Run, tmp_path: Path) -> None:
    done = run("record", "shop.example", "-o", str(tmp_path / "shop"))
    assert done.status == 2
    assert "not the address of a page" in done.stderr


@pytest.mark.parametrize(
    ("text", "mapping"),
    [
        ("shop.example=10.0.0.1", ("shop.example", "10.0.0.1")),
        ("*.example:443=127.0.0.1:8443", ("*.example:443", "127.0.0.1:8443")),
        ("shop.example=[::1]:8443", ("shop.example", "[::1]:8443")),
    ],
)
def test_hosts_are_mapped_to_addresses(text: str, mapping: tuple[str, str]) -> None:
    assert _mapping(text) == mapping
