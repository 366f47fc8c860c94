"""Every origin finds a site's files alike: those whose names hold a query, and those that lie there
compressed."""

import asyncio
import base64
import gzip
import json
import sys
from pathlib import Path
from typing import Any

import brotli
import pytest

from pronghorn import origins, sites
from pronghorn.certificates import HOST_NAME, Certificates

from .benches import until
from .foreign_origins import FOREIGN, HEADERS, Served, serving

pytestmark = [pytest.mark.needs("engine", "namespaces"), pytest.mark.beside]

# Asks for a list of [path, headers] over HTTP/1.1; writes a list of [status, headers, body].
ASKS = """\
import base64, json, socket, ssl, sys, http.client
address, port, authority, name, asked = sys.argv[1:]
context = ssl.create_default_context(cafile=authority)
answers = []
for path, said in json.loads(asked):
    connection = http.client.HTTPSConnection(name, int(port), context=context)
    plain = socket.create_connection((address, int(port)))
    connection.sock = context.wrap_socket(plain, server_hostname=name)
    connection.request("GET", path, headers=said)
    got = connection.getresponse()
    headers = {key.lower(): value for key, value in got.getheaders()}
    answers.append([got.status, headers, base64.b64encode(got.read()).decode()])
    connection.close()
print(json.dumps(answers), flush=True)
"""

CHROMIUM = "gzip, deflate, br, zstd"
STYLE = b"".join(b".rule-%d { color: rgb(%d, 0, 0) }\n" % (number, number % 256) for number in range(200))
SCRIPT = b"// plain script, too small to be compressed\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as wget makes one, compressed."""
    folder = tmp_path_factory.mktemp("mirror")
    (folder / "sub").mkdir()
    for name, content in (
        ("index.html", b"<!DOCTYPE html><title>Home</title>"),
        ("index.html?p=1", b"<!DOCTYPE html><title>One</title>"),
        ("style.css?v=6.4", STYLE),
        ("print.css", STYLE[::-1]),
        ("app.js@ver=2", SCRIPT),
        ("sub/index.html", b"<!DOCTYPE html><title>Sub</title>"),
        ("sub/css?family=A|B", b"p {}"),
        ("both.txt", b"plain"),
        ("both.txt.zst", b"zstandard"),
        ("both.txt.gz", b"gzip"),
    ):
        (folder / name).write_bytes(content)
    root = tmp_path_factory.mktemp("site")
    sites.build(f"dir:{folder}", 1, root, compressed=True)
    return root


async def asked(served: Served, folder: Path, requests: list[tuple[str, dict[str, str]]]) -> list[Any]:
    out = folder / "answers"
    setup = served._setup
    words = [setup.address, str(setup.port), str(setup.certificates.authority), HOST_NAME]
    argv = [sys.executable, "-I", "-c", ASKS, *words, json.dumps(requests)]
    said = folder / "said"
    engine = served._bench.engine
    await engine.request("spawn", host="client", argv=argv, stdout=str(out), stderr=str(said))
    await until("answers", lambda: out.exists() and b"\n" in out.read_bytes(), said)
    return list(json.loads(out.read_bytes()))


@pytest.mark.parametrize("name", ["builtin", *FOREIGN])
def test_files_are_found_by_their_queries_and_sent_as_they_lie_there_compressed(
    name: str, root: Path, identity: Certificates, tmp_path: Path
) -> None:
    css, js, html = "text/css", "text/javascript", "text/html"
    expected: list[tuple[str, str, int, str | None, bytes | None, str | None]] = [
        # The request, what it takes, and the answer: status, media type, body, coding.
        ("/style.css?v=6.4", "", 200, css, STYLE, None),
        ("/style.css?v=6.4", CHROMIUM, 200, css, STYLE, "br"),
        ("/style.css%3Fv=6.4", "gzip", 200, css, STYLE, "gzip"),
        ("/style.css?v=6.5", CHROMIUM, 404, None, None, None),
        ("/print.css?ver=1", CHROMIUM, 200, css, STYLE[::-1], "br"),
        ("/print.css", "br;q=0, gzip;q=0.5", 200, css, STYLE[::-1], "gzip"),
        ("/print.css", "br;q=0, gzip;q=0.0, identity", 200, css, STYLE[::-1], None),
        ("/app.js?ver=2", CHROMIUM, 200, js, SCRIPT, None),
        ("/app.js@ver=2", CHROMIUM, 200, js, SCRIPT, None),
        ("/?p=1", CHROMIUM, 200, html, b"<!DOCTYPE html><title>One</title>", None),
        ("/?utm=x", CHROMIUM, 200, html, b"<!DOCTYPE html><title>Home</title>", None),
        ("/sub/", CHROMIUM, 200, html, b"<!DOCTYPE html><title>Sub</title>", None),
        ("/sub/css?family=A|B", CHROMIUM, 200, None, b"p {}", None),
        ("/sub/css?family=A%7CB", CHROMIUM, 200, None, b"p {}", None),
        ("/both.txt", CHROMIUM, 200, "text/plain", b"zstandard", "zstd"),
        ("/both.txt", "br, gzip", 200, "text/plain", b"gzip", "gzip"),
    ]

    async def scenario() -> tuple[list[Any], set[str]]:
        documents = {"cache-control": "no-cache"}
        made = serving(origins.find(name), "h1", root, identity, tmp_path, document_headers=documents)
        async with made as served:
            wanted = [(path, {"Accept-Encoding": takes} if takes else {}) for path, takes, *_ in expected]
            answers = await asked(served, tmp_path, wanted)
            log = await served.log(len(expected))
            return answers, {one.path for one in log.requests}

    answers, logged = asyncio.run(scenario())
    for (path, takes, status, kind, body, coding), (got, headers, content) in zip(
        expected, answers, strict=True
    ):
        where = (path, takes, headers)
        assert got == status, where
        if body is None:
            continue
        assert headers.get("content-encoding") == coding, where
        if kind is not None:
            assert headers["content-type"].partition(";")[0] == kind, where
        assert decoded(content, coding, body) == body, where
        if coding is not None:
            assert "accept-encoding" in headers["vary"].lower(), where
        expected_cache = "no-cache" if kind == html else HEADERS["cache-control"]
        assert headers["cache-control"] == expected_cache, where
    assert logged >= {path for path, *_ in expected}


def decoded(content: str, coding: str | None, body: bytes) -> bytes:
    raw = base64.b64decode(content)
    if coding == "br":
        return bytes(brotli.decompress(raw))
    # A folder's own compressed files are sent as they are.
    return gzip.decompress(raw) if coding == "gzip" and body != b"gzip" else raw
