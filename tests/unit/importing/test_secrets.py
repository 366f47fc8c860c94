"""Secrets that a load was recorded with: none is in its archive, and what stands in for one is the same
everywhere."""

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from pronghorn.archiving import Body, Draft, Making, Source, bodies
from pronghorn.sites import codings
from pronghorn.sites.archive import read

from .archives import decoded, entry, everything, har, imported

COOKIE = "tops3cr3tc00kie%2Fvalue"
SESSION = "correcthorsebatterystaple"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjdXN0b21lciA0MiJ9.dBjftJeZ4CVPmB92K27uhbUJU1p1r_wW1gFWFOEjXk"
BEARER = "ya29.a0AfB_byC-7hZ3kQ"
BASIC = "klara:hunter2hunter2"
API_KEY = "AIzaSyD-9tSrke72PouQMnMX"
TOKEN = "f00dfacecafe1234"
PASSWORD = "Sesam, öffne Dich!"
CSRF = "c5rfT0kenOfThePage99"
URL_USER = "urlpassw0rd"
PLANTED = [
    COOKIE,
    "tops3cr3tc00kie/value",
    SESSION,
    JWT,
    JWT.split(".")[1],
    BEARER,
    base64.b64encode(BASIC.encode()).decode(),
    "hunter2hunter2",
    API_KEY,
    TOKEN,
    PASSWORD,
    "Sesam%2C+%C3%B6ffne+Dich%21",
    CSRF,
    URL_USER,
    "customvalue77",
]
START = f"https://klara:{URL_USER}@shop.example/?token={TOKEN}&page=1"
AFTER = f"https://shop.example/start;jsessionid={TOKEN.upper()}?session={SESSION}#access_token={BEARER}"


def planted() -> dict[str, Any]:
    """A page whose load has secrets wherever one can be."""
    html = (
        f'<input type="hidden" name="csrf_token" value="{CSRF}"><meta name=csrf-token content="{CSRF}">'
        f'<script>const state = {{"accessToken": "{BEARER}", "id": "{JWT}"}}</script>'
        f"<a href='/logout?token={TOKEN}&amp;page=2'>{SESSION}</a> cookie {COOKIE} tops3cr3tc00kie/value "
    ) + "padding " * 200
    sent = {
        "cookie": f"sid={COOKIE}; theme=dark",
        "authorization": f"Bearer {BEARER}",
        "proxy-authorization": "Basic " + base64.b64encode(BASIC.encode()).decode(),
        "x-api-key": API_KEY,
        "x-shop-thing": "customvalue77",
        "referer": f"https://shop.example/?token={TOKEN}",
    }
    answer = json.dumps({"refresh_token": TOKEN, "echo": PASSWORD, "url": f"https:\\/\\/x/?key={API_KEY}"})
    return har(
        entry(
            START,
            status=302,
            text="",
            mime="text/html",
            headers={"location": AFTER, "set-cookie": f"sid={COOKIE}; Path=/; HttpOnly\nsession={SESSION}"},
        ),
        entry(
            AFTER,
            text=html,
            mime="text/html",
            sent=sent,
            headers={"content-encoding": "gzip", "x-session-token": SESSION},
        ),
        entry(
            "https://shop.example/login",
            method="POST",
            mime="application/json",
            text=answer,
            sent=sent,
            request={
                "postData": {
                    "mimeType": "application/x-www-form-urlencoded",
                    "text": "user=klara&password=Sesam%2C+%C3%B6ffne+Dich%21&otp=123456",
                }
            },
        ),
        entry(
            "https://api.example/v1",
            method="POST",
            mime="application/json",
            sent={"content-type": "application/json"},
            request={
                "postData": {
                    "mimeType": "application/json",
                    "text": json.dumps({"password": PASSWORD, "apiKey": API_KEY}),
                }
            },
        ),
        entry(
            f"https://cdn.example/{JWT}/a.js?sig={TOKEN}", mime="text/javascript", text=f"call('{SESSION}')"
        ),
        entry(
            "https://shop.example/upload",
            method="POST",
            text="",
            request={
                "postData": {
                    "mimeType": "multipart/form-data; boundary=B",
                    "text": f'--B\r\nContent-Disposition: form-data; name="token"\r\n\r\n{TOKEN}\r\n--B--',
                }
            },
        ),
    )


@pytest.fixture
def found(tmp_path: Path) -> bytes:
    imported(tmp_path, planted())
    return everything(tmp_path / "archive")


@pytest.mark.parametrize("secret", PLANTED)
def test_no_secret_is_in_an_archive(found: bytes, secret: str) -> None:
    spellings = (secret, json.dumps(secret)[1:-1], secret.lower())
    assert not [one for one in spellings if one.encode() in found.lower() or one.encode() in found]


def test_what_is_no_secret_stays(found: bytes) -> None:
    for word in (b"theme=", b"user=klara", b"page=1", b"padding", b"HttpOnly", b"csrf_token"):
        assert word in found


def test_a_stand_in_is_the_same_everywhere_and_as_long(tmp_path: Path) -> None:
    archive = imported(tmp_path, planted())
    redirect, page, *_ = archive.exchanges
    assert (
        redirect.header("location") == page.url + "#" + (redirect.header("location") or "").partition("#")[2]
    )
    assert page.initiator == redirect.id
    cookies = [value for name, value in redirect.headers if name == "set-cookie"]
    assert [len(one) for one in cookies] == [
        len(f"sid={COOKIE}; Path=/; HttpOnly"),
        len(f"session={SESSION}"),
    ]
    sent = dict(page.request_headers)
    assert sent["cookie"].partition(";")[0] == cookies[0].partition(";")[0]
    assert len(sent["authorization"]) == len(f"Bearer {BEARER}")
    body = decoded(archive, page.id).decode()
    assert cookies[1].partition("=")[2] in body
    assert redirect.url.partition("token=")[2].partition("&")[0] in body


