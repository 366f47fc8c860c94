"""URLs that can be asked about."""

import pytest

from pronghorn.errors import InputError
from pronghorn.evidence.target import target


def test_a_url_is_taken_apart_and_shown_without_its_query() -> None:
    one = target("https://www.example.org:8443/page?token=secret")
    assert one == ("www.example.org", 8443, "/page?token=secret")
    assert one.shown == "https://www.example.org:8443/page"
    assert target("https://[2001:db8::1]").authority == "[2001:db8::1]"
    assert target("https://www.example.org").document == "/"


@pytest.mark.parametrize(
    "url",
    [
        "https://",
        "https://a..b/",
        f"https://{'x' * 64}.example/",
        "https://www.example.org:0/",
        "https://www.example.org:99999/",
        "https://www.example.org/a b",
        "https://bücher.example/",
        "https://[::1/",
        "ftp://www.example.org/",
    ],
)
def test_what_is_no_address_of_https_is_refused(url: str) -> None:
    with pytest.raises(InputError):
        target(url)
