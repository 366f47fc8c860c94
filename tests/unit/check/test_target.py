"""What a person may name, and what is never repeated."""

import pytest

from pronghorn.check.target import Target, parse, redirected
from pronghorn.errors import InputError


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("shop.example", Target("shop.example", 443, "/")),
        ("https://Shop.Example./a?b=c#d", Target("shop.example", 443, "/a?b=c")),
        ("shop.example:8443/x", Target("shop.example", 8443, "/x")),
        ("https://[2001:db8::1]:8443", Target("2001:db8::1", 8443, "/")),
        ("https://bücher.example/", Target("xn--bcher-kva.example", 443, "/")),
    ],
)
def test_a_url_has_a_target(text: str, target: Target) -> None:
    assert parse(text) == target


@pytest.mark.parametrize(
    "text",
    [
        "",
        "https://",
        "http://shop.example/",
        "https://user:hunter2@shop.example/",
        "https://shop.example:0x/",
        "https://shop.example:99999/",
        "https://shop example/",
        "https://[::1/",
        "https://shop.example/a b?token=hunter2",
    ],
)
def test_anything_else_is_refused_without_its_secrets(text: str) -> None:
    with pytest.raises(InputError) as refused:
        parse(text)
    assert refused.value.hint
    assert "hunter2" not in refused.value.message + refused.value.hint


def test_a_query_is_not_shown() -> None:
    target = parse("https://[2001:db8::1]:8443/a?token=hunter2")
    assert target.shown == "https://[2001:db8::1]:8443/a?…"
    assert target.authority == "[2001:db8::1]:8443"


def test_a_redirect_leads_on() -> None:
    target = parse("https://shop.example/a/b")
    assert redirected(target, "/c?d") == Target("shop.example", 443, "/c?d")
    assert redirected(target, "https://www.shop.example/") == Target("www.shop.example", 443, "/")
    assert redirected(target, "http://shop.example/") is None
    assert redirected(target, "https://[") is None
