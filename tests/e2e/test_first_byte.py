"""Whatever loads, a response's first byte is when its head was there: after an interim response and the
head's first half, before the body."""

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


@pytest.mark.parametrize("client", ["native", pytest.param("chromium", marks=pytest.mark.needs("chromium"))])
def test_the_first_byte_is_the_heads_end(
    client: str, tmp_path: Path, tiny: Path, identity: Certificates
) -> None:
    words = (sys.executable, "-I", "-S", str(PROGRAMS / "halting_origin.py"), str(HALT_S))
    mine = OwnStack(command=words, directory=str(tmp_path), protocols=("h1",))
    scene = Scene(
        "h1", tiny, identity, client=client, origin="mine", settings={"own_origins": {"mine": mine}}
    )
    [found], _ = asyncio.run(load(scene, tmp_path))

    assert found.page.outcome == "ok", found.page.detail
    [document, *_] = found.page.resources
    assert document.request_s is not None
    assert document.first_byte_s is not None
    assert document.last_byte_s is not None
    assert found.page.ttfb_s == document.first_byte_s
    assert document.first_byte_s - document.request_s >= HALT_S, "the head wasn't whole before"
    assert document.last_byte_s - document.first_byte_s > HALT_S / 2, "the body came later"
