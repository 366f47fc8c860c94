"""How HAProxy and the nginx behind it serve a recorded site: HAProxy has a listener for each address, nginx
the answers."""

from collections.abc import Sequence
from pathlib import Path

from pronghorn.origins import haproxy_cfg, nginx_lookup, nginx_recorded
from pronghorn.origins.hosts import Place

LOG_FORMAT = (
    '{"host": "%[var(txn.host),json(utf8s)]", "path": "%[var(txn.path),json(utf8s)]", "protocol": "%HV", '
    '"status": %ST, "bytes": "%[var(txn.bytes)]", "served_ms": %Ta, "method": "%HM", '
    '"matched": "%[var(txn.matched)]"}'
)
"""As `haproxy_cfg` has it, with the host, and with what nginx says of the answer."""

_RULES = f"""\
    http-request set-var(txn.host) req.hdr(host),lower
    http-response set-var(txn.matched) res.hdr({nginx_recorded.MATCHED})
    http-response del-header {nginx_recorded.MATCHED}
    http-response del-header server
"""


def front(text: str, places: Sequence[Place], folder: Path) -> str:
    """HAProxy's configuration `text` with listeners at all `places`, whose certificates it finds in
    `folder`."""
    lines = []
    for line in text.splitlines(keepends=True):
        if not line.startswith("    bind "):
            lines.append(line)
            continue
        for number, place in enumerate(places):
            quic = "quic4@" in line
            if quic and not place.face.h3:
                continue
            name = f"host-{number}.pem"
            if not quic:
                (folder / name).symlink_to(place.leaf.chain)
                (folder / f"{name}.key").symlink_to(place.leaf.key)
            own = haproxy_cfg.at(line, place.address).replace("origin.pem", name)
            if not place.face.h2:
                own = own.replace("alpn h2,http/1.1", "alpn http/1.1")
            lines.append(own)
    recorded = "".join(lines).replace(haproxy_cfg.LOG_FORMAT, LOG_FORMAT)
    return recorded.replace("    ${PRONGHORN_HEADERS}\n", _RULES)


def behind(text: str) -> str:
    """The configuration `text` of the nginx behind, with the recorded answers in the place of files."""
    text = text.replace(nginx_lookup.HTTP, nginx_recorded.HTTP)
    start, end = text.index("        root site;"), text.rindex("    }\n")
    return text[:start] + nginx_recorded.SERVER + text[end:]
