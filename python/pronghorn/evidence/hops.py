"""The way to a page over HTTP/1.1: its redirects, and what each response offers."""

import contextlib
import http.client
import socket
import ssl
import threading
from pathlib import Path
from urllib.parse import urljoin

from pronghorn import __version__
from pronghorn.errors import InputError, NothingMeasured
from pronghorn.evidence.target import Target, target
from pronghorn.foreign import line
from pronghorn.traps.facts import Hop

_WITHIN_S = 10.0
_HEADERS = {"user-agent": f"pronghorn/{__version__}", "accept": "*/*"}
_MOST = 5
_REDIRECTS = (301, 302, 303, 307, 308)


def trusting(authority: Path | None) -> ssl.SSLContext:
    """TLS that trusts the system's authorities, or that one alone; InputError where the file holds none."""
    try:
        return ssl.create_default_context(cafile=str(authority) if authority else None)
    except ssl.SSLError:
        raise InputError(f"--authority {authority}: this file has no certificate in PEM.") from None
    except OSError as error:
        raise InputError(f"--authority {authority}: {error.strerror}.") from None


def follow(first: Target, context: ssl.SSLContext) -> tuple[Target, tuple[Hop, ...]]:
    """Where the page is in the end, and the responses on the way. NothingMeasured where none came."""
    now, hops = first, []
    for _ in range(_MOST):
        hop, location = _asked(now, context)
        hops.append(hop)
        if hop.status not in _REDIRECTS or location is None:
            return now, tuple(hops)
        try:
            now = target(urljoin(f"https://{now.authority}{now.document}", location))
        except (InputError, ValueError):
            raise NothingMeasured(
                f"{now.shown} redirects to what is no https:// address: {line(location.partition('?')[0])}."
            ) from None
    raise NothingMeasured(f"{first.shown}: more than {_MOST} redirects.", hint="Name the page itself.")


def _asked(now: Target, context: ssl.SSLContext) -> tuple[Hop, str | None]:
    """What an address answers, and where it sends on to: its header, within `_WITHIN_S` in all. A server that
    sends a byte now and then is cut off."""
    connection = http.client.HTTPSConnection(now.host, now.port, context=context)
    try:
        raw = socket.create_connection((now.host, now.port), timeout=_WITHIN_S)
        with raw.dup() as same, contextlib.closing(connection):
            cut = threading.Timer(_WITHIN_S, _shut, (same,))
            cut.daemon = True
            cut.start()
            try:
                connection.sock = context.wrap_socket(raw, server_hostname=now.host)
                connection.request("GET", now.document, headers=_HEADERS)
                answer = connection.getresponse()
            finally:
                cut.cancel()
                cut.join()
            told = answer.getheader("alt-svc"), answer.getheader("server"), answer.status
            return Hop(now.host, now.port, *told), answer.getheader("location")
    except (OSError, http.client.HTTPException) as error:
        raise _unreached(now, error) from error


def _shut(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)


def _unreached(now: Target, error: Exception) -> NothingMeasured:
    if isinstance(error, ssl.SSLCertVerificationError):
        return NothingMeasured(
            f"{now.shown}: its certificate is not trusted: {line(error.verify_message)}.",
            hint="Of an authority of your own: --authority FILE",
        )
    said = line(getattr(error, "strerror", None) or str(error) or type(error).__name__)
    return NothingMeasured(f"{now.shown}: no answer over TCP: {said}.", hint="Is the address right?")
