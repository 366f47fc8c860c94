"""How much a server's first flight weighs with an origin's certificates, and what QUIC allows it."""

from collections.abc import Mapping, Sequence
from typing import Any

from pronghorn.model.certificate import KeyKind

DATAGRAM_BYTES = 1200
"""The least size of a datagram with a client's Initial packet (RFC 9000 §14.1)."""

HYBRID_BYTES = 1088
"""What a server's key share of X25519MLKEM768 has beyond one of X25519 (draft-ietf-tls-ecdhe-mlkem)."""

LIMIT_BYTES = 3 * 2 * DATAGRAM_BYTES
"""What may be sent in answer to two such datagrams: a ClientHello with a key share of X25519MLKEM768, as
Chromium and the native loader send it where they aren't told otherwise, doesn't fit into one."""

_SIGNATURES: Mapping[KeyKind, int] = {"p256": 72, "rsa2048": 256, "rsa4096": 512}
_SERVER_HELLO = 1211
_ENCRYPTED_EXTENSIONS = 100
_CERTIFICATE_VERIFY = 8
_FINISHED = 52
_CERTIFICATE_MESSAGE = 8
_CERTIFICATE_ENTRY = 5
_DATAGRAM_OVERHEAD = 60
_DATAGRAMS = 3


def first_flight_bytes(key: KeyKind, certificates: Sequence[int]) -> int:
    """Roughly the bytes of a server's first flight: ServerHello with a key share of X25519MLKEM768, the sizes
    of its `certificates` (DER), its signature with a key of that kind, and the headers of three datagrams."""
    messages = _SERVER_HELLO + _ENCRYPTED_EXTENSIONS + _CERTIFICATE_VERIFY + _SIGNATURES[key] + _FINISHED
    chain = _CERTIFICATE_MESSAGE + sum(size + _CERTIFICATE_ENTRY for size in certificates)
    return messages + chain + _DATAGRAMS * _DATAGRAM_OVERHEAD


def describe(key: KeyKind, certificates: Sequence[int]) -> dict[str, Any]:
    """The origin's certificates, for the manifest."""
    return {
        "key": key,
        "certificates": len(certificates),
        "chain_bytes": sum(certificates),
        "first_flight_bytes": first_flight_bytes(key, certificates),
    }
