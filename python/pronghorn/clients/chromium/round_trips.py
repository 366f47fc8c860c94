"""The fewest round trips that a load of Chromium's needs: a bound that no load can beat."""

from pronghorn.model.arm import Arm
from pronghorn.model.trial import PageLoad

_TCP, _TLS, _QUIC, _DNS, _EXCHANGE = 1, 1, 1, 1, 1


def fewest(arm: Arm, page: PageLoad, *, fresh: bool, dns: bool) -> int:
    """Until the document's answer begins.

    `fresh`: no connection stands; `dns`: names are asked for across the path. TLS 1.2 costs no more than 1.3,
    since Chromium sends its request with its last flight (False Start, RFC 7918). After a visit the name is
    known and a server may have allowed early data; a document out of the cache asks nobody."""
    document = next((one for one in page.resources if one.kind == "document"), None)
    if document is None or document.from_cache or arm.warm:
        return 0
    if not fresh:
        return _EXCHANGE
    asked = _DNS if dns and not arm.prepared else 0
    if document.protocol == "h3":
        return asked + (0 if arm.prepared else _QUIC) + _EXCHANGE
    return asked + _TCP + (0 if arm.early_data else _TLS) + _EXCHANGE
