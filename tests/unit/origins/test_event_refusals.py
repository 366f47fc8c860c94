"""Which events an origin takes, and what is said where it doesn't take one."""

from pathlib import Path

import pytest

from pronghorn import capabilities, origins
from pronghorn.errors import InputError
from pronghorn.model import events, experiment_file
from pronghorn.origins.caddy import Caddy
from pronghorn.origins.live import Live
from pronghorn.origins.nginx import Nginx
from pronghorn.runs.prepare import vocabulary

TAKEN = {
    "builtin": {"reload"},
    "caddy": {"reload", "restart"},
    "haproxy": {"reload", "restart"},
    "nginx": {"reload", "restart", "kill-worker"},
}

EXPERIMENT = """
sites = ["tiny"]
paths = ["lan"]
origins = ["{origin}"]
clients = ["load"]
arms = ["h1", "h2"]
seed = 1
{more}
[load]
rate = 100
duration = "5s"
[[events]]
at = "1s"
do = "{do}"
"""


@pytest.mark.parametrize("name", TAKEN)
def test_each_server_takes_what_it_can(name: str) -> None:
    origin = origins.ORIGINS[name]
    assert {do for do in events.ACTIONS if origin.event_refusal(do) is None} == TAKEN[name]


def test_a_configuration_of_ones_own_may_lack_what_caddy_is_reloaded_by() -> None:
    own = Caddy(configuration="{}")
    assert own.event_refusal("restart") is None
    assert own.event_refusal("reload") is not None
    assert Nginx(configuration="events {}").event_refusal("reload") is None


def test_a_live_server_takes_none() -> None:
    assert all(Live("https://example.org/", None).event_refusal(do) for do in events.ACTIONS)


@pytest.mark.parametrize(
    ("origin", "do", "more", "said"),
    [
        ("builtin", "restart", "", "origin 'builtin' can't do 'restart': it is a part of the engine"),
        ("builtin", "kill-worker", "", "It can be done by nginx, nginx:patient, nginx:tuned."),
        ("builtin", "reload", 'clock = "virtual"', 'Measure in real time: clock = "real"'),
        ("builtin", "reload", 'state = "kept"', 'Write state = "fresh"'),
    ],
)
def test_what_can_not_be_done_is_refused_before_the_run(
    tmp_path: Path, origin: str, do: str, more: str, said: str
) -> None:
    file = tmp_path / "events.toml"
    file.write_text(EXPERIMENT.format(origin=origin, do=do, more=more), encoding="utf-8")
    found = experiment_file.read(str(file), vocabulary(), overrides=[], seed=None)
    with pytest.raises(InputError) as caught:
        capabilities.check(found)
    assert said in caught.value.message
