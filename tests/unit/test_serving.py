"""What `pronghorn serve` and `pronghorn browse` take, and what they refuse."""

from pathlib import Path

import pytest

from pronghorn import browsing, certificates, serving
from pronghorn.errors import InputError
from pronghorn.load.spec import Protocol

from .laboratory import Laboratory


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name what to serve"),
        (["public", "--proxy", "http://127.0.0.1:1"], "name what to serve"),
        (["public", "--cert", "cert.pem"], "--cert and --key belong together"),
        (["public", "--cert", "no.pem", "--key", "no.key"], "--cert: no.pem: there is no such file"),
        (["public", "--address", "localhost"], "--address: 'localhost' is no IP address"),
    ],
)
def test_what_can_not_be_served_is_refused_with_what_to_write(
    words: list[str], said: str, laboratory: Laboratory
) -> None:
    result = laboratory.run("serve", *words)
    assert result.status == 2
    assert said in result.stderr


def test_a_site_is_a_folder_or_a_generated_one(tmp_path: Path) -> None:
    public = tmp_path / "public"
    public.mkdir()
    (public / "index.html").write_text("page", encoding="utf-8")
    assert serving.root(str(public), tmp_path) == public
    made = tmp_path / "made"
    made.mkdir()
    assert (serving.root("cms", made) / "index.html").exists()
    for site, said in (("cmss", "did you mean 'cms'"), ("storefront", "several hosts")):
        with pytest.raises(InputError, match=said):
            serving.root(site, tmp_path)


def test_a_browser_speaks_what_it_is_asked_to_and_trusts_one_certificate(tmp_path: Path) -> None:
    made = certificates.make(tmp_path)

    def line(url: str, protocol: Protocol | None, trusted: Path | None = made.chain) -> list[str]:
        return browsing.switches(url, protocol, trusted, tmp_path, dump=False)

    url = "https://localhost:8443/a"
    assert {"--disable-http2", "--disable-quic"} <= {*line(url, "h1")}
    assert "--disable-quic" in line(url, "h2")
    assert "--origin-to-force-quic-on=localhost:8443" in line(url, "h3")
    assert "--origin-to-force-quic-on=[::1]:443" in line("https://[::1]/", "h3")
    found_out = line(url, None)
    assert "--origin-to-force-quic-on=localhost:8443" not in found_out
    (trusting,) = (word for word in found_out if word.startswith("--ignore-certificate-errors-spki-list="))
    assert "," not in trusting
    assert not any(word.startswith("--ignore-certificate-errors") for word in line(url, "h2", None))


@pytest.mark.parametrize(
    ("url", "trusted", "said"),
    [
        ("http://localhost/", None, "over TLS alone"),
        ("https://localhost:99999/", None, "its port"),
        ("https://localhost/", "none.pem", "--trust: .*none.pem: No such file"),
        ("https://localhost/", "empty.pem", "no certificate in PEM"),
    ],
)
def test_what_can_not_be_browsed_is_refused(url: str, trusted: str | None, said: str, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").touch()
    file = tmp_path / trusted if trusted else None
    with pytest.raises(InputError, match=said):
        browsing.switches(url, "h3", file, tmp_path, dump=True)


def test_a_protocol_that_there_is_not_is_refused(laboratory: Laboratory) -> None:
    result = laboratory.run("browse", "https://localhost/", "--http", "h4")
    assert result.status == 2
    assert "--http: unknown protocol 'h4'" in result.stderr
