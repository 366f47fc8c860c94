"""Lists of targets: vegeta's formats, access logs, weights, and lists too long to be told at once."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pronghorn.load import targets
from pronghorn.load.bodies import Spool
from pronghorn.load.fields import USER_AGENT

from .conftest import Generator

URL = "https://127.0.0.1:8443/"
OURS = ["user-agent", USER_AGENT]


def test_vegetas_json_says_method_headers_and_body(generator: Generator, tmp_path: Path) -> None:
    lines = [
        {"method": "PUT", "url": f"{URL}a", "header": {"X-Id": ["1", "2"]}, "body": "aGVsbG8="},
        {"url": "/b", "header": {"User-Agent": ["mine"]}, "weight": 3},
        {"method": "GET", "url": f"{URL}c"},
    ]
    (tmp_path / "list").write_text("\n".join(json.dumps(line) for line in lines))
    first, second, third = generator.asked(URL, "-i", "list")["targets"]
    assert (first["method"], first["url"], first["body"]) == ("PUT", f"{URL}a", "aGVsbG8=")
    assert first["headers"] == [OURS, ["x-id", "1"], ["x-id", "2"]]
    assert (second["url"], second["headers"], second["weight"]) == (f"{URL}b", [["user-agent", "mine"]], 3)
    assert (third["method"], third["body"], third["weight"]) == ("GET", None, 1)


def test_vegetas_http_format_says_headers_and_a_file_below_the_target(
    generator: Generator, tmp_path: Path
) -> None:
    (tmp_path / "body").write_bytes(b"hello")
    (tmp_path / "list").write_text(
        f"GET {URL}a\nX-Id: 8675309\n\n# with a body\nPOST {URL}b\nContent-Type: text/plain\n@body\n"
        f"DELETE {URL}c\n{URL}d weight=9\n/e\nx: y\n"
    )
    asked = generator.asked(URL, "-i", "list", "-H", "x-all: 1")["targets"]
    ours = [OURS, ["x-all", "1"]]
    assert [(target["method"], target["url"].removeprefix(URL)) for target in asked] == [
        ("GET", "a"),
        ("POST", "b"),
        ("DELETE", "c"),
        ("GET", "d"),
        ("GET", "e"),
    ]
    assert [target["headers"] for target in asked] == [
        [*ours, ["x-id", "8675309"]],
        [*ours, ["content-type", "text/plain"]],
        ours,
        ours,
        [*ours, ["x", "y"]],
    ]
    assert asked[1]["body"] == base64.b64encode(b"hello").decode()
    assert [target["weight"] for target in asked] == [1, 1, 1, 9, 1]


def test_an_access_log_is_asked_again_as_far_as_it_can_be(generator: Generator, tmp_path: Path) -> None:
    entry = '192.0.2.1 - - [26/Nov/2026:14:20:14 +0000] "{}" 200 612 "-" "curl/8"'
    lines = [
        "GET /a?b=c HTTP/1.1",
        "POST /order HTTP/2.0",
        "HEAD /d HTTP/3.0",
        "\\x16\\x03",
        "GET /a HTTP/1.1",
    ]
    (tmp_path / "access.log").write_text("".join(f"{entry.format(line)}\n" for line in lines))
    asked = generator.asked(URL, "-i", "access.log")["targets"]
    assert [(target["method"], target["url"].removeprefix(URL)) for target in asked] == [
        ("GET", "a?b=c"),
        ("HEAD", "d"),
        ("GET", "a"),
    ]
    result = generator.run(URL, "-i", "access.log")
    assert (
        "note: access.log, line 2 and 1 more: left out, since this is no GET, HEAD or OPTIONS that can be "
        "sent again." in result.stderr
    )


def test_h2loads_list_is_one_of_urls_of_the_first_ones_host(generator: Generator, tmp_path: Path) -> None:
    (tmp_path / "list").write_text(f"{URL}\n{URL}style.css\n{URL}logo.png\n")
    asked = generator.asked("-i", "list")["targets"]
    assert [target["url"] for target in asked] == [URL, f"{URL}style.css", f"{URL}logo.png"]


def listed(text: str, *urls: str, method: str | None = None) -> tuple[targets.Listed, list[str]]:
    """What is read of a list, and the lines of the engine's file."""
    file = Path("list")
    file.write_text(text)
    spool = Spool()
    found = targets.read(targets.Wanted(urls, input_file="list", method=method), spool)
    lines = [] if found.file is None else Path(found.file).read_text().splitlines()
    return found, lines


def test_a_long_list_goes_to_the_engine_as_a_file_of_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "".join(f"{URL}{number}?q\n" for number in range(1500))
    found, lines = listed(text + 'POST /x\n{"url": "/y", "weight": 2}\nGET /z\n')
    assert (found.number, len(lines), len(found.targets)) == (1503, 1503, 1)
    assert (str(found.host), found.targets[0].url) == (URL.rstrip("/"), URL)
    assert (lines[0], lines[1499], lines[1502]) == ("/0?q", "/1499?q", "/z")
    assert json.loads(lines[1500]) == {
        "url": f"{URL}x",
        "method": "POST",
        "headers": [OURS],
        "body": None,
        "body_file": None,
        "weight": 1,
    }
    assert json.loads(lines[1501])["weight"] == 2
    _, all_head = listed(text, URL, method="HEAD")
    assert all_head[0] == "/0?q", "the template says HEAD"


def test_a_list_s_file_is_told_and_counted(generator: Generator, tmp_path: Path) -> None:
    (tmp_path / "list").write_text("".join(f"/{number}\n" for number in range(2000)))
    asked = generator.asked(URL, "-i", "list", "-o", "out", "--json")
    assert asked["target_file"].startswith("/proc/")
    assert json.loads((tmp_path / "out").read_text())["asked"]["targets"] == 2000
    generator.run(URL, "-i", "list", "-o", "out")
    assert "https://127.0.0.1:8443/ and 1999 more over" in (tmp_path / "out").read_text()


def test_a_wrong_line_far_down_is_told_before_anything_is_sent(generator: Generator, tmp_path: Path) -> None:
    (tmp_path / "list").write_text("/a\n" * 3000 + "/b c d\n")
    result = generator.run(URL, "-i", "list")
    assert (result.status, "list, line 3001: " in result.stderr) == (2, True)
    assert not (tmp_path / "asked.json").exists()


def test_a_list_that_is_read_takes_no_memory(tmp_path: Path) -> None:
    """20 000 lines of 1000 bytes are 20 MB; the most that a process had in memory is of all its life."""
    (tmp_path / "list").write_text("".join(f"/{number}?{'x' * 990}\n" for number in range(20_000)))
    code = (
        "from pathlib import Path\nfrom pronghorn.load import targets\n"
        "from pronghorn.load.bodies import Spool\n"
        "def most(): return int(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])\n"
        "before = most()\n"
        f"found = targets.read(targets.Wanted(({URL!r},), input_file='list'), Spool())\n"
        "print(found.number, most() - before)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = [sys.executable, "-c", code]
    done = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    number, grown_kib = map(int, done.stdout.split())
    assert number == 20_000
    assert 0 <= grown_kib < 5_000


def test_a_body_from_stdin_or_a_large_file_is_read_by_the_engine(
    generator: Generator, tmp_path: Path
) -> None:
    (tmp_path / "large").write_bytes(b"x" * 100_000)
    target = generator.asked(URL, "--data", "large")["targets"][0]
    assert (target["method"], target["body"]) == ("POST", None)
    assert target["body_file"] == str(tmp_path / "large")
