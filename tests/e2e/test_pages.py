"""Both clients load each page of the corpus with the requests that a real Chromium makes, or with a
difference that the record names. `tests/verify/test_pages.py` asks it of all servers and protocols; here each
page has one of the twelve pairs by turns, beside the built-in origin over HTTP/2."""

import itertools
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates

from . import corpus, page_loads
from .page_loads import Load

pytestmark = [
    pytest.mark.needs("namespaces", "engine", "chromium", "nginx", "caddy", "haproxy"),
    pytest.mark.beside,
]

ELSEWHERE = [
    pair
    for pair in itertools.product(page_loads.ORIGINS, page_loads.ARMS)
    if pair != (page_loads.ORIGINS[0], "h2")
]
SAMPLE = 4
"""Chromium loads each fourth page over another pair as well; the native client, which is quick, each page."""


def test_the_native_client_asks_for_what_chromium_asks_for(identity: Certificates, tmp_path: Path) -> None:
    wanted = [Load(name, "native") for name in corpus.names()]
    wanted += [Load(name, "native", *pair) for name, pair in zip(corpus.names(), itertools.cycle(ELSEWHERE))]

    assert not page_loads.told(page_loads.run(wanted, identity, tmp_path))


def test_chromium_loads_each_page_and_names_what_it_leaves_out(
    identity: Certificates, tmp_path: Path
) -> None:
    names = corpus.names()
    wanted = [Load(name, "chromium") for name in names]
    wanted += [
        Load(name, "chromium", *pair) for name, pair in zip(names[::SAMPLE], itertools.cycle(ELSEWHERE))
    ]

    assert not page_loads.told(page_loads.run(wanted, identity, tmp_path))
