"""What to do about a handshake of TLS that failed, by what rustls says of it."""

import re

_HINTS = (
    (r"UnknownIssuer|unknown_ca", "--ca FILE names the authority to trust; -k trusts any certificate."),
    (
        r"CaUsedAsEndEntity",
        "The server sends an authority's own certificate, which names no server. Give the server its own "
        "certificate, or trust it blindly with -k.",
    ),
    (
        r"not valid for (?:any )?name|NotValidForName",
        "Write a name from the certificate in the URL, and the server's address in --address IP.",
    ),
    (r"certificate expired|Expired", "Renew the server's certificate; -k trusts it anyway."),
    (r"not valid yet|NotValidYet", "Correct this host's clock; -k trusts the certificate anyway."),
    (
        r"InvalidContentType|InvalidMessage|corrupt message",
        "The server doesn't speak TLS at this port: write http://, or another port.",
    ),
    (
        r"ProtocolVersion|TlsVersion|SupportTls12Or13|error 70\b",
        "The server uses another version of TLS. --tls 1.2 and --tls 1.3 choose which one is offered.",
    ),
    (
        r"CertificateRequired|error 116\b",
        "The server requires a client certificate: --cert FILE --key FILE.",
    ),
    (
        r"Unrecogni[sz]edName|error 112\b",
        "The server has no certificate for this name. Write one of its names in the URL, and --address IP.",
    ),
    (
        r"HandshakeFailure|NoCipherSuitesInCommon|NoKxGroupsInCommon|peer is incompatible|error 40\b",
        "The two ends have no cipher suite or key exchange in common. Check the server's, and --knob "
        "cipher and key_exchange.",
    ),
    (r"invalid peer certificate", "-k trusts any certificate."),
)


def hint(detail: str) -> str:
    """The one thing to do about the failure that `detail` tells of."""
    told = (text for pattern, text in _HINTS if re.search(pattern, detail))
    return next(told, "The server's log has the reason why it ended the handshake.")
