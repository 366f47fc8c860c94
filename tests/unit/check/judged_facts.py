"""Facts, and the findings that they must lead to: certificates, TLS, DNS and Alt-Svc, then what follows."""

from dataclasses import replace

from pronghorn.check.facts import Chain, Elsewhere, Facts, Hinted, Record, Tls

from . import judged_quic
from .made_facts import (
    ADDRESS,
    CHAIN,
    DAY,
    HOST,
    LEAF,
    NO_ANSWER,
    NOW,
    OFFER,
    QUIC,
    SILENT,
    SOUND,
    TCP,
    advertising,
    chain,
    elsewhere,
    with_quic,
    with_records,
    with_tcp,
)

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
    "a handshake of 9000 bytes after a Retry": (with_quic(handshake_bytes=9000, retried=(True,)), []),
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
    "clear everywhere": (advertising("clear", "clear", "clear"), []),
    "an empty Alt-Svc": (advertising("", "", ""), ["h3-not-advertised"]),
    "an Alt-Svc for h2 alone": (advertising(*['h2=":444"'] * 3), ["h3-not-advertised"]),
    "an empty element of Alt-Svc": (advertising(*[f", {OFFER}, ,"] * 3), []),
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
    "an alias without records or Alt-Svc": (
        replace(
            advertising(None, None, None),
            names=replace(SOUND.names, records=(Record(0, "cdn.example", (), False, None, ()),)),
        ),
        [],
    ),
    "a dead hint": (
        replace(
            with_records(Record(1, HOST, ("h3",), False, None, ("192.0.2.9",))),
            hinted=(Hinted("192.0.2.9", 443, "TCP", "refused"),),
        ),
        ["https-record-hints"],
    ),
    "a dead hint of another name": (
        replace(
            with_records(Record(1, "cdn.example", ("h2",), False, None, ("192.0.2.9",))),
            hinted=(Hinted("192.0.2.9", 443, "TCP", "refused"),),
            main=replace(ADDRESS, quic=SILENT, tcp=replace(TCP, h1=NO_ANSWER, h2=(NO_ANSWER,) * 2)),
        ),
        ["h3-not-offered"],
    ),
    "a hint without a way": (
        replace(
            with_records(Record(1, HOST, ("h3",), False, None, ("2001:db8::9",))),
            hinted=(Hinted("2001:db8::9", 443, "TCP", "unreachable"),),
        ),
        [],
    ),
    "a hint that answers": (
        replace(
            with_records(Record(1, HOST, ("h3",), False, None, ("192.0.2.9",))),
            hinted=(Hinted("192.0.2.9", 443, "TCP", "ok"),),
        ),
        [],
    ),
    **judged_quic.FOUND,
}