def test_secrets_are_kept_if_one_asks(tmp_path: Path) -> None:
    imported(tmp_path, planted(), keep_secrets=True)
    kept = everything(tmp_path / "archive")
    for secret in (COOKIE, SESSION, JWT, BEARER, API_KEY, TOKEN, CSRF):
        assert secret.encode() in kept


def test_replaced_secrets_are_counted(tmp_path: Path) -> None:
    archive = imported(tmp_path, planted())
    assert set(archive.site.redacted) >= {"cookie", "form", "header", "token", "url"}


@pytest.mark.parametrize("coding", ["gzip", "br", "gzip, zstd"])
def test_a_compressed_post_is_searched_and_compressed_again(tmp_path: Path, coding: str) -> None:
    plain = json.dumps({"password": PASSWORD, "page": 1}).encode()
    written = codings.applied(plain, codings.named(coding))
    with Making(tmp_path / "archive", Source("2026-03-04T10:11:12Z", "test")) as making:
        making.take(Draft("https://shop.example/", kind="document"))
        making.take(posted(written, coding))
        making.finish()
    one = read(tmp_path / "archive").exchanges[1]
    assert one.request_body is not None
    found = codings.undone(read(tmp_path / "archive").body(one.request_body), codings.named(coding))
    assert found.startswith(b'{"password": "')
    assert found.endswith(b'", "page": 1}')
    assert len(found) == len(plain)
    assert found != plain


def test_a_post_whose_coding_is_broken_is_replaced_and_told(tmp_path: Path) -> None:
    source = Source("2026-03-04T10:11:12Z", "test")
    with Making(tmp_path / "archive", source) as making:
        making.take(Draft("https://shop.example/", kind="document"))
        making.take(posted(b"password=hunter2", "gzip"))
        making.finish()
    archive = read(tmp_path / "archive")
    assert archive.exchanges[1].request_bytes == len(b"password=hunter2")
    assert b"hunter2" not in everything(tmp_path / "archive")
    assert archive.site.repaired == {bodies.POSTED: 1}


HARMLESS = {
    "content-type;host": [
        ("Authorization", "AWS4-HMAC-SHA256 Credential=AKIA9/x, SignedHeaders=content-type;host")
    ],
    "/index.html": [("Authorization", 'Digest username="x", uri="/index.html", response="0a1b2c3d4e"')],
    "application/json": [("X-Token-Type", "application/json")],
    "actioncable-v1-json": [("Sec-WebSocket-Protocol", "actioncable-v1-json, v12.stomp")],
    "mobile-view": [("Cookie", "bypass=mobile-view; compass=mobile-view")],
}


@pytest.mark.parametrize("word", HARMLESS)
def test_harmless_words_of_headers_stay_in_scripts(tmp_path: Path, word: str) -> None:
    script = f"if (x === '{word}') y()".encode()
    page = Draft("https://shop.example/", kind="document", body=Body(script), request_headers=HARMLESS[word])
    with Making(tmp_path / "archive", Source("2026-03-04T10:11:12Z", "test")) as making:
        making.take(page)
        making.finish()
    assert script in everything(tmp_path / "archive")


LEFT_OUT = {
    "a request that failed": Draft(f"https://shop.example/p?token={TOKEN}", failed="failed or aborted"),
    "a WebSocket": Draft(f"wss://shop.example/live?token={TOKEN}", status=101),
    "an answer without a status": Draft(
        "https://shop.example/p", status=0, request_headers=[("x-api-key", TOKEN)]
    ),
    "a compressed POST that failed": Draft(
        "https://shop.example/p",
        "POST",
        failed="failed or aborted",
        request_headers=[("content-encoding", "gzip")],
        request_body=gzip.compress(f"token={TOKEN}".encode()),
    ),
    "what a response that failed holds": Draft(
        "https://shop.example/p",
        failed="failed or aborted",
        headers=[("content-type", "application/json")],
        body=Body(f'{{"access_token": "{TOKEN}"}}'.encode()),
    ),
    "a subprotocol": Draft(
        "wss://shop.example/live", status=101, request_headers=[("Sec-WebSocket-Protocol", f"auth, {TOKEN}")]
    ),
    "behind more headers than are kept": Draft(
        "https://shop.example/p",
        status=0,
        request_headers=[*[("x-more", "1")] * 600, ("authorization", f"Bearer {TOKEN}")],
    ),
}


@pytest.mark.parametrize("draft", LEFT_OUT.values(), ids=LEFT_OUT.keys())
def test_the_secrets_of_what_is_left_out_are_found_in_what_is_kept(tmp_path: Path, draft: Draft) -> None:
    script = f"connect('{TOKEN}')".encode()
    with Making(tmp_path / "archive", Source("2026-03-04T10:11:12Z", "test")) as making:
        making.take(Draft("https://shop.example/", kind="document", body=Body(script)))
        making.take(draft)
        told = making.finish()
    assert told.requests == 1
    assert sum(told.site.left_out.values()) == 1
    assert TOKEN.encode() not in everything(tmp_path / "archive")


def posted(content: bytes, coding: str) -> Draft:
    """A POST of a body with a coding."""
    headers = [("content-encoding", coding)]
    return Draft("https://shop.example/p", "POST", start_s=1, request_headers=headers, request_body=content)
