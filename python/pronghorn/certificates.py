"""A run's own certificate authority and the origin's certificate under it, made anew for every run."""

import datetime
import ipaddress
import os
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

HOST_NAME = "origin.pronghorn.test"
"""The origin's name; `.test` is reserved (RFC 6761 §6.2)."""

ADDRESSES = ("127.0.0.1", "198.18.0.2")
"""The origin's addresses: on the path `direct`, and on a bench (RFC 2544's benchmarking network)."""

LIFETIME = datetime.timedelta(days=30)


class Certificates(NamedTuple):
    """PEM files: the authority's certificate, the origin's chain, its PKCS#8 key."""

    authority: Path
    chain: Path
    key: Path


def make(directory: Path) -> Certificates:
    """A P-256 authority and a P-256 leaf for the origin, written to `directory`; the key is readable by its
    owner only.

    The authority's own key is never written. Raises OSError where the files can't be.
    """
    now = datetime.datetime.now(datetime.UTC)
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Pronghorn, this run only")])
    authority_identifier = x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key())
    authority = (
        _builder(authority_name, authority_name, authority_key.public_key(), now)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(authority_identifier, critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    key = ec.generate_private_key(ec.SECP256R1())
    names = [
        x509.DNSName(HOST_NAME),
        *(x509.IPAddress(ipaddress.ip_address(address)) for address in ADDRESSES),
    ]
    leaf = (
        _builder(
            x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST_NAME)]),
            authority_name,
            key.public_key(),
            now,
        )
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(authority_identifier),
            critical=False,
        )
        .sign(authority_key, hashes.SHA256())
    )
    files = Certificates(directory / "authority.pem", directory / "origin.pem", directory / "origin.key")
    _write(files.authority, authority.public_bytes(serialization.Encoding.PEM))
    _write(files.chain, leaf.public_bytes(serialization.Encoding.PEM))
    _write(
        files.key,
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
    )
    return files


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now: datetime.datetime
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
