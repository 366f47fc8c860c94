"""A run's certificates: a chain that verifies for the origin's names, and a key for its owner only."""

import datetime
import ipaddress
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.verification import PolicyBuilder, Store

from pronghorn import certificates
from pronghorn.fairness import first_flight
from pronghorn.model.certificate import CertificateSettings, KeyKind


def test_the_leaf_verifies_for_each_of_the_origins_names(tmp_path: Path) -> None:
    files = certificates.make(tmp_path)
    authority = x509.load_pem_x509_certificate(files.authority.read_bytes())
    leaf = x509.load_pem_x509_certificate(files.chain.read_bytes())
    now = datetime.datetime.now(datetime.UTC)
    policy = PolicyBuilder().store(Store([authority])).time(now)
    subjects: list[x509.DNSName | x509.IPAddress] = [
        x509.DNSName("origin.pronghorn.test"),
        x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
        x509.IPAddress(ipaddress.ip_address("198.18.0.2")),
    ]
    for subject in subjects:
        assert policy.build_server_verifier(subject).verify(leaf, []) == [leaf, authority]


@pytest.mark.parametrize("ipv6", [True, False])
def test_the_leaf_has_the_address_of_ipv6_only_where_a_run_has_such_paths(tmp_path: Path, ipv6: bool) -> None:
    files = certificates.make(tmp_path, ipv6=ipv6)
    leaf = x509.load_pem_x509_certificate(files.chain.read_bytes())
    names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    addresses = names.get_values_for_type(x509.IPAddress)
    assert (ipaddress.ip_address("fd70:726f:6e67::2") in addresses) is ipv6


def test_the_key_is_p256_in_pkcs8_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    files = certificates.make(tmp_path)
    content = files.key.read_bytes()
    key = serialization.load_pem_private_key(content, password=None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    assert key.curve.name == "secp256r1"
    assert content.startswith(b"-----BEGIN PRIVATE KEY-----")
    assert files.key.stat().st_mode & 0o777 == 0o600


def test_two_runs_share_no_key(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one, two = certificates.make(tmp_path / "one"), certificates.make(tmp_path / "two")
    assert one.key.read_bytes() != two.key.read_bytes()
    assert one.authority.read_bytes() != two.authority.read_bytes()


@pytest.mark.parametrize(("kind", "bits"), [("p256", 256), ("rsa2048", 2048)])
def test_a_long_chain_verifies_and_is_of_one_kind_of_key(tmp_path: Path, kind: KeyKind, bits: int) -> None:
    files = certificates.make(tmp_path, CertificateSettings(key=kind, intermediates=2))
    authority = x509.load_pem_x509_certificate(files.authority.read_bytes())
    leaf, *intermediates = x509.load_pem_x509_certificates(files.chain.read_bytes())
    policy = PolicyBuilder().store(Store([authority])).time(datetime.datetime.now(datetime.UTC))
    verified = policy.build_server_verifier(x509.DNSName("origin.pronghorn.test")).verify(leaf, intermediates)
    assert verified == [leaf, *intermediates, authority]
    sizes = set()
    for each in verified:
        key = each.public_key()
        assert isinstance(key, ec.EllipticCurvePublicKey | rsa.RSAPublicKey)
        sizes.add(key.key_size)
    assert sizes == {bits}


def test_only_a_long_chain_exceeds_what_quic_lets_a_server_send_first(tmp_path: Path) -> None:
    (tmp_path / "short").mkdir()
    (tmp_path / "long").mkdir()
    short = certificates.make(tmp_path / "short")
    long = certificates.make(tmp_path / "long", CertificateSettings(key="rsa4096", intermediates=3))
    assert first_flight.first_flight_bytes("p256", certificates.sizes(short)) < first_flight.LIMIT_BYTES
    assert first_flight.first_flight_bytes("rsa4096", certificates.sizes(long)) > first_flight.LIMIT_BYTES


def test_what_settles_them_makes_the_same_again(tmp_path: Path) -> None:
    settled = certificates.Settled(datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC), 5)
    made = []
    for name, how in (("one", settled), ("two", settled), ("three", settled._replace(seed=6))):
        (tmp_path / name).mkdir()
        made.append(certificates.make(tmp_path / name, settled=how))
    one, two, three = ([file.read_bytes() for file in files[:3]] for files in made)
    assert one == two
    assert not set(one) & set(three)
    leaf = x509.load_pem_x509_certificate(one[1])
    assert leaf.not_valid_before_utc < settled.at < leaf.not_valid_after_utc
    assert leaf.serial_number.bit_length() <= 159
