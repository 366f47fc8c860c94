"""The servers under test, one file each; a new one is one more file, one line here and its name in
`model/stacks.py`."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pronghorn.model import origin_name
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

_MADE: Mapping[str, Callable[[str | None], Origin]] = MappingProxyType(
    {
        "caddy": lambda version: Caddy(version=version),
        "caddy:tuned": lambda version: Caddy(tuned=True, version=version),
        "haproxy": lambda version: HAProxy(version=version),
        "haproxy:tuned": lambda version: HAProxy(tuned=True, version=version),
        "nginx": lambda version: Nginx(version=version),
        "nginx:patient": lambda version: Nginx(nginx_conf.patient, version=version),
        "nginx:tuned": lambda version: Nginx(nginx_conf.tuned, version=version),
    }
)
"""The origins of which a name may say the version, by their names without one."""

ORIGINS: Mapping[str, Origin] = MappingProxyType(
    {"builtin": Builtin(), **{name: make(None) for name, make in _MADE.items()}}
)
"""By their names, which are those of `stacks.ORIGINS`; foreign ones of the newest version."""

CONFIGURABLE: Mapping[str, Callable[[str, str | None], Origin]] = MappingProxyType(
    {
        "caddy": lambda text, version: Caddy(configuration=text, version=version),
        "nginx": lambda text, version: Nginx(configuration=text, version=version),
    }
)
"""The servers of `stacks.CONFIGURABLE`, each with what makes an origin of a configuration's text and of a
version."""

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
    """The origin that has the `name`, with a version or without, in every experiment; KeyError where there is
    none."""
    asked = origin_name.parts(name)
    return ORIGINS[name] if asked.version is None else _MADE[asked.plain](asked.version)


def of(experiment: Experiment, name: str) -> Origin:
    """The origin that `name` means in an experiment; KeyError where it is none of its origins. InputError
    where its configuration is wrong."""
    if name in experiment.own_origins:
        return Command(name, experiment.own_origins[name])
    if is_url(name):
        return Live(name, experiment.texts[experiment.authority] if experiment.authority else None)
    asked = origin_name.parts(name)
    if asked.plain in ORIGINS:
        return find(name)
    if asked.rest is None:
        raise KeyError(name)
    return CONFIGURABLE[asked.server](experiment.texts[asked.rest], asked.version)
