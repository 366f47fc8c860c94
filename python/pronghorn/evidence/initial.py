"""A first packet of QUIC version 1 as a client sends it (RFC 9000 §17.2.2, RFC 9001 §5): enough for a server
that asks new clients to come again by a Retry, which it does before it reads what the packet says."""

import os

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

LEAST = 1200
"""The least length of a datagram with an Initial packet (RFC 9000 §14.1)."""

_SALT = bytes.fromhex("38762cf7f55934b34d179ae6a4c80cadccbb7f0a")
_TAG, _NUMBER, _SAMPLE = 16, 4, 16
_VERSION_1 = b"\x00\x00\x00\x01"
_UNKNOWN_VERSION = b"\x1a\x2a\x3a\x4a"
_LONG_RETRY = 0xF0


def initial(ahead: bytes) -> bytes:
    """A datagram with an Initial packet that holds `ahead` in a frame CRYPTO."""
    to, mine = os.urandom(8), os.urandom(8)
    body_length = LEAST - (1 + 4 + 1 + 8 + 1 + 8 + 1 + 2)
    frame = b"\x06\x00" + _varint2(len(ahead)) + ahead
    plain = frame.ljust(body_length - _NUMBER - _TAG, b"\0")
    header = b"\xc3" + _VERSION_1 + b"\x08" + to + b"\x08" + mine + b"\0" + _varint2(body_length)
    header += bytes(_NUMBER)
    secret, iv, protection = keys(to)
    sealed = AESGCM(secret).encrypt(iv, plain, header)
    # The packet number is 0, so the nonce is the IV. §5.4: the sample begins 4 bytes after the number does.
    mask = Cipher(algorithms.AES(protection), modes.ECB()).encryptor().update(sealed[:_SAMPLE])
    hidden = bytes(one ^ by for one, by in zip(header[-_NUMBER:], mask[1:], strict=False))
    return bytes([header[0] ^ (mask[0] & 0x0F)]) + header[1:-_NUMBER] + hidden + sealed


def unknown_version(length: int) -> bytes:
    """A datagram of a version that nobody speaks, which QUIC servers should answer by those that they do
    (RFC 9000 §5.2.2)."""
    head = b"\xc0" + _UNKNOWN_VERSION + b"\x08" + os.urandom(8) + b"\x08" + os.urandom(8)
    return head.ljust(length, b"\0")


def is_negotiation(datagram: bytes) -> bool:
    """Whether this is a Version Negotiation packet."""
    return len(datagram) >= 7 and bool(datagram[0] & 0x80) and datagram[1:5] == bytes(4)


def is_retry(datagram: bytes) -> bool:
    """Whether this is a Retry packet of version 1."""
    return len(datagram) >= 7 and datagram[0] & 0xF0 == _LONG_RETRY and datagram[1:5] == _VERSION_1


def keys(to: bytes) -> tuple[bytes, bytes, bytes]:
    """Key, IV and header protection of a client's first packets to this connection ID (RFC 9001 §5.2)."""
    extract = HMAC(_SALT, SHA256())
    extract.update(to)
    client = _expanded(extract.finalize(), b"client in", 32)
    key, iv = _expanded(client, b"quic key", 16), _expanded(client, b"quic iv", 12)
    return key, iv, _expanded(client, b"quic hp", 16)


def _expanded(secret: bytes, label: bytes, length: int) -> bytes:
    """HKDF-Expand-Label (RFC 8446 §7.1)."""
    name = b"tls13 " + label
    info = length.to_bytes(2, "big") + bytes([len(name)]) + name + b"\0"
    return HKDFExpand(SHA256(), length, info).derive(secret)


def _varint2(value: int) -> bytes:
    return (0x4000 | value).to_bytes(2, "big")
