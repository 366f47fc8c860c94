"""What is a secret, by its name and its place, and what stands in for one."""

import json
from urllib.parse import parse_qsl, urlsplit

import pytest

from pronghorn.redaction import Ledger, fields, headers, names, texts, urls

SECRET_NAMES = [
    "token", "access_token", "csrfmiddlewaretoken", "X-Amz-Security-Token", "apiKey", "api-key", "password",
    "userPassword", "client_secret", "JSESSIONID", "PHPSESSID", "session", "sid", "X-Amz-Signature", "jwt",
    "authenticity_token", "SAMLResponse", "code", "key", "auth",
]  # fmt: skip
PUBLIC_NAMES = [
    "q", "page", "utm_source", "author", "authors", "keyboard", "monkey", "passenger", "design", "codec", "v",
    "sort", "id", "assignee", "statement", "keys", "tokenizer",
]  # fmt: skip
SECRET_HEADERS = ["Cookie", "set-cookie", "Authorization", "X-Api-Key", "X-CSRF-Token", "X-Auth-Token"]
PUBLIC_HEADERS = [
    "Content-Type", "Cache-Control", "Surrogate-Key", "Access-Control-Allow-Credentials", "ETag",
    "Sec-WebSocket-Key", "Sec-Fetch-Dest", "Authority", "WWW-Authenticate",
]  # fmt: skip


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_names_of_secrets(name: str) -> None:
    assert names.secret(name)


@pytest.mark.parametrize("name", PUBLIC_NAMES)
def test_names_of_no_secrets(name: str) -> None:
    assert not names.secret(name)


def test_headers_by_their_names() -> None:
    assert [name for name in SECRET_HEADERS if not names.secret_header(name)] == []
    assert [name for name in PUBLIC_HEADERS if names.secret_header(name)] == []


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/p?token=abc%2Bdef&x=1&API_KEY=k",
        "https://a.example/p;jsessionid=ABC123?x=1",
        "/relative?x=1&session=zzz",
        "https://a.example/?x=1#access_token=abcd1234&x=2",
        "//a.example/?x=1&password=%C3%A4%20b",
    ],
)
def test_a_url_keeps_its_form_and_loses_its_secrets(url: str) -> None:
    ledger = Ledger()
    other = urls.redacted(url, ledger)
    assert len(other) == len(url)
    assert other != url
    assert urlsplit(other).path.partition(";")[0] == urlsplit(url).path.partition(";")[0]
    kept = [(name, value) for name, value in parse_qsl(urlsplit(url).query) if not names.secret(name)]
    assert set(kept) <= set(parse_qsl(urlsplit(other).query))
    assert urls.redacted(url, ledger) == other


def test_a_user_in_a_url_is_left_out() -> None:
    assert urls.redacted("https://me:pass@a.example/x", Ledger()) == "https://a.example/x"


def test_a_stand_in_is_of_the_same_kinds_of_characters() -> None:
    ledger = Ledger()
    secret = "Ab9-/_.=%~ü"
    other = ledger.stand_in(secret, "test")
    assert len(other) == len(secret)
    assert other != secret
    for one, two in zip(secret, other, strict=True):
        assert one.isdigit() == two.isdigit()
        assert one.isupper() == two.isupper()
        assert one == two or one.isalnum()


def test_stand_ins_tell_nothing_of_secrets() -> None:
    one, two = Ledger(), Ledger()
    assert (
        one.stand_in("hunter2", "test")
        == two.stand_in("letmein", "test")[:6] + one.stand_in("hunter2", "test")[6:]
    )


def test_a_secret_is_replaced_in_each_spelling() -> None:
    ledger = Ledger()
    ledger.everywhere('a+b/c&d="12', "test")
    spelt = [
        'a+b/c&d="12',
        "a%2Bb%2Fc%26d%3D%2212",
        "a+b/c&amp;d=&quot;12",
        'a+b/c&d=\\"12',
        'a+b\\/c&d=\\"12',
    ]
    other = ledger.texts(spelt)
    assert not set(other) & set(spelt)
    assert [len(one) for one in other] == [len(one) for one in spelt]
    assert ledger.texts(["nothing of it"]) == ["nothing of it"]


def test_plain_words_are_replaced_only_in_their_place() -> None:
    ledger = Ledger()
    fields.find("password=password&key=products&state=open", ledger)
    urls.find("https://a.example/?code=checkout", ledger)
    texts.find(['{"Password": "Password", "token": "tokenizer is a word", "key": "value"}'], ledger)
    page = 'type="password" products open checkout Password tokenizer'
    assert ledger.texts([page]) == [page]


def test_cookies_keep_names_and_attributes() -> None:
    told = [
        ("Set-Cookie", 'sid="abc=d"; Path=/; Max-Age=9; Secure'),
        ("Cookie", "a=1; bb=22; ccc"),
        ("Vary", "x"),
    ]
    other = headers.redacted(told, Ledger(), of_request=False)
    assert [len(value) for _, value in other] == [len(value) for _, value in told]
    assert other[0][1].endswith("; Path=/; Max-Age=9; Secure")
    assert other[0][1].startswith('sid="')
    assert "abc" not in other[0][1]
    assert other[2] == told[2]


