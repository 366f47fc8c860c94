"""One address over HTTP: its final address, its kind and its bytes, within bounds."""

import http.client
import socket
import ssl
import urllib.error
import urllib.request
from typing import NamedTuple

from pronghorn import __version__

MOST_BYTES = 256 * 2**20
"""Of one resource."""

_PIECE = 2**16


class Failed(Exception):
    """An address could not be had; the text says why."""


class Fetched(NamedTuple):
    """Where it was found in the end, what it is (a media type) and its bytes."""

    address: str
    kind: str
    charset: str
    content: bytes


def fetch(address: str, *, within_s: float, most: int = MOST_BYTES) -> Fetched:
    """Failed where it can't be had: no answer, a status that is no success, more than `most` bytes. Each wait
    is `within_s` at most."""
    asked = urllib.request.Request(
        address,
        headers={
            "User-Agent": f"pronghorn/{__version__} (mirror)",
            "Accept": "*/*",
            "Accept-Encoding": "identity",
        },
    )
    try:
        with urllib.request.urlopen(asked, timeout=within_s) as answer:
            content = bytearray()
            while piece := answer.read(_PIECE):
                content += piece
                if len(content) > most:
                    raise Failed(f"larger than {most} bytes")
            headers = answer.headers
            coding = headers.get("Content-Encoding", "identity")
            if coding != "identity":
                raise Failed(f"compressed as {coding}, although the request excluded that")
            kind, charset = headers.get_content_type(), headers.get_content_charset() or "utf-8"
            return Fetched(answer.geturl(), kind, charset, bytes(content))
    except urllib.error.HTTPError as error:
        raise Failed(f"status {error.code}") from None
    except urllib.error.URLError as error:
        raise Failed(_reason(error.reason)) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Failed(_reason(error)) from None


def _reason(error: object) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return f"its certificate isn't trusted: {error.verify_message}"
        case socket.gaierror():
            return "no such host"
        case TimeoutError():
            return "no answer in time"
        case OSError() if error.strerror:
            return error.strerror
        case _:
            return str(error) or type(error).__name__
