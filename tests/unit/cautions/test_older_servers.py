"""A run warns of a server that is older than its plain name means elsewhere."""

import pytest

from pronghorn.cautions import older_servers

from ..model.experiments import REST, parse


@pytest.mark.parametrize(
    ("name", "version", "codes"),
    [
        ("caddy", "caddy 2.10.1", ["older-server"]),
        ("caddy", "2.11.7", []),
        ("caddy", "2.12.0", []),
        ("caddy@2.10", "2.10.1", []),
        ("caddy", "", []),
    ],
)
def test_only_an_older_server_under_a_plain_name_is_warned_of(
    name: str, version: str, codes: list[str]
) -> None:
    experiment = parse(f'origins = ["{name}"]\n{REST}')
    found = list(older_servers.cautions(experiment, {name: {"version": version}}))
    assert [one.code for one in found] == codes
    assert all(one.remedy == "Name the version: --set origins=caddy@2.10" for one in found)
