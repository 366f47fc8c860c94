"""Facts, and the findings that they must lead to."""

from dataclasses import replace

from pronghorn.check.comparing import SURE
from pronghorn.check.facts import Chain, Datagrams, Early, Echo, Elsewhere, Facts, Quic, Record, Tcp, Tls

from .made_facts import (
    ADDRESS,
    ANSWER,
    CHAIN,
    DAY,
    FORWARDING,
    HOST,
    LEAF,
    NOW,
    QUIC,
    SOUND,
    TCP,
    advertising,
    forwarding,
    with_quic,
    with_records,
    with_tcp,
)

OFFER = 'h3=":443"; ma=86400'
SILENT = Quic("silent")
NO_ANSWER = replace(ANSWER, headers=())


def chain(**changes: object) -> Facts:
    made = replace(CHAIN, **changes)  # type: ignore[arg-type]
    facts = with_tcp(offered_h2=Tls("TLSv1.3", "h2", made, False))
    return replace(facts, main=replace(facts.main, quic=replace(QUIC, chain=made)))


def early(method: str, status: int, *, before: bool = True, accepted: bool = True) -> Facts:
    seen = Early(method, "/", accepted, before, replace(ANSWER, status=status))
    return replace(with_quic(early_data=True), early=(seen,))


def answers(**changes: object) -> Facts:
    other = replace(ANSWER, **changes)  # type: ignore[arg-type]
    return with_quic(answers=(other,) * SURE)


def echoing(*protocols: str, **headers: str) -> Facts:
    changed = {name.replace("_", "-"): value for name, value in headers.items()}
    echoes = tuple(
        replace(
            each,
            headers=tuple(
                (name, changed.get(name, value)) for name, value in each.headers if changed.get(name) != ""
            ),
        )
        if each.protocol in protocols
        else each
        for each in FORWARDING.echoes
    )
    return forwarding(echoes=echoes)


def elsewhere(
    host: str, port: int, quic: Quic | None, addresses: tuple[str, ...] | None = ("192.0.2.1",)
) -> Facts:
    offer = f'h3="{host}:{port}"; ma=86400'
    return replace(advertising(offer, offer, offer), elsewhere=(Elsewhere(host, port, addresses, quic),))


