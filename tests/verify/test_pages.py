"""Every page of the corpus loads by both clients, from four servers over three protocols, with the requests
that a real Chromium makes, or a difference that the record names."""

import itertools
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates, make

from ..e2e import corpus, page_loads
from ..e2e.page_loads import Load

pytestmark = pytest.mark.needs("namespaces", "engine", "chromium", "nginx", "caddy", "haproxy")

CLIENTS = ("native", "chromium")


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """An authority and an origin's certificate."""
    return make(tmp_path_factory.mktemp("identity"))


@pytest.mark.parametrize("name", corpus.names())
def test_a_page_makes_the_same_requests_whatever_loads_and_serves_it(
    name: str, identity: Certificates, tmp_path: Path
) -> None:
    wanted = [Load(name, *rest) for rest in itertools.product(CLIENTS, page_loads.ORIGINS, page_loads.ARMS)]
    loaded = page_loads.run(wanted, identity, tmp_path)

    assert not page_loads.told(loaded)
