"""The shipped archive `storefront`: both clients ask for what it holds, over each protocol."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from pronghorn import certificates, sites
from pronghorn.execute.stage import Measurement, Site
from pronghorn.sites.archive import Archive, read
from pronghorn.sites.storefront import FOLDER
from pronghorn.trust import misses

from . import programme, stages
from .programme import Run
from .stages import Scene

pytestmark = [pytest.mark.needs("namespaces"), pytest.mark.beside]

ARMS = ("h1", "h2", "h3")

THIRD_PARTIES = {
    "fonts.letters.example": {"h1": "h1", "h2": "h2", "h3": "h3"},
    "tags.metrics.example": {"h1": "h1", "h2": "h2", "h3": "h3"},
    "widget.pay.example": {"h1": "h1", "h2": "h2", "h3": "h2"},
    "ads.market.example": {"h1": "h1", "h2": "h1", "h3": "h1"},
}
"""What they speak, by the arm."""

Answers = Counter[tuple[str, int | None, int]]


class Storefront:
    """The archive, and what a stage is built of it."""

    def __init__(self, folder: Path) -> None:
        self.archive: Archive = read(FOLDER)
        root = folder / "site"
        root.mkdir()
        built = sites.build(f"archive:{FOLDER}", 1, root)
        assert built.replay is not None
        self.replay = built.replay
        self.identity = certificates.make(folder, names=[face.names for face in built.replay.faces])
        self.site = Site(root, built.document, built.total_bytes, {}, built.replay, self.identity.leaves)

    def loads(self, client: str, folder: Path) -> Iterable[tuple[str, Measurement]]:
        """A load over each arm."""
        scenes = [
            Scene(arm, self.site.root, self.identity, client=client, origin="builtin", site=self.site)
            for arm in ARMS
        ]
        return zip(ARMS, asyncio.run(stages.trials(scenes, folder)), strict=True)

    def recorded(self, until_s: float = float("inf")) -> Answers:
        """URLs, statuses and sizes of what was asked for until then."""
        return Counter(
            (_unvaried(one.url), one.status, one.body_bytes)
            for one in self.archive.exchanges
            if one.start_s <= until_s
        )

    def of_load(self) -> Answers:
        """Those up to the load event."""
        assert self.archive.site.load_s is not None
        return self.recorded(self.archive.site.load_s)

    def loaded(self, measured: Measurement) -> Answers:
        """What a client loaded."""
        return Counter(
            (_unvaried(self._url(one.path)), one.status, one.bytes) for one in measured.page.resources
        )

    def _url(self, path: str) -> str:
        return f"https://{self.replay.page}{path}" if path.startswith("/") else path


def _unvaried(url: str) -> str:
    """A URL without the time that a script puts into it."""
    return url.partition("_=")[0]


@pytest.fixture(scope="module")
def storefront(tmp_path_factory: pytest.TempPathFactory) -> Storefront:
    return Storefront(tmp_path_factory.mktemp("storefront"))


def assert_sound(storefront: Storefront, arm: str, measured: Measurement) -> None:
    """Asserts that nothing failed or was missed, and that each host spoke what it speaks in an arm."""
    page = measured.page
    assert page.outcome == "ok", page.detail
    assert [one.path for one in misses.of(measured.log.requests)] == []
    for one in page.resources:
        host = storefront.replay.host_of(one.path)
        assert one.protocol == THIRD_PARTIES.get(host, {}).get(arm, arm), one.path


def test_the_native_client_loads_what_the_archive_holds(storefront: Storefront, tmp_path: Path) -> None:
    for arm, measured in storefront.loads("native", tmp_path):
        assert_sound(storefront, arm, measured)
        assert storefront.loaded(measured) == storefront.of_load()


@pytest.mark.needs("namespaces", "chromium")
def test_chromium_asks_for_what_the_archive_holds(storefront: Storefront, tmp_path: Path) -> None:
    """What comes after the load event may be over before the browser is asked to stop, or not."""
    for arm, measured in storefront.loads("chromium", tmp_path):
        assert_sound(storefront, arm, measured)
        loaded = storefront.loaded(measured)
        assert storefront.of_load() - loaded == Counter()
        assert loaded - storefront.recorded() == Counter()


@pytest.mark.needs("guest")
def test_the_native_client_loads_it_in_virtual_time(storefront: Storefront, tmp_path: Path) -> None:
    asked = {"sites": f"archive:{FOLDER}", "paths": "fiber", "arms": ",".join(ARMS), "repeat": "1"}
    words = [word for key, value in asked.items() for word in ("--set", f"{key}={value}")]
    done = programme.run("run", "--clock", "virtual", "--out", "out", *words, folder=tmp_path)
    programme.assert_ended(done)
    loads = {one.arm: one for one in Run(tmp_path / "out").trials()}
    assert loads.keys() == set(ARMS)
    for arm, trial in loads.items():
        assert trial.status == "ok", (arm, trial.detail)
        assert trial.page is not None
        assert trial.page.requests == storefront.of_load().total()
