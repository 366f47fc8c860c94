"""The page loader finds every resource of a generated site, and each comes whole, as the kind that it is."""

import asyncio
from pathlib import Path

import pytest

from pronghorn import certificates
from pronghorn.certificates import HOST_NAME
from pronghorn.engine import Engine
from pronghorn.model.trial import PageLoad
from pronghorn.sites import build, known

pytestmark = pytest.mark.needs("engine")

CONTROLS = {"tcp": "cubic", "quic": "cubic"}
LIMIT_S = 60.0


async def load(root: Path, identity: certificates.Certificates, protocol: str) -> PageLoad:
    """Navigates to the site over loopback."""
    engine = await Engine.start()
    try:
        await engine.request("open", path=None, seed=1, tcp_congestion_control="cubic")
        origin = await engine.request(
            "origin",
            root=str(root),
            certificate=str(identity.chain),
            key=str(identity.key),
            congestion_control=CONTROLS,
        )
        page = await engine.request(
            "load",
            patience_s=LIMIT_S + 10,
            host_name=HOST_NAME,
            document="/",
            port=origin["port"],
            protocol=protocol,
            ca=str(identity.authority),
            congestion_control=CONTROLS,
            limit_s=LIMIT_S,
        )
    finally:
        await engine.stop()
    return PageLoad.model_validate(page)


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory) -> certificates.Certificates:
    return certificates.make(tmp_path_factory.mktemp("identity"))


@pytest.mark.parametrize("protocol", ["h1", "h2", "h3"])
@pytest.mark.parametrize("spec", known())
def test_a_load_takes_exactly_what_was_built(
    spec: str, protocol: str, tmp_path: Path, identity: certificates.Certificates
) -> None:
    root = tmp_path / "site"
    root.mkdir()
    site = build(spec, 1, root)
    page = asyncio.run(load(root, identity, protocol))
    assert page.outcome == "ok", page.detail
    loaded = sorted((found.path, found.kind, found.bytes) for found in page.resources)
    assert loaded == sorted((resource.path, resource.kind, resource.size) for resource in site.resources)
    assert page.bytes == site.total_bytes