@pytest.mark.parametrize(
    ("cookies", "secrets"),
    [
        ("a=1; bareSecretValue123", ["bareSecretValue123"]),
        ("my id=s3cretS3cretS3cret", ["s3cretS3cretS3cret"]),
        ("=s3cretvalue99; b=x=s3cret", ["s3cretvalue99", "x=s3cret"]),
        ('a="s3cretvalue99" ;; b=', ["s3cretvalue99"]),
    ],
)
@pytest.mark.parametrize("header", ["Cookie", "Set-Cookie"])
def test_cookies_without_a_name_or_with_a_strange_one_are_secrets(
    header: str, cookies: str, secrets: list[str]
) -> None:
    pairs = [(header, one) for one in ([cookies] if header == "Cookie" else cookies.split("; "))]
    other = "; ".join(value for _, value in headers.redacted(pairs, Ledger(), of_request=False))
    assert len(other) == len(cookies)
    assert not [secret for secret in secrets if secret in other]
    ledger = Ledger()
    headers.find(pairs, ledger)
    if "s3cretvalue99" in secrets:
        assert ledger.texts(["s3cretvalue99"]) != ["s3cretvalue99"]


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (
            r'{"body":"{\"password\":\"hunter2\",\"u\":\"https:\/\/x\/\"}","n":1}',
            r'{"body":"{\"password\":\"',
        ),
        (r'{"a":"{\"b\":\"{\\\"otp\\\":\\\"hunter2\\\"}\"}"}', r'{"a":"{\"b\":\"{\\\"otp\\\":\\\"'),
        (
            r'{"next":"https:\/\/x.example\/?token=hunter2&\u00fc=1"}',
            r'{"next":"https:\/\/x.example\/?token=',
        ),
        ("payload=%7B%22password%22%3A%22hunter2%22%7D&%C3%BC=1", "payload=%7B%22password%22%3A%22"),
        ("a=1&f=x%3D%c3%bc%26otp%3dhunter2+", "a=1&f=x%3D%c3%bc%26otp%3d"),
    ],
)
def test_a_secret_within_a_value_is_found(body: str, kept: str) -> None:
    other = fields.redacted(body, Ledger())
    assert "hunter2" not in other
    assert other.startswith(kept)
    assert other[len(kept) + 7 :] == body[len(kept) + 7 :]
    assert json.loads(other) if body.startswith("{") else parse_qsl(other)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/?dl=https%3A%2F%2Fshop.example%2Freset%3Ftoken%3DAbC123xyzAbC123xyz&x=1",
        "https://a.example/?dl=https://shop.example/reset?token=AbC123xyzAbC123xyz&x=1",
        "https://a.example/#/?dl=%2Freset%3Fa%3D%252Fb%253Ftoken%253DAbC123xyzAbC123xyz&x=1",
        "https://a.example/?dl=https%3A%2F%2Fme:AbC123xyzAbC123xyz%40shop.example%2F&x=1",
        "https://a.example/?q=%7B%22token%22%3A%22AbC123xyzAbC123xyz%22%2C%22u%22%3A%22a%3Db%22%7D&x=1",
    ],
)
def test_a_secret_of_a_url_within_a_url_is_found(url: str) -> None:
    secret = "AbC123xyzAbC123xyz"
    other = urls.redacted(url, Ledger())
    assert secret not in other
    before, _, after = url.partition(secret)
    assert other.startswith(before.partition("me:")[0])
    assert other.endswith(after)
    ledger = Ledger()
    urls.find(url, ledger)
    assert ledger.texts([secret]) != [secret]


@pytest.mark.parametrize(
    ("script", "secret"),
    [
        ('var csrfToken = "c5rfT0kenOfThePage99";', True),
        ('{apiKey: "AIzaSyD-9tSrke72PouQMnMX"}', True),
        ("x.access_token='c5rfT0kenOfThePage99'", True),
        ('<p data-csrf-token="c5rfT0kenOfThePage99">', True),
        ('{key: "product-card-12-of-20"}', False),
        ('authPath = "/api/v2/auth/login1"', False),
        ('monkey = "c5rfT0kenOfThePage99"', False),
    ],
)
def test_scripts_name_secrets_without_quotes(script: str, secret: bool) -> None:
    ledger = Ledger()
    texts.find([script], ledger)
    assert (ledger.texts([script]) != [script]) == secret


def test_json_stays_json_and_numbers_stay_numbers() -> None:
    body = '{"pin": "1", "otp": 123456, "nested": {"api_key": "a\\"b"}, "token": null, "page": 3}'
    other = fields.redacted(body, Ledger())
    assert len(other) == len(body)
    assert '"otp": 123456' not in other
    assert '"token": null, "page": 3}' in other
