"""The shipped archive `storefront`: both clients ask for what it holds, over each protocol."""

from collections import Counter
from pathlib import Path

import pytest

from pronghorn.execute.stage import Measurement
from pronghorn.sites import shipped
from pronghorn.trust import misses

from . import programme
from .programme import Run
from .replayed import ARMS, Replayed

pytestmark = [pytest.mark.needs("namespaces"), pytest.mark.beside]

THIRD_PARTIES = {
    "fonts.letters.example": {"h1": "h1", "h2": "h2", "h3": "h3"},
    "tags.metrics.example": {"h1": "h1", "h2": "h2", "h3": "h3"},
    "widget.pay.example": {"h1": "h1", "h2": "h2", "h3": "h2"},
    "ads.market.example": {"h1": "h1", "h2": "h1", "h3": "h1"},
}
"""What they speak, by the arm."""


@pytest.fixture(scope="module")
def storefront(tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    return Replayed(shipped.folder("storefront"), tmp_path_factory.mktemp("storefront"))


def assert_sound(storefront: Replayed, arm: str, measured: Measurement) -> None:
    """Asserts that nothing failed or was missed, and that each host spoke what it speaks in an arm."""
    page = measured.page
    assert page.outcome == "ok", page.detail
    assert [one.path for one in misses.of(measured.log.requests)] == []
    for one in page.resources:
        host = storefront.replay.host_of(one.path)
        assert one.protocol == THIRD_PARTIES.get(host, {}).get(arm, arm), one.path


def test_the_native_client_loads_what_the_archive_holds(storefront: Replayed, tmp_path: Path) -> None:
    for arm, measured in storefront.loads("native", tmp_path):
        assert_sound(storefront, arm, measured)
        assert storefront.loaded(measured) == storefront.of_load()


@pytest.mark.needs("namespaces", "chromium")
def test_chromium_asks_for_what_the_archive_holds(storefront: Replayed, tmp_path: Path) -> None:
    """What comes after the load event may be over before the browser is asked to stop, or not."""
    for arm, measured in storefront.loads("chromium", tmp_path):
        assert_sound(storefront, arm, measured)
        loaded = storefront.loaded(measured)
        assert storefront.of_load() - loaded == Counter()
        assert loaded - storefront.recorded() == Counter()


@pytest.mark.needs("namespaces", "chromium")
@pytest.mark.parametrize("rewriting", ["+one-host", "+no-images", "+no-third-parties"])
def test_chromium_misses_nothing_of_a_rewritten_page(rewriting: str, tmp_path: Path) -> None:
    rewritten = Replayed(shipped.folder("storefront"), tmp_path, rewritings=rewriting)
    for _, measured in rewritten.loads("chromium", tmp_path / "stages", arms=("h3",)):
        assert measured.page.outcome == "ok", measured.page.detail
        assert [one.path for one in misses.of(measured.log.requests)] == []


@pytest.mark.needs("guest")
def test_the_native_client_loads_it_in_virtual_time(storefront: Replayed, tmp_path: Path) -> None:
    asked = {"sites": "storefront", "paths": "fiber", "arms": ",".join(ARMS), "repeat": "1"}
    words = [word for key, value in asked.items() for word in ("--set", f"{key}={value}")]
    done = programme.run("run", "--clock", "virtual", "--out", "out", *words, folder=tmp_path)
    programme.assert_ended(done)
    loads = {one.arm: one for one in Run(tmp_path / "out").trials()}
    assert loads.keys() == set(ARMS)
    for arm, trial in loads.items():
        assert trial.status == "ok", (arm, trial.detail)
        assert trial.page is not None
        assert trial.page.requests == storefront.of_load().total()
