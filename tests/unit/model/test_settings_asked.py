"""An experiment's keys for caches, certificates, browsers and artifacts: read, resolved, refused."""

from pathlib import Path

import pytest

from pronghorn.errors import InputError
from pronghorn.model.experiment import Experiment

from .experiments import REST, again, parse


def test_what_is_not_said_is_the_default() -> None:
    found = parse(REST)
    assert found.cache_control == "no-store"
    assert found.certificate.model_dump() == {"key": "p256", "intermediates": 0}
    assert found.browser.model_dump() == {"width": 1366, "height": 768, "cpu_slowdown": 1.0, "cache": True}


def test_runs_of_versions_without_the_settings_are_of_the_same_experiment() -> None:
    # What a recorded run doesn't say of its text's compression is read as this.
    text = 'name = "x"\nlimit = "9s"\nmargin = "3%"\nrepeat = 2\ncompression = "none"\n' + REST
    recorded = "309e1c2773827b1ef1a605c443a2c43a97c0d77caac7c693a36dd817a2ad5226"
    assert parse(text).digest() == recorded
    assert parse('certificate = { key = "p256" }\ncache_control = "no-store"\n' + text).digest() == recorded
    assert parse('cache_control = "max-age=60"\n' + text).digest() != recorded


def test_every_setting_survives_being_resolved() -> None:
    found = parse(
        'margin_time = "10ms"\ncache_control = "max-age=60"\n'
        'certificate = { key = "rsa2048", intermediates = 4 }\n'
        'browser = { viewport = "800x600", cpu_slowdown = 4, cache = false }\nartifacts = ["har", "pcapng"]\n'
        + REST
    )
    assert (found.browser.width, found.browser.cpu_slowdown, found.browser.cache) == (800, 4.0, False)
    assert found.margin_s == 0.01
    assert again(found) == found


def test_requests_may_be_allowed_to_fail() -> None:
    found = parse('tolerate = ["/pixel.gif", "/collect*"]\n' + REST)
    assert found.tolerate == ("/pixel.gif", "/collect*")
    assert again(found) == found
    assert parse("tolerate = []\n" + REST).tolerate == ()
    assert parse("tolerate = []\n" + REST).digest() == parse(REST).digest() != found.digest()


def test_a_warm_arm_makes_the_pages_cacheable() -> None:
    assert warm("").cache_control == "max-age=86400"
    assert warm('cache_control = "max-age=5"\n').cache_control == "max-age=5"
    with pytest.raises(
        InputError, match=r"lets no cache store anything, but arm 'h2\+warm' needs a warm one"
    ):
        warm('cache_control = "No-Store"\n')


def test_a_warm_arm_needs_a_cache() -> None:
    with pytest.raises(InputError, match=r"arm 'h2\+warm' asks for a warm cache"):
        warm("browser = { cache = false }\n")


def warm(text: str) -> Experiment:
    return parse(text + REST.replace('["h2", "h3"]', '["h2", "h2+warm"]'))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('cache_control = "a\\nb"\n', "is no value of a header field."),
        ("cache_control = 3\n", "key 'cache_control': 3 is no text."),
        ('certificate = "rsa"\n', "key 'certificate': 'rsa' is no table; write certificate = { key ="),
        ('certificate = { key = "p265" }\n', "unknown kind of key 'p265'; did you mean 'p256'?"),
        ("certificate = { intermediates = 5 }\n", "5 is no whole number from 0 to 4."),
        ("certificate = { depth = 1 }\n", "unknown key 'depth'"),
        ('browser = { viewport = "800" }\n', "'800' is no viewport; write WIDTHxHEIGHT in CSS pixels"),
        ('browser = { viewport = "0x600" }\n', "'0x600' is no viewport"),
        ("browser = { cpu_slowdown = 0.5 }\n", "0.5 is no factor from 1 (not slowed down) to 100."),
        ("browser = { cache = 1 }\n", "1 is neither true nor false."),
        ("browser = { width = 1 }\n", "unknown key 'width'. Allowed: cache, cpu_slowdown"),
        ('tolerate = ["pixel.gif"]\n', "'pixel.gif' matches no request: a path begins with '/'."),
        ('tolerate = "/pixel.gif"\n', "is no list of names"),
        (f"tolerate = {[f'/{number}' for number in range(101)]}\n", "101 patterns; at most 100 are allowed."),
        (f'tolerate = ["/{"x" * 2048}"]\n', "has 2049 characters; at most 2048 are allowed."),
        ('artifacts = ["hra"]\n', "unknown artifact 'hra'; did you mean 'har'?"),
    ],
)
def test_what_is_wrong_with_a_setting(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text + REST, Path())
    assert said in caught.value.message
    assert caught.value.message.startswith("x.toml, line 1: key '")


@pytest.mark.parametrize(
    ("stacks", "compression"),
    [
        ('origins = ["builtin", "caddy:tuned"]\nclients = ["chromium"]\n', "static"),
        ('clients = ["chromium"]\ncompression = "none"\n', "none"),
        ('clients.own = { command = ["true"] }\ncompression = "static"\n', "static"),
        ('clients.own = { command = ["true"] }\n', "none"),
        ('origins.own = { command = ["true"] }\n', "none"),
    ],
)
def test_text_is_compressed_where_all_serve_and_take_it_unless_the_experiment_says_it(
    stacks: str, compression: str
) -> None:
    found = parse(stacks + REST)
    assert found.compression == compression
    assert found.resolved()["compression"] == compression


def test_a_run_of_a_version_without_compression_keeps_its_digest() -> None:
    old = parse('compression = "none"\n' + REST)
    assert "compression" in old.resolved()
    assert old.digest() != parse('compression = "static"\n' + REST).digest()


def test_documents_of_warm_arms_are_asked_for_again_unless_the_experiment_says_what_is_cached() -> None:
    assert warm("").document_headers == {"cache-control": "no-cache"}
    assert warm('cache_control = "max-age=5"\n').document_headers == {}
    assert parse(REST).document_headers == {}


def test_a_host_is_a_folders() -> None:
    with pytest.raises(InputError, match="no site is a folder"):
        parse('host = "shop.example"\n' + REST)
    folder = REST.replace('"tiny"', '"dir:."')
    assert parse('host = "Shop.example"\n' + folder).hosts == ("shop.example",)
    assert parse('host = ["a.example", "b.example"]\n' + folder).hosts == ("a.example", "b.example")
    with pytest.raises(InputError, match=r"'https://shop\.example' is no host's name"):
        parse('host = "https://shop.example"\n' + folder)
