"""Whatever loads, a response's first byte is when its head was there: after an interim response and, where
the protocol lets it be parted, the head's first half; before the body."""

import asyncio
import sys
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates
from pronghorn.model.own_stack import OwnStack

from .benches import PROGRAMS
from .stages import Scene, load

pytestmark = [pytest.mark.needs("engine", "namespaces"), pytest.mark.beside]

HALT_S = 2.0
"""So long the origin waits before the rest of the head, and again before the body."""


CLIENTS = ("native", pytest.param("chromium", marks=pytest.mark.needs("chromium")))


@pytest.mark.parametrize("client", CLIENTS)
def test_the_first_byte_is_the_heads_end(
    client: str, tmp_path: Path, tiny: Path, identity: Certificates
) -> None:
    words = (sys.executable, "-I", "-S", str(PROGRAMS / "halting_origin.py"), str(HALT_S))
    mine = OwnStack(command=words, directory=str(tmp_path), protocols=("h1",))
    measured("h1", client, mine, tmp_path, tiny, identity)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("arm", ["h2", "h3"])
def test_an_interim_response_is_no_first_byte(
    arm: str, client: str, tmp_path: Path, tiny: Path, identity: Certificates
) -> None:
    server = Path(sys.executable).with_name("hypercorn")
    command = (
        f"HALT_S={HALT_S} exec {server} hinting_app:app --workers 0 "
        '--certfile "$PRONGHORN_CERTIFICATE" --keyfile "$PRONGHORN_KEY" '
        '--bind "$PRONGHORN_ADDRESS:$PRONGHORN_PORT" --quic-bind "$PRONGHORN_ADDRESS:$PRONGHORN_PORT"'
    )
    mine = OwnStack(command=command, directory=str(PROGRAMS), protocols=(arm,))
    measured(arm, client, mine, tmp_path, tiny, identity)


def measured(arm: str, client: str, mine: OwnStack, folder: Path, site: Path, identity: Certificates) -> None:
    """Loads a page of an origin that halts before its head's end and before its body, and holds the first
    byte against that."""
    settings = {"own_origins": {"mine": mine}}
    scene = Scene(arm, site, identity, client=client, origin="mine", settings=settings)
    [found], _ = asyncio.run(load(scene, folder))

    assert found.page.outcome == "ok", found.page.detail
    [document, *_] = found.page.resources
    assert document.request_s is not None
    assert document.first_byte_s is not None
    assert document.last_byte_s is not None
    assert found.page.ttfb_s == document.first_byte_s
    assert document.first_byte_s - document.request_s >= HALT_S, "the head wasn't whole before"
    assert document.last_byte_s - document.first_byte_s > HALT_S / 2, "the body came later"
