"""Both clients load the pages of the corpus with the requests that a real Chromium makes, or with a
difference that the record names. Over which server and protocol a page is loaded goes by turns;
`tests/verify/test_pages.py` has all pages with both clients over all twelve pairs."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

from pronghorn.certificates import Certificates

from . import corpus, page_loads
from .corpus import Page
from .page_loads import Load

pytestmark = [
    pytest.mark.needs("namespaces", "engine", "chromium", "nginx", "caddy", "haproxy"),
    pytest.mark.beside,
]

EACH = 12
"""Of the pages that consist of references alone, on which a browser's record has little to get wrong,
Chromium loads each twelfth; `make verify` has them all."""


def by_turns(names: Sequence[str], client: str) -> list[Load]:
    """A load of each page, over the pairs of server and protocol by turns."""
    pairs = itertools.cycle(itertools.product(page_loads.ORIGINS, page_loads.ARMS))
    return [Load(name, client, *next(pairs)) for name in names]


def test_the_native_client_asks_for_what_chromium_asks_for(identity: Certificates, tmp_path: Path) -> None:
    wanted = [Load(name, "native") for name in corpus.names()] + by_turns(corpus.names(), "native")

    assert not page_loads.told(page_loads.run(wanted, identity, tmp_path))


def test_chromium_names_what_it_leaves_out_of_a_page(identity: Certificates, tmp_path: Path) -> None:
    pages = [Page.read(name) for name in corpus.names()]
    plain = [page.name for page in pages if not page.telling]
    names = [page.name for page in pages if page.telling] + plain[::EACH]

    assert not page_loads.told(page_loads.run(by_turns(names, "chromium"), identity, tmp_path))
