"""Chromium's command line for a visit: what an arm means, and nothing of the browser's own on the path."""

import base64
import hashlib
from collections.abc import Iterable

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from pronghorn.clients.base import Visit
from pronghorn.load.spec import Protocol
from pronghorn.model.arm import Arm
from pronghorn.model.artifacts import NETLOG

QUIET = (
    "--disable-background-networking",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-pings",
    "--safebrowsing-disable-auto-update",
)
"""No traffic but the page's."""

_FEATURES_OFF = (
    "AimEnabled",
    "AutofillServerCommunication",
    "CertificateTransparencyComponentUpdater",
    "DialMediaRouteProvider",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "InterestFeedContentSuggestions",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationGuideModelDownloading",
    "OptimizationHints",
    "PreconnectToSearch",
    "Translate",
)
"""Replaces Playwright's own list, of which it leaves out what would make pages load otherwise than for a
person."""

_FEATURES_ON = ("SkipListAccountsWithoutGaiaCookies",)

_NO_CACHE = ("--disk-cache-size=1",)
"""A cache that takes nothing. To clear one would not do: Chromium forgets Alt-Svc along with it."""

NO_PORT = 1
"""A port on which nothing listens: naming a host with it as one to force QUIC on lets the browser take a
private authority's certificate over QUIC, and forces nothing."""


def standing(*features: str) -> list[str]:
    """What is said whatever the visit, with more `features` on where one asks for them."""
    return [
        *QUIET,
        f"--disable-features={','.join(_FEATURES_OFF)}",
        f"--enable-features={','.join((*_FEATURES_ON, *features))}",
    ]


def switches(visit: Visit) -> list[str]:
    """The whole command line but for what Playwright needs itself."""
    early = ("EnableTLS13EarlyData",) if visit.arm.early_data and not visit.arm.over_quic else ()
    return [
        *standing(*early),
        *_protocol(visit.arm, visit),
        *(_NO_CACHE if visit.arm.prepared and not visit.arm.warm else ()),
        *_netlog(visit),
        *_trust(visit),
        *_names(visit),
        *_content(visit),
    ]


def _names(visit: Visit) -> list[str]:
    """No name but the origin's can be resolved, and no address or other port is asked, so that what the
    browser would ask others never leaves it; on somebody's live server pages may name other hosts.

    Where the name is looked up across the path, its other ports are asked; nobody listens there."""
    if visit.certificates is None:
        return []
    if visit.dns:
        names = [visit.host_name] if visit.placed is None else visit.placed.replay.hosts
        excluded = "".join(f", EXCLUDE {name}" for name in names)
        return [f"--host-resolver-rules=MAP * ~NOTFOUND{excluded}"]
    if visit.placed is not None:
        # Whatever port its URLs name, a recorded host listens on one.
        rules = [f"MAP {one} {visit.placed.address(one)}:{visit.port}" for one in visit.placed.replay.hosts]
        return [f"--host-resolver-rules={', '.join(rules)}, MAP * ~NOTFOUND"]
    return [f"--host-resolver-rules=MAP {visit.host_name}:{visit.port} {visit.address}, MAP * ~NOTFOUND"]


def _content(visit: Visit) -> list[str]:
    """What of a recorded page isn't loaded."""
    whole = visit.placed is None or visit.placed.replay.images
    return [] if whole else ["--blink-settings=imagesEnabled=false"]


def _netlog(visit: Visit) -> list[str]:
    file = visit.artifacts.file(NETLOG)
    return [f"--log-net-log={file}"] if file else []


def _protocol(arm: Arm, visit: Visit) -> list[str]:
    if not arm.over_quic:
        words = speaking("h1" if arm.protocol == "h1" else "h2")
    else:
        words = ["--enable-quic"]
        if arm.discovery == "forced":
            words.append(f"--origin-to-force-quic-on={','.join(_over_quic(visit))}")
        elif visit.certificates is not None:
            unforced = dict.fromkeys(f"{one.rpartition(':')[0]}:{NO_PORT}" for one in _over_quic(visit))
            words.append(f"--origin-to-force-quic-on={','.join(unforced)}")
    if arm.tls_version == "1.2":
        words.append("--ssl-version-max=tls1.2")
    return words


def speaking(protocol: Protocol | None, host: str = "", trusted: str | None = None) -> list[str]:
    """What has `host`, with its port, asked over `protocol`; None: over what the browser finds out itself,
    also where a private authority has signed for the host `trusted`."""
    if protocol == "h1":
        return ["--disable-http2", "--disable-quic"]
    if protocol == "h2":
        return ["--disable-quic"]
    if protocol == "h3":
        return ["--enable-quic", f"--origin-to-force-quic-on={host}"]
    return ["--enable-quic", *([f"--origin-to-force-quic-on={trusted}:{NO_PORT}"] if trusted else [])]


def _over_quic(visit: Visit) -> list[str]:
    """The hosts that speak HTTP/3, with their ports."""
    if visit.placed is None:
        return [f"{visit.host_name}:{visit.port}"]
    hosts = visit.placed.replay.hosts.values()
    return [f"{one.name}:{port}" for one in hosts if one.highest == "h3" for port in sorted(one.ports)]


def _trust(visit: Visit) -> list[str]:
    if visit.certificates is None:
        return []
    chains = [visit.certificates.chain]
    if visit.placed is not None:
        chains = [place.leaf.chain for place in visit.placed.places]
    return [trusting(x509.load_pem_x509_certificates(chain.read_bytes())[0] for chain in chains)]


def trusting(certificates: Iterable[x509.Certificate]) -> str:
    """The switch by which servers may show these certificates, whoever signed them."""
    return f"--ignore-certificate-errors-spki-list={','.join(map(_digest, certificates))}"


def _digest(certificate: x509.Certificate) -> str:
    """The SHA-256 of its public key, in base64."""
    key = certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return base64.b64encode(hashlib.sha256(key).digest()).decode()