FOUND: dict[str, tuple[Facts, list[str]]] = {
    "nothing": (SOUND, []),
    "a name that the leaf lacks": (chain(covers_host=False), ["certificate-name"]),
    "an old leaf": (chain(certificates=(replace(LEAF, not_after=NOW - DAY),)), ["certificate-expired"]),
    "a leaf that ends today": (
        chain(certificates=(replace(LEAF, not_before=NOW - 9 * DAY, not_after=NOW + DAY / 2),)),
        ["certificate-expires-soon"],
    ),
    "a leaf of a short life": (
        chain(certificates=(replace(LEAF, not_before=NOW - DAY / 2, not_after=NOW + DAY / 2),)),
        [],
    ),
    "a leaf of tomorrow": (
        chain(certificates=(replace(LEAF, not_before=NOW + DAY),)),
        ["certificate-not-yet-valid"],
    ),
    "no issuer": (chain(distrust=20, distrust_text="no issuer"), ["chain-incomplete"]),
    "an own authority": (chain(distrust=19, distrust_text="self-signed"), ["chain-untrusted"]),
    "another fault of a chain": (chain(distrust=7, distrust_text="signature"), ["chain-invalid"]),
    "another certificate over QUIC": (
        with_quic(chain=Chain((replace(LEAF, subject="CN=old"),), False, 0, "")),
        ["certificate-name"],
    ),
    "a handshake of 3481 bytes": (with_quic(handshake_bytes=3481), ["chain-too-long"]),
    "a handshake of 3480 bytes": (with_quic(handshake_bytes=3480), []),
    "TLS 1.2": (with_tcp(offered_h2=Tls("TLSv1.2", "h2", CHAIN, False)), ["tls-1.3-missing"]),
    "TLS 1.0": (with_tcp(old_versions=("TLSv1",)), ["tls-outdated"]),
    "no h2": (with_tcp(offered_h2=Tls("TLSv1.3", "http/1.1", CHAIN, False), h2=()), ["h2-missing"]),
    "no resumption": (with_tcp(resumption=(False, False)), ["resumption-missing-tcp"]),
    "TCP refused": (with_tcp(reached="refused", offered_h2=None, h1=None, h2=()), ["tcp-dead"]),
    "no advertisement": (advertising(None, None, None), ["h3-not-advertised"]),
    "neither UDP nor an advertisement": (
        replace((bare := advertising(None, None, None)), main=replace(bare.main, quic=SILENT), addresses=()),
        ["h3-not-offered"],
    ),
    "UDP silent": (with_quic(reached="silent", answers=()), ["udp-dead"]),
    "UDP unreachable from here": (with_quic(reached="unreachable", answers=()), []),
    "a container's port": (elsewhere("", 8443, SILENT), ["alt-svc-port"]),
    "another host": (elsewhere("cdn.example", 443, SILENT), ["alt-svc-host"]),
    "another host without an address": (elsewhere("cdn.example", 443, None, ()), ["alt-svc-host"]),
    "another host that the resolver doesn't tell": (elsewhere("cdn.example", 443, None, None), []),
    "another port that answers": (elsewhere("", 8443, QUIC), []),
    "another host's certificate": (
        elsewhere("cdn.example", 443, replace(QUIC, chain=replace(CHAIN, covers_host=False))),
        ["alt-svc-certificate"],
    ),
    "a short age": (advertising(*['h3=":443"; ma=60'] * 3), ["alt-svc-short-lived"]),
    "clear over h3": (advertising(OFFER, OFFER, "clear"), ["alt-svc-clear"]),
    "clear everywhere": (advertising("clear", "clear", "clear"), ["alt-svc-clear"]),
    "none over h3": (advertising(OFFER, OFFER, None), []),
    "none over h1": (advertising(None, OFFER, OFFER), ["alt-svc-not-everywhere"]),
    "no quotes": (advertising(*["h3=:443"] * 3), ["alt-svc-malformed"]),
    "a draft": (advertising(*['h3-29=":443"'] * 3), ["alt-svc-draft"]),
    "a draft beside h3": (advertising(*[f'h3-29=":443", {OFFER}'] * 3), []),
    "a record for a dead port": (
        replace(
            with_records(Record(1, HOST, ("h3", "h2"), False, 8443, ())),
            elsewhere=(Elsewhere("", 8443, ("192.0.2.1",), SILENT),),
        ),
        ["https-record-h3-dead"],
    ),
    "a record without h3": (
        with_records(Record(1, HOST, ("h2",), False, None, ())),
        ["https-record-without-h3"],
    ),
    "an alias without records": (with_records(Record(0, "cdn.example", (), False, None, ())), []),
    "a dead hint": (
        replace(
            with_records(Record(1, HOST, ("h3",), False, None, ("192.0.2.9",))),
            hinted=(replace(ADDRESS, address="192.0.2.9", tcp=Tcp("refused")),),
        ),
        ["https-record-hints"],
    ),
    "a hint that answers": (
        replace(
            with_records(Record(1, HOST, ("h3",), False, None, ("192.0.2.9",))),
            hinted=(replace(ADDRESS, address="192.0.2.9"),),
        ),
        [],
    ),
    "QUIC without h3": (
        with_quic(reached="failed", alert=120, answers=()),
        ["h3-missing"],
    ),
    "an old version of QUIC": (
        with_quic(reached="failed", versions=(0xFF00001D,), answers=()),
        ["quic-version"],
    ),
    "a handshake that fails": (
        with_quic(reached="failed", alert=40, detail="handshake failure", answers=()),
        ["h3-handshake-fails"],
    ),
    "no version negotiation": (with_quic(versions=()), ["version-negotiation-missing"]),
    "Retry for all": (with_quic(retried=(True, True)), ["retry-always"]),
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
        forwarding(forged=Echo("h1", (("x-forwarded-for", "192.0.2.77"),))),
        ["forwarded-forged"],
    ),
    "another address that is dead": (
        replace(SOUND, addresses=(ADDRESS, replace(ADDRESS, address="192.0.2.2", tcp=Tcp("silent")))),
        ["address-dead"],
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
