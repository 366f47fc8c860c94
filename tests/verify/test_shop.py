"""A shop as a mirror has it, loaded by both clients: what they load differs by no more than a tenth."""

from pathlib import Path

import pytest

from ..e2e import experiments
from ..e2e.corpus import Page
from ..e2e.programme import load_every_arm

pytestmark = pytest.mark.needs("namespaces", "engine", "chromium")

REQUESTS = 42
SCRIPTED, OTHER_HOSTS, LAZY = 2, 2, 6
"""Requests of its scripts, references to other hosts, and images far below that wait until one scrolls."""

ARMS = ("h2", "h3")
CLIENTS = ("native", "chromium")


def test_both_clients_load_the_shop_alike_and_what_native_cannot_know_is_told(tmp_path: Path) -> None:
    shop = Page.read("shop")
    shop.build(tmp_path)
    experiment = experiments.write(tmp_path, arms=ARMS, repeat=1, sites=("dir:shop",), clients=CLIENTS)
    tolerate = f"tolerate = {list(shop.tolerate)!r}\n"
    experiment.write_text(tolerate + experiment.read_text(encoding="utf-8"), encoding="utf-8")

    words = f"native left out {OTHER_HOSTS + LAZY} of {REQUESTS - SCRIPTED + OTHER_HOSTS + LAZY}"
    found = load_every_arm(
        str(experiment), arms=ARMS, folder=tmp_path, enough=lambda found: words in found.said
    )

    by_client = {client: [one for one in found.loads if one.cell.client == client] for client in CLIENTS}
    pages = {client: [one.page for one in loads if one.page] for client, loads in by_client.items()}
    assert {page.requests for page in pages["chromium"]} == {REQUESTS}
    for loaded in pages.values():
        assert {(page.outcome, page.detail) for page in loaded} == {("ok", None)}
        assert min(page.requests for page in loaded) > REQUESTS / 1.1
    most = max(page.bytes for loaded in pages.values() for page in loaded)
    assert most <= 1.1 * min(page.bytes for loaded in pages.values() for page in loaded)
    assert {page.left_out_count for page in pages["chromium"]} == {OTHER_HOSTS}
    assert {page.left_out_count for page in pages["native"]} == {OTHER_HOSTS + LAZY}
    assert words in found.said
    assert "different pages" not in found.said
