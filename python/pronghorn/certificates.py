"""A run's own certificate authority and the origin's certificate under it, made anew for every run."""

import datetime
import ipaddress
import os
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

LIFETIME = datetime.timedelta(days=30)


DEFAULT = CertificateSettings()
"""A P-256 leaf right under a P-256 authority."""

_Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey


class Certificates(NamedTuple):
    """PEM files: the authority's certificate, the origin's chain, its PKCS#8 key."""

    authority: Path
    chain: Path
    key: Path


class _Issuer(NamedTuple):
    """Who signs."""

    certificate: x509.Certificate
    key: _Key

    @property
    def identifier(self) -> x509.AuthorityKeyIdentifier:
        """How what it signs names it (RFC 5280 §4.2.1.1)."""
        own = self.certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
        return x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(own)


def make(directory: Path, settings: CertificateSettings = DEFAULT) -> Certificates:
    """An authority, the intermediates that `settings` ask for and a leaf for the origin, written to
    `directory`; all keys are of the kind asked for, the leaf's is readable by its owner only.

    The chain is the leaf and the intermediates, without the authority (RFC 8446 §4.4.2). The keys of those
    who sign are never written. Raises OSError where the files can't be.
    """
    now = datetime.datetime.now(datetime.UTC)
    authority_key = _key(settings.key)
    authority_name = _name("Pronghorn, this run only")
    authority = (
        _builder(authority_name, authority_name, authority_key.public_key(), now)
        .add_extension(x509.BasicConstraints(ca=True, path_length=settings.intermediates), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    issuer = _Issuer(authority, authority_key)
    chain: list[x509.Certificate] = []
    for below in reversed(range(settings.intermediates)):
        issuer = _intermediate(issuer, below, _key(settings.key), now)
        chain.insert(0, issuer.certificate)
    key = _key(settings.key)
    chain.insert(0, _leaf(issuer, key, now))
    files = Certificates(directory / "authority.pem", directory / "origin.pem", directory / "origin.key")
    _write(files.authority, authority.public_bytes(serialization.Encoding.PEM))
    _write(files.chain, b"".join(each.public_bytes(serialization.Encoding.PEM) for each in chain))
    _write(
        files.key,
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
    )
    return files


def sizes(files: Certificates) -> list[int]:
    """The bytes (DER) of each certificate that the origin sends, the leaf's first."""
    chain = x509.load_pem_x509_certificates(files.chain.read_bytes())
    return [len(each.public_bytes(serialization.Encoding.DER)) for each in chain]


def _intermediate(issuer: _Issuer, below: int, key: _Key, now: datetime.datetime) -> _Issuer:
    """An authority under `issuer`, with `below` further ones under it."""
    certificate = (
        _builder(
            _name(f"Pronghorn, intermediate {below + 1}"), issuer.certificate.subject, key.public_key(), now
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=below), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(issuer.identifier, critical=False)
        .sign(issuer.key, hashes.SHA256())
    )
    return _Issuer(certificate, key)


def _leaf(issuer: _Issuer, key: _Key, now: datetime.datetime) -> x509.Certificate:
    names = [
        x509.DNSName(HOST_NAME),
        *(x509.IPAddress(ipaddress.ip_address(address)) for address in ADDRESSES),
    ]
    return (
        _builder(_name(HOST_NAME), issuer.certificate.subject, key.public_key(), now)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(issuer.identifier, critical=False)
        .sign(issuer.key, hashes.SHA256())
    )


def _key(kind: KeyKind) -> _Key:
    match kind:
        case "p256":
            return ec.generate_private_key(ec.SECP256R1())
        case "rsa2048":
            return rsa.generate_private_key(public_exponent=65537, key_size=2048)
        case "rsa4096":
            return rsa.generate_private_key(public_exponent=65537, key_size=4096)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey | rsa.RSAPublicKey,
    now: datetime.datetime,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + LIFETIME)
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
