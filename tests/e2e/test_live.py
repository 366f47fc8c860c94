"""A live server by its URL: here one on loopback, with an authority of its own."""

import asyncio
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates
from pronghorn.engine import Engine

from .programme import Result, Run, run

pytestmark = [pytest.mark.needs("engine"), pytest.mark.beside]


def beside_a_live_server(
    root: Path, certificates: Certificates, folder: Path, arms: str, more: str
) -> Result:
    """A run against a server on loopback that serves `root`, which outlives it."""

    async def both() -> Result:
        engine = await Engine.start()
        try:
            await engine.request("open", path=None, seed=1, tcp_congestion_control="cubic", capture=None)
            served = await engine.request(
                "origin",
                root=str(root),
                certificate=str(certificates.chain),
                key=str(certificates.key),
                congestion_control={"tcp": "cubic", "quic": "cubic"},
            )
            (folder / "ca.pem").write_bytes(certificates.authority.read_bytes())
            (folder / "live.toml").write_text(
                f'origins = ["https://127.0.0.1:{served["port"]}/?page=1"]\n'
                f"arms = {arms}\nrepeat = 2\n{more}",
                encoding="utf-8",
            )
            return await asyncio.to_thread(run, "run", "live.toml", "--out", "out", folder=folder)
        finally:
            await engine.stop()

    return asyncio.run(both())


def test_a_live_server_is_measured_without_a_path(tiny: Path, identity: Certificates, tmp_path: Path) -> None:
    result = beside_a_live_server(tiny, identity, tmp_path, '["h1", "h2", "h3"]', 'authority = "ca.pem"')
    assert result.status == 0, result.stderr
    found = Run(tmp_path / "out")
    for trial in found.trials():
        assert trial.status == "ok", trial.detail
        assert (trial.cell.site, trial.cell.path) == ("live", "direct")
        assert trial.metrics.protocols == {trial.arm: 1}
        assert not trial.origin_log_kept
    codes = {warning["code"] for warning in found.manifest()["warnings"]}
    assert "proof-by-client-only" in codes
    (kept,) = (tmp_path / "out" / "configurations").iterdir()
    assert kept.read_bytes() == identity.authority.read_bytes()
    again = run("run", "--resume", "out", folder=tmp_path)
    assert again.status == 0, again.stderr


def test_a_live_server_that_another_authority_vouches_for_is_not_trusted(
    tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    """Without the key `authority` the system's are trusted, and this one is none of them."""
    result = beside_a_live_server(tiny, identity, tmp_path, '["h2"]', "")
    assert result.status == 4, result.stderr
    assert (
        "Nothing was measured, because the load before the first trial failed. h2 at https://127.0.0.1:"
        in result.stderr
    )
    assert "tls: " in result.stderr
    assert "--set authority=FILE" in result.stderr
    assert Run(tmp_path / "out").trials() == [], "one load told it"


def test_a_live_server_without_http_3_ends_the_run_before_its_first_trial(
    tiny: Path, identity: Certificates, tmp_path: Path
) -> None:
    with serving(tiny, identity) as port:
        (tmp_path / "ca.pem").write_bytes(identity.authority.read_bytes())
        (tmp_path / "live.toml").write_text(
            f'origins = ["https://127.0.0.1:{port}/"]\narms = ["h1", "h3"]\nbaseline = "h1"\nrepeat = 20\n'
            'limit = "2s"\nauthority = "ca.pem"\n',
            encoding="utf-8",
        )
        result = run("run", "live.toml", "--out", "out", folder=tmp_path)
    assert result.status == 4, result.stderr
    said = " ".join(result.stderr.split())
    assert f"h3 at https://127.0.0.1:{port}/ with native, site live: " in said
    assert "h1 loaded." in said
    assert "or leave h3 out: --set arms=h1." in said
    reasons = {one["arm"]: one["reason"] for one in Run(tmp_path / "out").manifest()["preflight"]}
    assert reasons["h1"] is None
    assert reasons["h3"] in ("timeout", "connect")


@contextmanager
def serving(root: Path, certificates: Certificates) -> Iterator[int]:
    """A server of `root` on loopback that speaks HTTP/1.1 over TLS and nothing else; its port."""

    class Handler(SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificates.chain, certificates.key)
    context.set_alpn_protocols(["http/1.1"])
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(root)))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
