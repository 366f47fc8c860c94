"""Which exchanges of an archive are replayed."""

from pathlib import Path

import pytest

from pronghorn.errors import InputError
from pronghorn.sites.replay.causes import Cause, Causes
from pronghorn.sites.replay.choice import Chosen, choose

from .archives import OTHER, OWN, archive

PAGE = {"url": "https://a.test/", "kind": "document"}


def urls(chosen: Chosen) -> list[str]:
    return [one.url for one in chosen.exchanges]


def test_the_page_comes_first_and_the_rest_in_the_order_of_their_start(tmp_path: Path) -> None:
    found = archive(
        tmp_path / "x",
        {"url": "https://b.test/early"},
        {**PAGE, "start_s": 0.1},
        {"url": "https://a.test/late", "start_s": 0.2},
    )
    chosen = choose(found)
    assert urls(chosen) == ["https://a.test/", "https://b.test/early", "https://a.test/late"]
    assert not chosen.left_out


def test_a_redirect_to_https_is_left_out_and_the_load_begins_behind_it(tmp_path: Path) -> None:
    found = archive(
        tmp_path / "x",
        {"url": "http://a.test/", "status": 301},
        {**PAGE, "initiator": 1, "how": "redirect"},
        {"url": "http://a.test/plain.js", "initiator": 2, "how": "parser"},
        page="http://a.test/",
    )
    chosen = choose(found)
    assert urls(chosen) == ["https://a.test/", "http://a.test/plain.js"]
    assert chosen.left_out == {"redirected from http": 1}
    assert chosen.over_http == 1
    assert chosen.initiators == {2: None, 3: 2}


def test_an_address_can_be_no_host_and_no_page(tmp_path: Path) -> None:
    hosts = {"a.test": OWN, "192.0.2.1": OTHER, "[2001:db8::1]": OTHER}
    exchanges = ({"url": "https://192.0.2.1/x"}, {"url": "https://[2001:db8::1]/x"})
    chosen = choose(archive(tmp_path / "x", PAGE, *exchanges, hosts=hosts))
    assert urls(chosen) == ["https://a.test/"]
    assert chosen.left_out == {"an address as host": 2}
    found = archive(tmp_path / "y", *exchanges, page="https://192.0.2.1/x", hosts=hosts)
    with pytest.raises(InputError, match="can't be replayed"):
        choose(found)


def test_a_request_is_set_off_by_its_preflight_which_the_browser_says_it_asked_for(tmp_path: Path) -> None:
    asked = {"url": "https://b.test/order", "method": "POST", "initiator": 2, "how": "script", "start_s": 0.2}
    found = archive(
        tmp_path / "x",
        PAGE,
        {"url": "https://a.test/a.js", "initiator": 1, "how": "parser", "start_s": 0.1},
        asked,
        {"url": "https://b.test/other", "initiator": 2, "how": "script", "start_s": 0.2},
        {**asked, "method": "OPTIONS", "initiator": 3, "how": "preflight", "start_s": 0.21},
    )
    chosen = choose(found)
    assert [one.id for one in chosen.exchanges] == [1, 2, 5, 3, 4]
    assert chosen.initiators == {1: None, 2: 1, 3: 5, 4: 2, 5: 2}
    assert Causes(found, chosen).of(chosen.exchanges[3]) == Cause(5, "end")
