"""A run's own certificate authority and the origin's certificate under it, made anew for every run; in
virtual time they follow from its seed."""

import datetime
import ipaddress
import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from pronghorn.model.certificate import CertificateSettings, KeyKind

HOST_NAME = "origin.pronghorn.test"
"""The origin's name; `.test` is reserved (RFC 6761 §6.2)."""

ADDRESSES = ("127.0.0.1", "198.18.0.2")
"""The origin's addresses: on the path `direct`, and on a bench (RFC 2544's benchmarking network)."""

IPV6_ADDRESS = "fd70:726f:6e67::2"
"""Its address on a bench of IPv6 (crates/bench, `network/addressing.rs`)."""

LIFETIME = datetime.timedelta(days=30)

SETTLED_LIFETIME = datetime.timedelta(days=20 * 365)
"""Certificates are dated back to where a guest's clock starts, so they are valid on this machine as well."""


DEFAULT = CertificateSettings()
"""A P-256 leaf right under a P-256 authority."""

_Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


class Leaf(NamedTuple):
    """PEM files of a certificate for other names than the origin's: its chain, its PKCS#8 key."""

    chain: Path
    key: Path


class Certificates(NamedTuple):
    """PEM files: the authority's certificate, the origin's chain, its PKCS#8 key. `leaves` are the same
    authority's for other names, in the order in which they were asked for."""

    authority: Path
    chain: Path
    key: Path
    leaves: tuple[Leaf, ...] = ()


class Settled(NamedTuple):
    """What makes the same certificates again: when they are made, and a seed."""

    at: datetime.datetime
    seed: int


class _Maker:
    """Makes keys and serial numbers, by chance or as `settled` says."""

    def __init__(self, settled: Settled | None) -> None:
        self.now = settled.at if settled else datetime.datetime.now(datetime.UTC)
        self.settled = settled is not None
        self._random = random.Random(settled.seed) if settled else random.SystemRandom()

    def key(self, kind: KeyKind) -> "_Key":
        """A new key. One of RSA always is by chance: its size, which is all that a path sees of it, is the
        kind's."""
        match kind:
            case "p256":
                curve = ec.SECP256R1()
                if self.settled:
                    return ec.derive_private_key(self._random.randrange(1, _P256_ORDER), curve)
                return ec.generate_private_key(curve)
            case "rsa2048":
                return rsa.generate_private_key(public_exponent=65537, key_size=2048)
            case "rsa4096":
                return rsa.generate_private_key(public_exponent=65537, key_size=4096)

    def serial_number(self) -> int:
        """Positive and of 20 octets (RFC 5280 §4.1.2.2)."""
        return self._random.getrandbits(158) | 1 << 158

    def sign(self, builder: x509.CertificateBuilder, key: "_Key") -> x509.Certificate:
        """The certificate."""
        if self.settled and isinstance(key, ec.EllipticCurvePrivateKey):
            return builder.sign(key, hashes.SHA256(), ecdsa_deterministic=True)
        return builder.sign(key, hashes.SHA256())


_P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""The order of P-256's group (SEC 2 §2.4.2)."""


class _Issuer(NamedTuple):
    """Who signs."""

    certificate: x509.Certificate
    key: _Key

    @property
    def identifier(self) -> x509.AuthorityKeyIdentifier:
        """How what it signs names it (RFC 5280 §4.2.1.1)."""
        own = self.certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
        return x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(own)


def make(
    directory: Path,
    settings: CertificateSettings = DEFAULT,
    *,
    settled: Settled | None = None,
    names: Sequence[Sequence[str]] = (),
    ipv6: bool = False,
) -> Certificates:
    """An authority, the intermediates that `settings` ask for and a leaf for the origin, written to
    `directory`; all keys are of the kind asked for, the leaf's is readable by its owner only.
    With `settled` they are the same each time. For each of `names`, which are hosts that share a certificate,
    there is a leaf beside it, under the same issuer. The origin's has its address of IPv6 with `ipv6` alone,
    since each name makes the handshake longer.

    The chain is the leaf and the intermediates, without the authority (RFC 8446 §4.4.2). The keys of those
    who sign are never written. Raises OSError where the files can't be.
    """
    maker = _Maker(settled)
    authority_key = maker.key(settings.key)
    authority_name = _name("Pronghorn, this run only")
    authority = maker.sign(
        _builder(authority_name, authority_name, authority_key.public_key(), maker)
        .add_extension(x509.BasicConstraints(ca=True, path_length=settings.intermediates), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), critical=False),
        authority_key,
    )
    issuer = _Issuer(authority, authority_key)
    chain: list[x509.Certificate] = []
    for below in reversed(range(settings.intermediates)):
        issuer = _intermediate(issuer, below, maker.key(settings.key), maker)
        chain.insert(0, issuer.certificate)
    files = Certificates(directory / "authority.pem", directory / "origin.pem", directory / "origin.key")
    _write(files.authority, authority.public_bytes(serialization.Encoding.PEM))
    own = (HOST_NAME, *ADDRESSES, *([IPV6_ADDRESS] if ipv6 else []))
    _write_leaf(Leaf(files.chain, files.key), own, issuer, chain, maker.key(settings.key), maker)
    leaves = [
        Leaf(directory / f"host-{number}.pem", directory / f"host-{number}.key")
        for number in range(1, len(names) + 1)
    ]
    for leaf, hosts in zip(leaves, names, strict=True):
        _write_leaf(leaf, hosts, issuer, chain, maker.key(settings.key), maker)
    return files._replace(leaves=tuple(leaves))


def sizes(files: Certificates) -> list[int]:
    """The bytes (DER) of each certificate that the origin sends, the leaf's first."""
    chain = x509.load_pem_x509_certificates(files.chain.read_bytes())
    return [len(each.public_bytes(serialization.Encoding.DER)) for each in chain]


def _intermediate(issuer: _Issuer, below: int, key: _Key, maker: _Maker) -> _Issuer:
    """An authority under `issuer`, with `below` further ones under it."""
    certificate = maker.sign(
        _builder(
            _name(f"Pronghorn, intermediate {below + 1}"), issuer.certificate.subject, key.public_key(), maker
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=below), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(issuer.identifier, critical=False),
        issuer.key,
    )
    return _Issuer(certificate, key)


def _write_leaf(
    leaf: Leaf,
    names: Sequence[str],
    issuer: _Issuer,
    above: Sequence[x509.Certificate],
    key: _Key,
    maker: _Maker,
) -> None:
    """Writes a leaf for `names` with the certificates `above` it, and its key."""
    chain = (_leaf(issuer, names, key, maker), *above)
    _write(leaf.chain, b"".join(each.public_bytes(serialization.Encoding.PEM) for each in chain))
    _write(
        leaf.key,
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
    )


def _leaf(issuer: _Issuer, names: Sequence[str], key: _Key, maker: _Maker) -> x509.Certificate:
    # A common name has 64 characters at most (RFC 5280, appendix A.1).
    return maker.sign(
        _builder(_name(names[0][:64]), issuer.certificate.subject, key.public_key(), maker)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([_alternative(name) for name in names]), critical=False)
        .add_extension(issuer.identifier, critical=False),
        issuer.key,
    )


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey | rsa.RSAPublicKey,
    maker: _Maker,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(maker.serial_number())
        .not_valid_before(maker.now - datetime.timedelta(days=1))
        .not_valid_after(maker.now + (SETTLED_LIFETIME if maker.settled else LIFETIME))
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _write(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
