"""`pronghorn servers` says which servers are here and fetches the Debian suite that has what is asked."""

import platform
from pathlib import Path

import pytest

from pronghorn import servers as roots
from pronghorn.cli.servers import servers
from pronghorn.errors import HostError, InputError
from pronghorn.origins import programs

NGINX = "nginx version: nginx/{}\nbuilt with OpenSSL 3.6.5\nconfigure arguments: --with-http_v3_module"
HAPROXY = "HAProxy version {}\nFeature list : +QUIC"
CADDY = "caddyserver/caddy/v2 v2.11.7\nquic-go/quic-go v0.63.0"


def made(suite: str, nginx: str, haproxy: str) -> None:
    """A suite's root whose loader says of a program what that would say."""
    root = roots.root(suite)
    loader = root / "usr/lib" / f"{platform.machine()}-linux-gnu" / "ld-linux.so.2"
    loader.parent.mkdir(parents=True)
    loader.write_text(
        '#!/bin/sh\ncase "$3" in\n'
        f"*/nginx) echo '{NGINX.format(nginx)}' ;;\n*/haproxy) echo '{HAPROXY.format(haproxy)}' ;;\nesac\n"
    )
    loader.chmod(0o755)
    (root / roots.RECORD).write_text('{"packages": {"nginx": "1", "haproxy": "1"}}')


@pytest.fixture
def fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The suites that were fetched, in order. Only Caddy is here beforehand."""
    caddy = tmp_path / "bin" / "caddy"
    caddy.parent.mkdir()
    caddy.write_text(f"#!/bin/sh\necho '{CADDY}'\n")
    caddy.chmod(0o755)
    monkeypatch.setenv("PATH", f"{caddy.parent}:/usr/bin:/bin")
    monkeypatch.setenv("PRONGHORN_CADDY", str(caddy))
    monkeypatch.setenv("PRONGHORN_SERVERS", str(tmp_path / "servers"))
    monkeypatch.setattr(programs, "SYSTEM_FOLDERS", "")
    monkeypatch.setattr(programs, "shutil", _Nothing)
    seen: list[str] = []

    def make(suite: str) -> Path:
        seen.append(suite)
        if not roots.made(suite):
            made(suite, *{"trixie": ("1.26.3", "3.0.11"), "forky": ("1.30.6", "3.2.26")}[suite])
        return roots.root(suite)

    monkeypatch.setattr(roots, "make", make)
    return seen


class _Nothing:
    """A system without servers."""

    @staticmethod
    def which(name: str, path: str | None = None) -> None:
        """Nothing, wherever it is looked for."""


def test_without_names_one_suite_is_fetched_and_once(
    fetched: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    servers()
    assert fetched == ["forky"]
    said = capsys.readouterr().out
    assert f"nginx@1.30  1.30.6  {roots.root('forky')}/usr/sbin/nginx" in said
    assert f"haproxy@3.2  3.2.26  {roots.root('forky')}/usr/sbin/haproxy" in said
    assert "nginx@1.26  not here; to fetch it: pronghorn servers nginx@1.26" in said
    servers()
    assert fetched == ["forky"]


def test_a_version_is_fetched_with_the_suite_that_has_it(
    fetched: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    servers(["nginx@1.26"])
    assert fetched == ["trixie"]
    said = capsys.readouterr().out
    assert "nginx@1.26  1.26.3" in said
    assert "nginx@1.30  not here" in said


def test_with_haproxy_comes_the_nginx_that_serves_its_files(fetched: list[str]) -> None:
    servers(["haproxy@3.0"])
    assert fetched == ["trixie", "forky"]


def test_with_check_nothing_is_fetched(fetched: list[str]) -> None:
    with pytest.raises(HostError) as refused:
        servers(["haproxy@3.0"], check=True)
    assert refused.value.hint == "Type: pronghorn servers haproxy@3.0"
    assert fetched == []


def test_anew_fetches_again_what_is_here(fetched: list[str]) -> None:
    servers(["nginx"])
    servers(["nginx"], anew=True)
    assert fetched == ["forky", "forky"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nginx@1.25", "origin 'nginx@1.25': there is no such version here, and none can be fetched."),
        ("ngnix", "unknown server 'ngnix'; did you mean 'nginx'?"),
        ("nginx:tuned", "unknown server 'nginx:tuned'; did you mean 'nginx"),
        ("nginx@new", "'nginx@new': 'new' is no version"),
    ],
)
def test_what_can_not_be_fetched_is_refused(fetched: list[str], name: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        servers([name])
    assert said in refused.value.message
    assert fetched == []


def test_a_suite_that_has_moved_on_is_no_success(fetched: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roots, "make", lambda suite: made(suite, "1.32.0", "3.4.1"))
    with pytest.raises(HostError, match=r"is 1\.32\.0") as refused:
        servers(["nginx@1.30"])
    assert (
        refused.value.hint == "Debian testing has another by now. Known: nginx@1.26, nginx@1.30, nginx@1.32."
    )
    assert fetched == []
