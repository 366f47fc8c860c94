"""Headers by which a client would pass for another one, and what of them reached an application."""

import re
from collections.abc import Iterator, Sequence

from . import deployed

MARK = "forged"
"""It is in every forged value."""

KEPT = "X-Shop"
"""A header of the client's own, which has to arrive."""

KNOWN = (
    # An address.
    *("Client-IP", "Incap-Client-IP", "True-Client-IP", "X-Client-IP", "X-Cluster-Client-IP"),
    *("X-Real-IP", "X-Remote-IP", "X-Remote-Addr", "X-Originating-IP", "X-ProxyUser-IP"),
    *("X-Sucuri-ClientIP", "X-Azure-ClientIP", "X-Appengine-User-IP", "CF-Connecting-IP"),
    *("CF-Connecting-IPv6", "Fastly-Client-IP", "Fly-Client-IP", "DO-Connecting-IP"),
    *("X-Nf-Client-Connection-IP", "X-Vercel-Forwarded-For", "Ali-CDN-Real-IP", "CDN-Src-IP"),
    *("CloudFront-Viewer-Address", "Proxy-Client-IP", "WL-Proxy-Client-IP", "Forwarded-For"),
    *("X-Forward-For", "X-Original-For", "X-Original-Forwarded-For", "X-Envoy-External-Address"),
    *("X-Custom-IP-Authorization", "Remote-Addr"),
    # The proxy's own.
    *("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port"),
    *("X-Forwarded-Prefix", "X-Forwarded-Server", "X-Forwarded-Ssl", "X-Forwarded-Scheme"),
    *("X-Forwarded-Uri", "X-Forwarded-Method", "Early-Data", "Front-End-Https", "X-Url-Scheme"),
    # A certificate.
    *("Client-Cert", "Client-Cert-Chain", "X-Client-Cert", "X-ARR-ClientCert", "X-Forwarded-Client-Cert"),
    *("X-Forwarded-Tls-Client-Cert", "X-Forwarded-Tls-Client-Cert-Info", "X-Amzn-Mtls-Clientcert"),
    *("X-Amzn-Mtls-Clientcert-Subject", "SSL-Client-Cert", "SSL-Client-S-DN", "SSL-Client-I-DN"),
    *("SSL-Client-Serial", "X-SSL-Client-Verify", "X-SSL-Client-CN", "X-Client-DN"),
    # A user.
    *("Remote-User", "Remote-Groups", "Remote-Email", "Remote-Name", "X-Remote-User", "X-Remote-Group"),
    *("X-Remote-Extra-Scopes", "X-Forwarded-User", "X-Forwarded-Email", "X-Forwarded-Groups"),
    *("X-Forwarded-Access-Token", "X-Auth-Request-User", "X-Auth-Request-Groups"),
    *("X-Auth-Request-Access-Token", "X-Authentik-Username", "X-Authentik-Groups", "X-WebAuth-User"),
    *("X-WebAuth-Groups", "X-WebAuth-Role", "X-MS-Client-Principal", "X-MS-Client-Principal-Name"),
    *("X-MS-Token-AAD-Id-Token", "X-Goog-Authenticated-User-Email", "X-Goog-IAP-JWT-Assertion"),
    *("X-Amzn-Oidc-Data", "X-Amzn-Oidc-Identity", "X-Amzn-Oidc-Accesstoken", "CF-Access-Jwt-Assertion"),
    *("CF-Access-Authenticated-User-Email", "Tailscale-User-Login", "Tailscale-User-Name"),
    *("X-Pomerium-Jwt-Assertion", "X-Vouch-User", "X-Consumer-Username", "X-Credential-Identifier"),
    *("X-Authenticated-Userid", "X-Userinfo", "X-Apigateway-Api-Userinfo", "X-User", "X-User-Id"),
    *("X-Username", "OIDC-Claim-Email", "Proxy-Authorization"),
    # A request, or a file.
    *("X-Host", "X-HTTP-Host-Override", "X-HTTP-Destination", "X-Original-URL", "X-Original-URI"),
    *("X-Original-Host", "X-Original-Prefix", "X-Rewrite-URL", "X-Replaced-Path", "X-Ingress-Path"),
    *("X-Envoy-Original-Path", "X-Script-Name", "X-Scheme", "Proxy", "X-Sendfile", "X-Sendfile-Type"),
    *("X-Accel-Mapping", "X-Accel-Redirect"),
    # Of one connection.
    *("Trailer", "TE", "HTTP2-Settings"),
)
"""Names that must be dropped, as servers, services and frameworks document them: not taken from deploy/."""

_SETS = ("Connection", "Host", "Upgrade")
"""What `forwarded.conf` names for another reason than that clients forge it."""

_MOST = 85
"""The most that are sent in one request: servers limit a head's fields to about a hundred."""

PATTERNS = (
    *("X-Forwarded-Anything", "X-Original-Anything", "X-Rewrite-Anything", "CF-Anything", "X-Real-Anything"),
    *("Forwarded.For", "X.Forwarded.For", "X~Real~IP", "X-Forwarded_For", "X!Client!IP"),
)
"""Names that only patterns can drop. nginx has none: of these it drops those that aren't plain names."""


def names() -> Sequence[str]:
    """`KNOWN`, and every name that nginx's list has."""
    text = (deployed.DEPLOY / "nginx" / "forwarded.conf").read_text(encoding="utf-8")
    found = re.findall(r"^proxy_set_header (\S+)", text, re.MULTILINE)
    return [*dict.fromkeys((*KNOWN, *(name for name in found if name not in _SETS)))]


def requests(server: str) -> Iterator[list[str]]:
    """curl's options of requests that together forge every name, with hyphens and with underscores."""
    plain = names()
    patterns = [name for name in PATTERNS if server != "nginx" or re.search(r"[^A-Za-z0-9-]", name)]
    every = (*plain, *(name.replace("-", "_") for name in plain), *patterns)
    for first in range(0, len(every), _MOST):
        some = every[first : first + _MOST]
        yield [f"-H{KEPT}: kept", *(f"-H{name}: {MARK}.example" for name in some)]


def arrived(headers: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """What of it the application got, of its headers."""
    return [one for one in headers if MARK in one[1]]
