"""What a person may name, and what is never repeated."""

import pytest

from pronghorn.check.target import Target, is_public, parse, redirected, same_site
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


@pytest.mark.parametrize("text", ["https://h:0/", "https://h/a\x7fb", "https://faß.example/"])
def test_what_libraries_would_change_or_choke_on_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse(text)
    assert redirected(parse("https://shop.example/"), text) is None


def test_a_site_has_one_host_with_or_without_www() -> None:
    one = parse("shop.example")
    assert same_site(one, parse("https://www.shop.example:8443/"))
    assert not same_site(one, parse("evil.example"))


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("9.9.9.9", True),
        ("127.0.0.1", False),
        ("10.0.0.1", False),
        ("169.254.169.254", False),
        ("2620:fe::fe", True),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("::ffff:10.0.0.1", False),
    ],
)
def test_a_network_of_somebody_s_own_is_not_public(address: str, public: bool) -> None:
    assert is_public(address) is public
