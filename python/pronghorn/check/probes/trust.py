"""The certificates that a server sent, read and judged as a browser would."""

import ssl
import warnings
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import service_identity.cryptography
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.utils import CryptographyDeprecationWarning
from OpenSSL import crypto

from pronghorn.check.facts import Certificate, Chain
from pronghorn.check.target import is_address

_ODD = (
    TypeError,
    ValueError,
    UnsupportedAlgorithm,
    x509.DuplicateExtension,
    x509.InvalidVersion,
    x509.UnsupportedGeneralNameType,
)
"""What cryptography raises of a certificate that it can't read."""

_UNSPECIFIED = 1
"""X509_V_ERR_UNSPECIFIED."""

_NO_CHECK_TIME = 0x200000
"""X509_V_FLAG_NO_CHECK_TIME: dates are judged apart."""


class Authorities:
    """Whom this host trusts: the system's authorities and those of a PEM file."""

    def __init__(self, file: Path | None) -> None:
        """OSError or ValueError if the file can't be read."""
        self._more = x509.load_pem_x509_certificates(file.read_bytes()) if file else []

    def judge(self, ders: Sequence[bytes], host: str) -> Chain | None:
        """The chain as facts; None if there is no certificate that can be read."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", CryptographyDeprecationWarning)  # a server's odd certificate
                certificates = [x509.load_der_x509_certificate(der) for der in ders]
                read = tuple(_read(each) for each in certificates)
        except _ODD:
            return None
        if not certificates:
            return None
        return Chain(read, _covers(certificates[0], host), *self._distrust(certificates))

    @cached_property
    def _stores(self) -> tuple[crypto.X509Store, ...]:
        """One that heeds dates, and one that doesn't; none without authorities."""
        made = (self._store(), self._store())
        if made[1] is not None:
            made[1].set_flags(_NO_CHECK_TIME)
        return tuple(each for each in made if each is not None)

    def _store(self) -> crypto.X509Store | None:
        system = ssl.create_default_context().get_ca_certs(binary_form=True)
        if not system and not self._more:
            return None
        store = crypto.X509Store()
        for each in self._more:
            store.add_cert(crypto.X509.from_cryptography(each))
        for der in system:  # not by cryptography, which warns of old authorities
            store.add_cert(crypto.load_certificate(crypto.FILETYPE_ASN1, der))
        return store

    def _distrust(
        self, certificates: Sequence[x509.Certificate]
    ) -> tuple[int | None, str, tuple[int, ...] | None]:
        """With regard to dates first, so that a path of valid certificates is found if there is one."""
        if not self._stores:
            return None, "this host has no trusted authorities", None
        told: tuple[int, str, tuple[int, ...] | None] = _UNSPECIFIED, "", None
        for store in self._stores:
            try:
                leaf, *others = [crypto.X509.from_cryptography(each) for each in certificates]
                path = crypto.X509StoreContext(store, leaf, others).get_verified_chain()
            except crypto.X509StoreContextError as error:
                told = int(error.errors[0] if error.errors else _UNSPECIFIED), str(error), None
            except crypto.Error as error:
                return _UNSPECIFIED, f"OpenSSL can't read it: {error}", None
            else:
                used = [each.to_cryptography() for each in path]
                return 0, "", tuple(at for at, each in enumerate(certificates) if each in used)
        return told


def _read(certificate: x509.Certificate) -> Certificate:
    try:
        alternatives = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        names = tuple(str(each.value) for each in alternatives)
    except (x509.ExtensionNotFound, *_ODD):
        names = ()
    subject, issuer = certificate.subject.rfc4514_string(), certificate.issuer.rfc4514_string()
    return Certificate(
        subject,
        issuer,
        names,
        certificate.not_valid_before_utc,
        certificate.not_valid_after_utc,
        subject == issuer,
        len(certificate.public_bytes(Encoding.DER)),
    )


def _covers(certificate: x509.Certificate, host: str) -> bool:
    try:
        if is_address(host):
            service_identity.cryptography.verify_certificate_ip_address(certificate, host)
        else:
            service_identity.cryptography.verify_certificate_hostname(certificate, host)
    except (service_identity.VerificationError, service_identity.CertificateError, *_ODD):
        return False
    return True
