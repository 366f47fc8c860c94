"""Where the gateway sends clients: only to where the very server block that offers it listens by QUIC."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates

from .answers import Answer
from .gateway import Gateway, alternative, gateway, policy

pytestmark = [pytest.mark.needs("nginx", "autoquic", "curl-http3"), pytest.mark.beside]

SERVER = """
    server {
        LISTENS
        listen 127.0.0.1:PORT ssl;
        server_name second.test;
        ssl_certificate origin.pem;
        ssl_certificate_key origin.key;
        location / { return 200 "second"; }
    }
"""


def offered(one: Gateway) -> tuple[list[str | None], list[str | None]]:
    """What the first server block says by Alt-Svc, and what the second."""
    return alternative(one.curl("--http2")), alternative([second(one)])


def second(one: Gateway) -> Answer:
    """The second server block's answer. It has no certificate of its own."""
    at = f"second.test:{one.port}:127.0.0.1"
    (answer,) = one.curl("--http1.1", "--insecure", "--resolve", at, host="second.test")
    assert answer.body == b"second"
    return answer


def test_a_server_block_without_a_listener_by_quic_offers_nothing_though_its_neighbour_has_one(
    identity: Certificates, tmp_path: Path
) -> None:
    more = SERVER.replace("LISTENS", "")
    with gateway(tmp_path, identity, policy_text=policy(0.7), more=more) as one:
        said = offered(one)
        logged = one.log(2)

    assert said == ([f'h3=":{one.port}"; ma=300'], [None])
    assert [line["decision"] for line in logged] == ["advertise", ""]


def test_a_server_block_that_shares_the_listener_offers_it_as_well(
    identity: Certificates, tmp_path: Path
) -> None:
    more = SERVER.replace("LISTENS", "listen 127.0.0.1:PORT quic;")
    with gateway(tmp_path, identity, policy_text=policy(0.7), more=more) as one:
        said = offered(one)

    assert said == ([f'h3=":{one.port}"; ma=300'], [f'h3=":{one.port}"; ma=300'])


def test_a_listener_on_another_port_of_the_address_is_offered_by_that_port(
    identity: Certificates, tmp_path: Path
) -> None:
    more = SERVER.replace("LISTENS", "listen 127.0.0.1:44321 quic;")
    with gateway(tmp_path, identity, policy_text=policy(0.7), more=more) as one:
        said = offered(one)

    assert said[1] == ['h3=":44321"; ma=300']


def test_a_listener_on_another_address_is_not_offered(identity: Certificates, tmp_path: Path) -> None:
    more = SERVER.replace("LISTENS", "listen 127.0.0.2:PORT quic;")
    with gateway(tmp_path, identity, policy_text=policy(0.7), more=more) as one:
        said = offered(one)

    assert said[1] == [None]


def test_a_port_that_is_named_is_offered_instead(identity: Certificates, tmp_path: Path) -> None:
    directives = "autoquic on; autoquic_port 4433;"
    with gateway(tmp_path, identity, policy_text=policy(0.7), directives=directives) as one:
        said = alternative(one.curl("--http2"))

    assert said == ['h3=":4433"; ma=300']


@pytest.mark.parametrize(
    "quic",
    [
        "127.0.0.1:PORT quic",
        "127.0.0.1:PORT quic reuseport",
        "*:PORT quic",
        "[::]:PORT quic ipv6only=off",
        "[::]:PORT quic ipv6only=off reuseport",
    ],
)
def test_an_ipv4_client_of_a_socket_of_both_families_is_offered_what_listens_on_its_address(
    quic: str, identity: Certificates, tmp_path: Path
) -> None:
    with both_families(identity, tmp_path, f"listen {quic}; listen [::]:PORT ssl ipv6only=off;") as one:
        said = alternative(one.curl("--http2"))

    assert said == [f'h3=":{one.port}"; ma=300']


@pytest.mark.parametrize("quic", ["127.0.0.2:PORT quic", "[::1]:PORT quic", "[::]:PORT quic"])
def test_an_ipv4_client_of_a_socket_of_both_families_is_offered_nothing_that_it_could_not_reach(
    quic: str, identity: Certificates, tmp_path: Path
) -> None:
    with both_families(identity, tmp_path, f"listen {quic}; listen [::]:PORT ssl ipv6only=off;") as one:
        said = alternative(one.curl("--http2"))

    assert said == [None]


@pytest.mark.parametrize("neighbour", ["127.0.0.1:PORT quic", "*:PORT quic"])
def test_a_listener_is_not_offered_where_another_server_block_has_one_that_fits_the_address_better(
    neighbour: str, identity: Certificates, tmp_path: Path
) -> None:
    listens = "listen [::]:PORT quic ipv6only=off; listen [::]:PORT ssl ipv6only=off;"
    more = SERVER.replace("LISTENS", f"listen {neighbour};").replace("listen 127.0.0.1:PORT ssl;", "")
    with both_families(identity, tmp_path, listens, more=more) as one:
        said = alternative(one.curl("--http2"))

    assert said == [None]


@contextmanager
def both_families(identity: Certificates, folder: Path, listens: str, more: str = "") -> Iterator[Gateway]:
    """A gateway whose first server block listens so."""
    with gateway(folder, identity, policy_text=policy(0.7), more=more, start=False) as one:
        usual = f"listen 127.0.0.1:{one.port} quic reuseport;\n        listen 127.0.0.1:{one.port} ssl;"
        assert usual in one.text
        one.write(one.text.replace(usual, listens.replace("PORT", str(one.port))))
        one.start()
        yield one
