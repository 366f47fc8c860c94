"""Origins and clients as an experiment names them: by a list, a table, a file or a URL; what is wrong is
said."""

from pathlib import Path

import pytest

from pronghorn.errors import InputError

from .experiments import LIVE, REST, again, parse, refused


def test_a_table_names_known_origins_and_ones_of_ones_own_in_order(tmp_path: Path) -> None:
    found = parse(
        REST
        + '[origins.builtin]\n[origins.mine]\ncommand = ["serve", "-x"]\nprotocols = ["h3"]\nready = "udp"\n'
        '[origins."caddy:tuned"]\n[clients.curl]\ncommand = "curl"\noptions = ["tls12"]\n',
        tmp_path,
    )
    assert found.origins == ("builtin", "mine", "caddy:tuned")
    assert found.own_origins["mine"].argv == ("serve", "-x")
    assert found.own_clients["curl"].argv == ("/bin/sh", "-c", "curl")
    assert found.own_origins["mine"].directory == str(tmp_path)
    assert again(found) == found
    assert again(found).digest() == found.digest()


def test_a_configuration_of_ones_own_is_kept_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "Caddyfile").write_text("mine", encoding="utf-8")
    run = tmp_path / "run"
    run.mkdir()
    found = parse('origins = ["caddy:Caddyfile", "caddy"]\n' + REST, tmp_path)
    name, text = next(iter(found.texts.items()))
    assert (found.origins, text) == ((f"caddy:{name}", "caddy"), "mine")
    assert name.startswith("configurations/Caddyfile-")
    resumed = again(found, run)
    assert (resumed.origins, resumed.texts) == (found.origins, found.texts)
    assert resumed.digest() == found.digest()


def test_a_version_stands_before_a_variant_or_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "Caddyfile").write_text("mine", encoding="utf-8")
    text = 'origins = ["caddy@2.11", "caddy@2.11:tuned", "caddy@2.11.7:Caddyfile"]\n' + REST
    found = parse(text, tmp_path)
    assert found.origins[:2] == ("caddy@2.11", "caddy@2.11:tuned")
    assert found.origins[2].startswith("caddy@2.11.7:configurations/Caddyfile-")
    assert again(found, tmp_path).origins == found.origins


def test_live_servers_need_neither_sites_nor_paths(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("-----BEGIN CERTIFICATE-----\n", encoding="utf-8")
    found = parse(
        'origins = ["https://a.test/x?y", "https://b.test"]\nauthority = "ca.pem"\n' + LIVE, tmp_path
    )
    assert found.live and not found.dns
    assert [(cell.site, cell.path, cell.origin) for cell in found.cells()] == [
        ("live", "direct", "https://a.test/x?y"),
        ("live", "direct", "https://b.test"),
    ]
    assert found.authority is not None
    assert again(found, tmp_path) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('origins = ["cady"]\n', "unknown origin 'cady'; did you mean 'caddy'?"),
        ('origins = ["cady"]\n', "To define your own: a table [origins.NAME] with a 'command'."),
        (
            'origins = ["caddy:tunde"]\n',
            "tunde: no such file; this names a configuration of caddy, or one of",
        ),
        ('origins = ["caddy:tunde"]\n', "its variants: caddy:tuned."),
        ('origins = ["builtin:tuned"]\n', "unknown origin 'builtin:tuned'"),
        ('origins = ["builtin@1.2"]\n', "unknown origin 'builtin@1.2'"),
        ('origins = ["caddy@new"]\n', "'caddy@new': 'new' is no version; write numbers, as in caddy@1.2"),
        ('origins = ["caddy@2.11:tunde"]\n', "tunde: no such file; this names a configuration of caddy"),
        ("origins = 3\n", "3 is no list of names"),
        ("origins = {}\n", 'this table is empty; write origins = ["…"] or [origins.NAME].'),
        (
            "origins = { mine = 3 }\n",
            "key 'origins.mine': 3 is no table; write [origins.mine] with a 'command'",
        ),
        ("origins = { mine = {} }\n", "unknown origin 'mine'"),
        ('origins = { mine = { ready = "tcp" } }\n', "an origin of your own lacks its 'command'."),
        ('origins = { caddy = { ready = "tcp" } }\n', "'caddy' is a known origin, which takes no keys here"),
        (
            'origins = { caddy = { command = "x" } }\n',
            "'caddy' is a known origin. Give your own another",
        ),
        ('origins = { "a/b" = { command = "x" } }\n', "'a/b' is no name for an origin: letters, digits"),
        (
            "origins = { mine = { command = 3 } }\n",
            "key 'origins.mine.command': 3 is no command; write a line",
        ),
        ("origins = { mine = { command = [] } }\n", "[] is no command"),
        (
            'origins = { mine = { command = "x", comand = "y" } }\n',
            "unknown key 'comand'; did you mean 'command'?",
        ),
        ('origins = { mine = { command = "x", ready = "quic" } }\n', "unknown way to be ready 'quic'"),
        ('origins = { mine = { command = "x", protocols = ["h4"] } }\n', "unknown protocol 'h4'"),
        (
            'origins = { mine = { command = "x", options = ["0-rtt"] } }\n',
            "unknown option '0-rtt'; did you mean '0rtt'?",
        ),
        (
            'origins = { mine = { command = "x", congestion_controls = ["reno"] } }\n',
            "did you mean 'newreno'?",
        ),
        ('origins = { mine = { command = "x", directory = "nowhere" } }\n', "nowhere is no folder."),
        ('origins = { mine = { command = "x", version = "" } }\n', "'' is no text."),
        ('clients = { mine = { command = "x", ready = "udp" } }\n', "unknown key 'ready'"),
        ('clients = ["curl"]\n', "unknown client 'curl'"),
        ('clients = ["https://a.test/"]\n', "unknown client 'https://a.test/'"),
        ('authority = "ca.pem"\n', "the run itself makes the certificate authority of an emulated network."),
        ('origins = ["http://a.test/"]\n', "a live server is measured over https:// only."),
        ('origins = ["https:///x"]\n', "this URL names no host"),
        ('origins = ["https://a.test:x/"]\n', "this is no URL"),
        ('origins = ["https://me@a.test/"]\n', "has neither a user nor a fragment"),
        ('origins = ["builtin", "https://a.test/"]\n', "'builtin' stands beside the live server"),
        ('origins = ["https://a.test/"]\n', "key 'sites': the page of a live server is what its URL names"),
    ],
)
def test_what_is_wrong_with_a_stack(text: str, said: str) -> None:
    assert said in refused(text + REST)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('paths = ["lan"]\n', "a live server is measured without an emulated path"),
        ('certificate = { key = "p256" }\n', "a live server has its own certificate; leave this key out."),
        ('cache_control = "no-store"\n', "a live server decides itself what may be cached"),
        ('authority = "missing.pem"\n', "missing.pem: no such file; this names an authority's certificate."),
        ('authority = "x.toml"\n', "x.toml: holds no certificate; it must be PEM."),
    ],
)
def test_what_contradicts_a_live_server(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "x.toml").write_text("no PEM", encoding="utf-8")
    assert said in refused('origins = ["https://a.test/"]\n' + text + LIVE, tmp_path)


def test_a_file_is_looked_for_beside_the_text_or_where_the_command_line_named_it(tmp_path: Path) -> None:
    (tmp_path / "Caddyfile").write_text("mine", encoding="utf-8")
    text = 'origins = ["caddy:Caddyfile"]\n' + REST
    assert parse(text, tmp_path).texts
    with pytest.raises(InputError, match="no such file"):
        parse(text, tmp_path, {("origins",): "--set origins=caddy:Caddyfile"})
