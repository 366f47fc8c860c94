"""The origins and clients that an experiment names: known ones, ones of one's own, live servers by their
URL."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pronghorn.errors import unknown
from pronghorn.model import origin_name, own_stack
from pronghorn.model.experiment_reader import ExperimentReader
from pronghorn.model.own_stack import Kind, OwnStack
from pronghorn.model.path.texts import Texts

ORIGINS = (
    "builtin",
    "caddy",
    "caddy:tuned",
    "haproxy",
    "haproxy:tuned",
    "nginx",
    "nginx:patient",
    "nginx:tuned",
)
"""The named origins; a variant's name is `SERVER:VARIANT`. With a version it is `SERVER@VERSION:VARIANT`
(`origin_name`)."""

CONFIGURABLE = ("caddy", "nginx")
"""The servers that take your own configuration; such an origin's name is `SERVER[@VERSION]:FILE`."""

CLIENTS = ("native", "chromium", "load")
"""The named clients."""

CONFIGURATIONS = "configurations"
"""The folder of a run's directory for your own configurations of servers."""

_OWN_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


class Stacks(NamedTuple):
    """The `names` in the experiment's order; those which it defines itself in `own`; the texts of files that
    they name, by the names under which a run keeps them."""

    names: tuple[str, ...]
    own: Mapping[str, OwnStack] = {}
    texts: Mapping[str, str] = {}


class Known(NamedTuple):
    """The names that stand for something without a definition; those of `configurable` may be followed by a
    colon and the file of a configuration."""

    names: Collection[str]
    configurable: Collection[str] = ()


def is_url(name: str) -> bool:
    """Whether an origin's name is the URL of a live server."""
    return "://" in name


def parse(reader: ExperimentReader, kind: Kind, known: Known, default: str) -> Stacks:
    """The stacks at the key `origins` or `clients`, a list of names or a table; InputError where one is
    wrong."""
    key = f"{kind}s"
    if isinstance(reader.table.get(key), dict):
        return _from_table(reader, kind, known)
    texts = Texts(CONFIGURATIONS)
    names = tuple(_name(reader, kind, known, name, texts) for name in reader.names(key, (default,)))
    return Stacks(names, {}, texts.by_name)


def definition(names: Collection[str], own: Mapping[str, OwnStack]) -> list[str] | dict[str, Any]:
    """The list or the table which parses to the same stacks again."""
    if not own:
        return list(names)
    return {name: own[name].definition() if name in own else {} for name in names}


def _from_table(reader: ExperimentReader, kind: Kind, known: Known) -> Stacks:
    key = f"{kind}s"
    tables = reader.sub(key, "[…]")
    if not tables.table:
        raise reader.error(key, f'this table is empty; write {key} = ["…"] or [{key}.NAME].')
    own: dict[str, OwnStack] = {}
    texts = Texts(CONFIGURATIONS)
    names = []
    for name, value in tables.table.items():
        if not isinstance(value, dict):
            raise tables.error(
                name,
                f"{value!r} is no table; write [{key}.{name}] with a 'command', or {{}} for a known one.",
            )
        if "command" in value:
            own[name] = _own(tables, kind, known, name)
        elif value:
            raise tables.error(
                name,
                f"{_a(kind)} of your own lacks its 'command'."
                if name not in known.names
                else f"{name!r} is a known {kind}, which takes no keys here. Write only [{key}.{name}].",
            )
        names.append(name if name in own else _name(tables, kind, known, name, texts))
    return Stacks(tuple(names), own, texts.by_name)


def _own(tables: ExperimentReader, kind: Kind, known: Known, name: str) -> OwnStack:
    if name in known.names:
        raise tables.error(name, f"{name!r} is a known {kind}. Give your own another name.")
    if not _OWN_NAME.fullmatch(name):
        raise tables.error(
            name, f"{name!r} is no name for {_a(kind)}: letters, digits, '-', '_' and '.' only."
        )
    return own_stack.parse(tables.sub(name, "{ command = … }"), kind)


def _name(reader: ExperimentReader, kind: Kind, known: Known, name: str, texts: Texts) -> str:
    """The name of a known stack as a resolved experiment has it."""
    key = None if reader.keys else f"{kind}s"
    if kind == "origin" and is_url(name):
        parts = _url(name)
        if parts is not None:
            raise reader.error(key, f"{name!r}: {parts}", element=name)
        return name
    try:
        asked = origin_name.parts(name)
    except ValueError as error:
        raise reader.error(key, f"{name!r}: {error}.", element=name) from None
    if asked.plain in known.names:
        return name
    base, file = asked.server, asked.rest
    if file is not None and base in known.configurable:
        try:
            texts.read(file, _folder(reader, kind), f"a configuration of {base}", (name,))
        except ValueError as error:
            variants = [each for each in known.names if each.startswith(f"{base}:")]
            raise reader.error(
                key,
                f"{name!r}: {error}, or one of its variants: {', '.join(variants) or 'there are none'}.",
                element=name,
            ) from None
        return f"{name.partition(':')[0]}:{texts.kept[(name,)]}"
    allowed = [*known.names, *(f"{base}:FILE" for base in known.configurable)]
    if kind == "origin":
        allowed.append("https://HOST/PATH")
    wrong = unknown(kind, name, allowed)
    raise reader.error(
        key, f"{wrong} To define your own: a table [{kind}s.NAME] with a 'command'.", element=name
    )


def _a(kind: Kind) -> str:
    return f"an {kind}" if kind == "origin" else f"a {kind}"


def _folder(reader: ExperimentReader, kind: Kind) -> Path:
    return reader.source.folder_of((f"{kind}s",))


def _url(text: str) -> str | None:
    """What is wrong with the URL of a live server."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        return f"this is no URL: {error}."
    if parts.scheme != "https":
        return "a live server is measured over https:// only."
    if not parts.hostname or port == 0:
        return "this URL names no host, or a port that is none; write https://HOST[:PORT]/PATH."
    if parts.username is not None or parts.fragment:
        return "the URL of a live server has neither a user nor a fragment."
    return None
