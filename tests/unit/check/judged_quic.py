"""Facts of QUIC, of pages and of several addresses, and the findings that they must lead to."""

from dataclasses import replace

from pronghorn.check.facts import (
    NO_RESPONSE,
    REJECTED,
    Address,
    Chain,
    Datagrams,
    Echo,
    Elsewhere,
    Facts,
    Quic,
    Record,
    Tcp,
    Tls,
)

from .made_facts import (
    ADDRESS,
    ANSWER,
    CHAIN,
    DAY,
    FORWARDING,
    HOST,
    LEAF,
    NOW,
    SILENT,
    SOUND,
    TCP,
    answers,
    chain,
    early,
    echoing,
    elsewhere,
    failing,
    forwarding,
    unadvertised,
    with_quic,
    with_records,
    with_response,
    with_tcp,
)

FOUND: dict[str, tuple[Facts, list[str]]] = {
    "QUIC without h3": (
        with_quic(reached="failed", alert=120, closed=True, answers=()),
        ["h3-missing"],
    ),
    "QUIC without h3 that nobody is sent to": (
        unadvertised(Quic("failed", alert=120, closed=True)),
        ["h3-not-offered"],
    ),
    "an old version of QUIC that nobody is sent to": (
        unadvertised(Quic("failed", versions=(0xFF00001D,))),
        ["h3-not-offered"],
    ),
    "an old version of QUIC": (
        with_quic(reached="failed", versions=(0xFF00001D,), answers=()),
        ["quic-version"],
    ),
    "a handshake that fails": (
        with_quic(reached="failed", alert=80, closed=True, detail="internal error", answers=()),
        ["h3-handshake-fails"],
    ),
    "a handshake that this client fails at": (
        with_quic(reached="failed", detail="aioquic could not take what came", answers=()),
        [],
    ),
    "a handshake without a common group": (
        with_quic(reached="failed", alert=40, closed=True, detail="handshake failure", answers=()),
        [],
    ),
    "a record for a place where this client fails": (
        replace(
            with_records(Record(1, HOST, ("h3", "h2"), False, 8443, ())),
            elsewhere=(Elsewhere("", 8443, ("192.0.2.1",), Quic("failed", "not in time")),),
        ),
        [],
    ),
    "a check that was cut": (with_quic(reached="cut", answers=()), []),
    "a check that was cut elsewhere": (elsewhere("", 8443, Quic("cut")), []),
    "a check that was cut over TCP": (
        with_tcp(reached="cut", detail="cut", offered_h2=None, h1=None, h2=()),
        [],
    ),
    "no TLS": (failing("WRONG_VERSION_NUMBER"), ["tls-fails"]),
    "TLS that is reset": (failing(""), ["tls-fails"]),
    "TLS that needs a certificate": (failing("SSLV3_ALERT_HANDSHAKE_FAILURE"), []),
    "no response": (
        with_response(h1=None, h2=(), detail=NO_RESPONSE),
        ["no-response"],
    ),
    "no response without a client's certificate": (
        with_response(h1=None, h2=(), tls_fault="TLSV13_ALERT_CERTIFICATE_REQUIRED"),
        [],
    ),
    "a filter against robots": (answers(status=403, digest="other"), []),
    "an extra certificate that expired": (
        chain(certificates=(LEAF, replace(LEAF, not_after=NOW - DAY)), used=(0,)),
        [],
    ),
    "a needed certificate that expired": (
        chain(certificates=(LEAF, replace(LEAF, not_after=NOW - DAY)), used=(0, 1)),
        ["certificate-expired"],
    ),
    "no version negotiation": (with_quic(versions=()), ["version-negotiation-missing"]),
    "Retry for all": (with_quic(retried=(True, True)), ["retry-always"]),
    "Retry with a token": (with_quic(retried=(True, True), retried_with_token=True), ["retry-always"]),
    "Retry for one": (with_quic(retried=(True, False)), []),
    "no tickets": (with_quic(tickets=0, resumption=()), ["resumption-missing-quic"]),
    "tickets that don't work": (with_quic(resumption=(False, False)), ["resumption-missing-quic"]),
    "a ticket that didn't work once": (with_quic(resumption=(False,)), []),
    "no tickets on the only connection": (with_quic(tickets=0, retried=(False,), resumption=()), []),
    "datagrams that the server refuses": (
        replace(
            with_quic(parameters={"initial_max_streams_bidi": 100, "max_udp_payload_size": 1400}),
            datagrams=(Datagrams(1452, False),),
        ),
        [],
    ),
    "lost small datagrams": (replace(SOUND, datagrams=(Datagrams(1280, False),)), ["datagrams-lost"]),
    "lost datagrams": (replace(SOUND, datagrams=(Datagrams(1452, False),)), ["datagrams-lost"]),
    "datagrams that can't be sent": (replace(SOUND, datagrams=(Datagrams(1452, None),)), []),
    "few streams of h2": (with_tcp(h2_settings={"max_concurrent_streams": 99}), ["h2-few-streams"]),
    "no limit on h2's streams": (with_tcp(h2_settings={}), []),
    "few streams of h3": (with_quic(parameters={"initial_max_streams_bidi": 99}), ["h3-few-streams"]),
    "small headers": (with_quic(settings={6: 4096}), ["small-headers"]),
    "a short idle time-out": (
        with_quic(parameters={"initial_max_streams_bidi": 100, "max_idle_timeout": 5000}),
        ["idle-short"],
    ),
    "an early POST": (early("POST", 200), ["early-data-unsafe"]),
    "an early POST where any path gets 200": (replace(early("POST", 200), forwarding=None), []),
    "an early POST that is refused": (early("POST", 425), []),
    "an early POST to nothing": (early("POST", 404), []),
    "an early POST that waited": (early("POST", 200, before=False), []),
    "another body": (answers(digest="other"), ["body-differs"]),
    "another header": (
        answers(headers=(*ANSWER.headers, ("strict-transport-security", "max-age=1"))),
        ["header-differs"],
    ),
    "another encoding": (
        answers(headers=(*ANSWER.headers, ("content-encoding", "br")), digest="other"),
        ["header-differs"],
    ),
    "another status": (answers(status=404, digest="other"), ["status-differs"]),
    "no forwarded address": (echoing("h1", "h2", "h3", x_forwarded_for=""), ["forwarded-missing"]),
    "none over h3 forwarded": (echoing("h3", x_forwarded_for=""), ["forwarded-differs"]),
    "another scheme": (echoing("h1", "h2", "h3", x_forwarded_proto="http"), ["forwarded-scheme"]),
    "the backend's host": (echoing("h1", "h2", "h3", host="10.0.0.1:8080"), ["forwarded-host"]),
    "a forged address": (
        forwarding(forged=(Echo("h1", (("x-forwarded-for", "192.0.2.77"),)),)),
        ["forwarded-forged"],
    ),
    "a forged address over h3": (
        forwarding(forged=(*FORWARDING.forged, Echo("h3", (("x-forwarded-for", "192.0.2.77"),)))),
        ["forwarded-forged"],
    ),
    "another address that is dead": (
        replace(SOUND, addresses=(ADDRESS, replace(ADDRESS, address="192.0.2.2", tcp=Tcp("silent")))),
        ["address-dead"],
    ),
    "another address that a filter rejects": (
        replace(
            SOUND,
            addresses=(
                ADDRESS,
                Address("192.0.2.2", Tcp("unreachable", REJECTED), Quic("unreachable")),
                Address("2001:db8::1", Tcp("unreachable", REJECTED), Quic("unreachable")),
            ),
        ),
        ["address-dead"],
    ),
    "an IPv6 that leads nowhere": (
        replace(SOUND, addresses=(ADDRESS, Address("2001:db8::1", Tcp("silent"), SILENT))),
        [],
    ),
    "an IPv6 address that is dead": (
        replace(
            SOUND,
            addresses=(
                ADDRESS,
                replace(ADDRESS, address="2001:db8::1"),
                Address("2001:db8::2", Tcp("silent"), SILENT),
            ),
        ),
        ["address-dead"],
    ),
    "another address with an old certificate": (
        replace(
            SOUND,
            addresses=(
                ADDRESS,
                replace(
                    ADDRESS,
                    address="192.0.2.2",
                    tcp=replace(
                        TCP,
                        offered_h2=Tls(
                            "TLSv1.3", "h2", Chain((replace(LEAF, not_after=NOW - DAY),), True, 0, ""), False
                        ),
                    ),
                ),
            ),
        ),
        ["addresses-differ"],
    ),
    "an old certificate before a redirect": (
        replace(SOUND, hops=(chain(certificates=(replace(LEAF, not_after=NOW - DAY),)),)),
        ["certificate-expired"],
    ),
    "another address without h3": (
        replace(SOUND, addresses=(ADDRESS, replace(ADDRESS, address="192.0.2.2", quic=SILENT))),
        ["address-without-h3"],
    ),
    "another address out of reach": (
        replace(
            SOUND,
            addresses=(
                ADDRESS,
                replace(ADDRESS, address="2001:db8::1", tcp=Tcp("unreachable"), quic=Quic("unreachable")),
            ),
        ),
        [],
    ),
    "another address with other ALPN": (
        replace(
            SOUND,
            addresses=(
                ADDRESS,
                replace(
                    ADDRESS,
                    address="192.0.2.2",
                    tcp=replace(TCP, offered_h2=Tls("TLSv1.3", "http/1.1", CHAIN, False)),
                ),
            ),
        ),
        ["addresses-differ"],
    ),
}
