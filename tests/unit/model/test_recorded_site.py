"""Recorded sites as experiments name them."""

from pathlib import Path

import pytest

from pronghorn.model import recorded_site
from pronghorn.model.recorded_site import RecordedSite


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("shop", "shop+no-images"):
        (tmp_path / name).mkdir()
        (tmp_path / name / recorded_site.FILE).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("site", "name"),
    [
        ("shop", "archive:{}/shop"),
        ("archive:shop", "archive:{}/shop"),
        ("shop+one-host", "archive:{}/shop+one-host"),
        # In one order, whatever the order they are written in.
        ("shop+one-host+no-third-parties", "archive:{}/shop+no-third-parties+one-host"),
        # A folder's own name.
        ("shop+no-images", "archive:{}/shop+no-images/"),
        ("shop+no-images/+all-h3", "archive:{}/shop+no-images/+all-h3"),
        ("archive:none+one-host", "archive:{}/none+one-host"),
        ("storefront", "storefront"),
        ("storefront+round-robin", "storefront+round-robin"),
    ],
)
def test_a_site_is_read_and_written(folder: Path, site: str, name: str) -> None:
    asked = RecordedSite.asked(site, folder)
    assert str(asked) == name.format(folder)
    assert str(RecordedSite.of(str(asked))) == str(asked)


@pytest.mark.parametrize("site", ["small", "dir:shop", "none", "small+one-host", "storefronts"])
def test_other_sites_are_none(folder: Path, site: str) -> None:
    assert RecordedSite.asked(site, folder) is None
    assert RecordedSite.of(site) is None
    assert recorded_site.plain(site) == site


@pytest.mark.parametrize(
    ("site", "said"),
    [
        ("shop+no-pictures", r"'\+no-pictures' is no rewriting of a recorded site; allowed are \+no-third-"),
        ("storefront+all-h3+first-party-h3", r"'\+first-party-h3' and '\+all-h3' exclude each other"),
        ("archive:shop+equal-priorities+round-robin", "exclude each other"),
    ],
)
def test_wrong_rewritings_are_refused(folder: Path, site: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        RecordedSite.asked(site, folder)


def test_an_archive_of_ones_own_comes_before_the_shipped_one(tmp_path: Path) -> None:
    (tmp_path / "storefront").mkdir()
    (tmp_path / "storefront" / recorded_site.FILE).touch()
    for words in ("", "+one-host"):
        asked = RecordedSite.asked(f"storefront{words}", tmp_path)
        assert str(asked) == f"archive:{tmp_path}/storefront{words}"


def test_a_rewritten_site_draws_the_same_numbers() -> None:
    assert recorded_site.plain("archive:/a/shop+one-host") == "archive:/a/shop"
