"""The servers under test, one file each; a new one is one more file, one line here and its name in
`model/stacks.py`."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pronghorn.model.experiment import Experiment
from pronghorn.model.stacks import is_url
from pronghorn.origins import nginx_conf
from pronghorn.origins.base import Origin, OriginFailed, OriginLog, OriginSetup, RunningOrigin, Tickets
from pronghorn.origins.builtin import Builtin
from pronghorn.origins.caddy import Caddy
from pronghorn.origins.command import Command
from pronghorn.origins.haproxy import HAProxy
from pronghorn.origins.live import Live
from pronghorn.origins.nginx import Nginx

ORIGINS: Mapping[str, Origin] = MappingProxyType(
    {
        "builtin": Builtin(),
        "caddy": Caddy(),
        "caddy:tuned": Caddy(tuned=True),
        "haproxy": HAProxy(),
        "haproxy:tuned": HAProxy(tuned=True),
        "nginx": Nginx(),
        "nginx:patient": Nginx(nginx_conf.patient),
        "nginx:tuned": Nginx(nginx_conf.tuned),
    }
)
"""By their names, which are those of `stacks.ORIGINS`."""

CONFIGURABLE: Mapping[str, Callable[[str], Origin]] = MappingProxyType(
    {
        "caddy": lambda text: Caddy(configuration=text),
        "nginx": lambda text: Nginx(configuration=text),
    }
)
"""The servers of `stacks.CONFIGURABLE`, each with what makes an origin of a configuration's text."""

__all__ = [
    "CONFIGURABLE",
    "ORIGINS",
    "Origin",
    "OriginFailed",
    "OriginLog",
    "OriginSetup",
    "RunningOrigin",
    "Tickets",
    "find",
    "of",
]


def find(name: str) -> Origin:
    """The origin that has the `name` in every experiment; KeyError where there is none."""
    return ORIGINS[name]


def of(experiment: Experiment, name: str) -> Origin:
    """The origin that `name` means in an experiment; KeyError where it is none of its origins. InputError
    where its configuration is wrong."""
    if name in experiment.own_origins:
        return Command(name, experiment.own_origins[name])
    if is_url(name):
        return Live(name, experiment.texts[experiment.authority] if experiment.authority else None)
    if name in ORIGINS:
        return ORIGINS[name]
    server, _, configuration = name.partition(":")
    return CONFIGURABLE[server](experiment.texts[configuration])
