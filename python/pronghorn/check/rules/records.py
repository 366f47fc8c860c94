"""HTTPS records: do they promise what is there?"""

from collections.abc import Iterator

from pronghorn.check.facts import Facts, Record
from pronghorn.check.finding import Finding, Unknown
from pronghorn.check.rules.places import dead, place_of, works
from pronghorn.foreign import line


def rule(facts: Facts) -> Iterator[Finding | Unknown]:
    """Each record against what answers."""
    names = facts.names
    if names.records is None:
        yield Unknown("HTTPS records", line(names.records_detail) or "the resolver gave no answer")
        return
    services = [each for each in names.records if each.priority]
    if names.records and not services:
        target = line(names.records[-1].target)
        yield Unknown(f"h3 at {target}", "an HTTPS record's alias leads there, and names no protocol")
    for record in services:
        if "h3" in record.alpn:
            yield from _promised(record, facts)
        yield from _hints(record, facts)
    quic = facts.main.quic
    if services and quic.reached == "ok" and not any("h3" in each.alpn for each in services):
        yield Finding(
            "https-record-without-h3",
            "warning",
            f"The HTTPS record of {names.owner} names "
            f"{', '.join(map(line, services[0].alpn)) or 'no protocol'}; "
            "the host serves h3.",
            "A first visit begins with TCP, though the record could have sent it to h3 at once.",
            f"Add h3 to the record: {names.owner}. HTTPS 1 "
            f'{"." if names.owner == facts.target.host else f"{facts.target.host}."} alpn="h3,h2" '
            "(with the gateway, leave it without h3).",
        )


def _promised(record: Record, facts: Facts) -> Iterator[Finding | Unknown]:
    host, port = place_of(record, facts)
    why = dead(host, port, facts)
    if why is not None:
        yield Finding(
            "https-record-h3-dead",
            "error",
            f"The HTTPS record promises h3 at {line(host or facts.target.host)} port {port}: {why}.",
            "Browsers that read the record try QUIC first and wait for it in vain on a first visit.",
            "Remove h3 from the record's alpn until QUIC answers there, or correct the record's port and "
            "target.",
        )
    elif works(host, port, facts) is None:
        yield Unknown(
            f"h3 of the HTTPS record at {host or facts.target.host} port {port}", "it was not asked"
        )


def _hints(record: Record, facts: Facts) -> Iterator[Finding]:
    port = record.port or facts.target.port
    own = record.target == facts.target.host
    dead = {
        each.address: f"{each.over} is {each.reached}"
        for each in facts.hinted
        if own and each.port == port and each.reached in ("silent", "refused")
    }
    if stale := [each for each in record.hints if each in dead]:
        yield Finding(
            "https-record-hints",
            "warning",
            f"The HTTPS record hints at {stale[0]}, where {dead[stale[0]]} at port {port}, and "
            "which no A or AAAA record names.",
            "Browsers that connect to the hint first wait in vain.",
            "Make ipv4hint and ipv6hint the same as the A and AAAA records, or leave them out.",
        )
