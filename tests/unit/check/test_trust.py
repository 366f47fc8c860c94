"""Which of the certificates that a server sends count."""

import datetime
from dataclasses import replace
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from pronghorn.check.facts import Chain
from pronghorn.check.probes.trust import Authorities

from .made_facts import chain as judged
from .made_facts import codes

NOW = datetime.datetime.now(datetime.UTC)
DAY = datetime.timedelta(days=1)
KEYS = {name: ec.generate_private_key(ec.SECP256R1()) for name in ("old root", "root", "shop.example")}


def certificate(name: str, issuer: str, ends: float) -> x509.Certificate:
    """A certificate that ends so many days from now."""
    subject, by = (x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, each)]) for each in (name, issuer))
    made = x509.CertificateBuilder(by, subject, KEYS[name].public_key(), x509.random_serial_number())
    made = made.not_valid_before(NOW - 90 * DAY).not_valid_after(NOW + ends * DAY)
    if name == "shop.example":
        made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    else:
        made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    return made.sign(KEYS[issuer], hashes.SHA256())


ROOT = certificate("root", "root", 900)


def seen(folder: Path, *sent: x509.Certificate) -> Chain:
    """The chain as a host sees it that trusts the root."""
    file = folder / "root.pem"
    file.write_bytes(ROOT.public_bytes(serialization.Encoding.PEM))
    ders = [each.public_bytes(serialization.Encoding.DER) for each in sent]
    chain = Authorities(file).judge(ders, "shop.example")
    assert chain is not None
    return chain


def found(chain: Chain) -> list[str]:
    """What the rules say of it now."""
    facts = judged(certificates=chain.certificates, distrust=chain.distrust, used=chain.used)
    return codes(replace(facts, now=NOW))


def test_an_old_cross_signature_that_nobody_needs_is_no_finding(tmp_path: Path) -> None:
    cross = certificate("root", "old root", -10)
    chain = seen(tmp_path, certificate("shop.example", "root", 30), cross)
    assert (chain.distrust, chain.used) == (0, (0,))
    assert found(chain) == []


def test_an_old_leaf_is_trusted_but_for_its_dates(tmp_path: Path) -> None:
    chain = seen(tmp_path, certificate("shop.example", "root", -1))
    assert (chain.distrust, chain.used) == (0, (0,))
    assert found(chain) == ["certificate-expired"]


def test_a_path_to_nobody_is_not_trusted(tmp_path: Path) -> None:
    chain = seen(tmp_path, certificate("shop.example", "old root", 30))
    assert (chain.distrust, chain.used) == (20, None)
