"""Certificates with faults, under an authority of their own."""

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from pronghorn import certificates
from pronghorn.certificates import HOST_NAME
from pronghorn.model.certificate import CertificateSettings

KINDS = ("sound", "expired", "soon", "name", "incomplete", "untrusted", "long")
_DAY = datetime.timedelta(days=1)


class Identity(NamedTuple):
    """PEM files: whom a visitor trusts, what the server sends, its key."""

    authority: Path
    chain: Path
    key: Path


def make(kind: str, folder: Path) -> Identity:
    """A server's certificate with one fault, or none (`sound`)."""
    folder.mkdir(exist_ok=True)
    match kind:
        case "expired":
            return _own(folder, (HOST_NAME,), ends=-1)
        case "early":
            return _own(folder, (HOST_NAME,), begins=2, ends=30)
        case "extra":  # an old authority that nobody needs
            files = certificates.make(folder, CertificateSettings(intermediates=1))
            more = _own(folder, ("old.pronghorn.test",), ends=-1).chain.read_bytes()
            whole = folder / "more.pem"
            whole.write_bytes(files.chain.read_bytes() + more)
            return Identity(files.authority, whole, files.key)
        case "soon":
            return _own(folder, (HOST_NAME,), ends=0.5)
        case "name":
            return _own(folder, ("other.pronghorn.test",), ends=30)
        case "untrusted":
            made = _own(folder, (HOST_NAME,), ends=30, self_signed=True)
            other = certificates.make(folder)
            return made._replace(authority=other.authority)
        case "long":
            return _own(folder, (HOST_NAME, *(f"shop-{each}.pronghorn.test" for each in range(180))), ends=30)
        case "incomplete":
            files = certificates.make(folder, CertificateSettings(intermediates=1))
            alone = folder / "leaf.pem"
            leaf = x509.load_pem_x509_certificates(files.chain.read_bytes())[0]
            alone.write_bytes(leaf.public_bytes(serialization.Encoding.PEM))
            return Identity(files.authority, alone, files.key)
    files = certificates.make(folder, CertificateSettings(intermediates=1))
    return Identity(files.authority, files.chain, files.key)


def _own(
    folder: Path, names: Sequence[str], *, ends: float, begins: float = -400, self_signed: bool = False
) -> Identity:
    """A leaf that begins and ends so many days from now, under an authority or signed by itself."""
    root_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    root = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test authority")])
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
    authority = _dated(root, root, root_key, -400, 3650).add_extension(
        x509.BasicConstraints(ca=True, path_length=None), critical=True
    )
    leaf = _dated(subject, subject if self_signed else root, key, begins, ends).add_extension(
        x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False
    )
    made = Identity(folder / "own-authority.pem", folder / "own.pem", folder / "own.key")
    pem = serialization.Encoding.PEM
    made.authority.write_bytes(authority.sign(root_key, hashes.SHA256()).public_bytes(pem))
    signer = key if self_signed else root_key
    made.chain.write_bytes(leaf.sign(signer, hashes.SHA256()).public_bytes(pem))
    made.key.write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return made


def _dated(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, begins: float, ends: float
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + begins * _DAY)
        .not_valid_after(now + ends * _DAY)
    )
