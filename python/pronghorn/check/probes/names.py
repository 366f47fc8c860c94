"""What the resolver says of a host: its addresses and its HTTPS records."""

import asyncio
import contextlib
import socket
import threading
from typing import Any

import dns.asyncresolver
import dns.exception
import dns.resolver
from dns.rdtypes.svcbbase import ALPNParam, IPv4HintParam, IPv6HintParam, ParamKey, PortParam

from pronghorn.check.facts import Names, Record
from pronghorn.check.target import Settings, Target

LIMIT_S = 2.6
"""How long the resolver may take."""

_MOST_ALIASES = 3
_KEYS = {1, 2, 3, 4, 5, 6}
"""Those of RFC 9460: alpn, no-default-alpn, port, ipv4hint, ech, ipv6hint."""

_ABSENT = (dns.resolver.NoAnswer, dns.resolver.NXDOMAIN)


async def ask(target: Target, settings: Settings, limit_s: float = LIMIT_S) -> Names:
    """All at once, within the limit. A host that is an address has no records."""
    owner = target.host if target.port == 443 else f"_{target.port}._https.{target.host}"
    if target.is_address:
        return Names((target.host,), None, (), owner)
    try:
        resolver = _resolver(settings, limit_s)
    except (dns.exception.DNSException, OSError) as error:
        addresses, fault = await _system(target, limit_s)
        return Names(addresses, None, None, owner, fault, f"this host has no resolver: {error}")
    system, v4, v6, records = await asyncio.gather(
        _system(target, limit_s),
        _addresses(resolver, target.host, "A"),
        _addresses(resolver, target.host, "AAAA"),
        _records(resolver, owner),
    )
    found = None if v4 is None or v6 is None else (*v4, *v6)
    addresses, fault = system
    if settings.resolver is not None:
        addresses = (*(v4 or ()), *(v6 or ()))
        failed = [kind for kind, each in (("A", v4), ("AAAA", v6)) if each is None]
        fault = f"the resolver did not answer for {' and '.join(failed)}" if failed else ""
    if isinstance(records, str):
        return Names(addresses, found, None, owner, fault, records)
    return Names(addresses, found, records, owner, fault)


def _resolver(settings: Settings, limit_s: float) -> dns.asyncresolver.Resolver:
    resolver = dns.asyncresolver.Resolver(configure=settings.resolver is None)
    if settings.resolver is not None:
        resolver.nameservers = [settings.resolver[0]]
        resolver.port = settings.resolver[1]
    resolver.timeout, resolver.lifetime = 1.1, max(0.1, min(limit_s, LIMIT_S) - 0.3)
    return resolver


async def _system(target: Target, limit_s: float) -> tuple[tuple[str, ...], str]:
    """As programs of this host find them, its hosts file included; why there are none."""
    try:
        async with asyncio.timeout(limit_s):
            found = await _getaddrinfo(target.host, target.port)
    except TimeoutError:
        return (), "the system's resolver did not answer"
    except OSError as error:
        return (), f"the system's resolver: {error.strerror}"
    return tuple(dict.fromkeys(str(each[4][0]) for each in found)), ""


async def _getaddrinfo(host: str, port: int) -> list[Any]:
    """As the loop's own, in a thread that the program's end doesn't wait for: getaddrinfo has no limit."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[list[Any]] = loop.create_future()

    def settle(found: list[Any] | None, error: OSError | None) -> None:
        if not done.done():
            done.set_exception(error) if error is not None else done.set_result(found or [])

    def ask() -> None:
        answer: tuple[list[Any] | None, OSError | None] = None, None
        try:
            answer = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM), None
        except OSError as error:
            answer = None, error
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, *answer)

    threading.Thread(target=ask, daemon=True).start()
    return await done


async def _addresses(resolver: dns.asyncresolver.Resolver, host: str, kind: str) -> tuple[str, ...] | None:
    try:
        answer = await resolver.resolve(host, kind, search=False)
    except _ABSENT:
        return ()
    except (dns.exception.DNSException, OSError):
        return None
    return tuple(each.to_text() for each in answer)


async def _records(
    resolver: dns.asyncresolver.Resolver, owner: str, aliases: int = 0
) -> tuple[Record, ...] | str:
    """The HTTPS records, or why it isn't known whether there are any. An alias comes before those that it
    leads to (RFC 9460 §2.4.2)."""
    try:
        answer = await resolver.resolve(owner, "HTTPS", search=False)
    except _ABSENT:
        return ()
    except dns.resolver.NoNameservers:
        return "the resolver refused or failed (it may not know HTTPS records)"
    except (dns.exception.DNSException, OSError) as error:
        return f"the resolver did not answer ({type(error).__name__})"
    known = [each for each in answer if _understood(each)]
    if answer and not known:
        return "they demand that clients know keys which check does not"
    records = tuple(sorted((_record(each, owner) for each in known), key=lambda each: each.priority))
    alias = next((each for each in records if not each.priority and each.target != owner), None)
    if alias is None:
        return records
    if aliases == _MOST_ALIASES:
        return f"more than {_MOST_ALIASES} aliases lead from one to the next"
    further = await _records(resolver, alias.target, aliases + 1)
    return further if isinstance(further, str) else (alias, *further)


def _understood(data: object) -> bool:
    """Whether its mandatory keys are known here; clients ignore a record with others (RFC 9460 §8)."""
    demanded = getattr(data, "params", {}).get(ParamKey.MANDATORY)
    return {int(each) for each in getattr(demanded, "keys", ())} <= _KEYS


def _record(data: object, owner: str) -> Record:
    params = getattr(data, "params", {})
    alpn, port = params.get(ParamKey.ALPN), params.get(ParamKey.PORT)
    hints = [
        address
        for key, kind in ((ParamKey.IPV4HINT, IPv4HintParam), (ParamKey.IPV6HINT, IPv6HintParam))
        if isinstance(given := params.get(key), kind)
        for address in given.addresses
    ]
    target = str(getattr(data, "target", ".")).rstrip(".").lower()
    return Record(
        int(getattr(data, "priority", 0)),
        target or owner,
        tuple(each.decode("latin-1") for each in alpn.ids) if isinstance(alpn, ALPNParam) else (),
        ParamKey.NO_DEFAULT_ALPN in params,
        port.port if isinstance(port, PortParam) else None,
        tuple(hints),
    )
