"""What to do about a handshake of TLS that failed, by what rustls says of it."""

import re

_HINTS = (
    (r"UnknownIssuer|unknown_ca", "--ca FILE names the authority to trust; -k trusts any certificate."),
    (
        r"CaUsedAsEndEntity",
        "The server shows an authority's own certificate, which names no server: give the server one of its "
        "own, or trust it blindly with -k.",
    ),
    (
        r"not valid for (?:any )?name|NotValidForName",
        "Write a name of the certificate in the URL, and where the server is with --address IP.",
    ),
    (r"certificate expired|Expired", "Renew the server's certificate; -k trusts it all the same."),
    (r"not valid yet|NotValidYet", "Set this host's clock right; -k trusts the certificate all the same."),
    (
        r"InvalidContentType|InvalidMessage|corrupt message",
        "The server doesn't speak TLS at this port: write http://, or another port.",
    ),
    (
        r"ProtocolVersion|TlsVersion|SupportTls12Or13|error 70\b",
        "The server has another version of TLS: --tls 1.2 and --tls 1.3 say which is offered.",
    ),
    (
        r"CertificateRequired|error 116\b",
        "The server asks for a client's certificate, which a load doesn't have.",
    ),
    (
        r"Unrecogni[sz]edName|error 112\b",
        "The server has no certificate for this name: write one of its names in the URL, and --address IP.",
    ),
    (
        r"HandshakeFailure|NoCipherSuitesInCommon|NoKxGroupsInCommon|peer is incompatible|error 40\b",
        "The two ends have no cipher suite or key exchange in common: look at the server's, and at --knob "
        "cipher and key_exchange.",
    ),
    (r"invalid peer certificate", "-k trusts any certificate."),
)


def hint(detail: str) -> str:
    """The one thing to do about the failure that `detail` tells of."""
    told = (text for pattern, text in _HINTS if re.search(pattern, detail))
    return next(told, "The server's own log says why it ended the handshake.")
