"""What was seen of a sound host; tests change one thing each."""

import datetime
from dataclasses import replace
from typing import Any

from pronghorn.check.comparing import SURE
from pronghorn.check.facts import (
    Address,
    Answer,
    Certificate,
    Chain,
    Datagrams,
    Early,
    Echo,
    Elsewhere,
    Facts,
    Forwarding,
    Names,
    Quic,
    Record,
    Tcp,
    Tls,
)
from pronghorn.check.finding import Finding
from pronghorn.check.rules import judge
from pronghorn.check.target import Target

NOW = datetime.datetime(2026, 11, 28, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)
HOST = "shop.example"
LEAF = Certificate(f"CN={HOST}", "CN=Issuer", (HOST,), NOW - DAY, NOW + 30 * DAY, False, 500)
CHAIN = Chain((LEAF,), True, 0, "")
ANSWER = Answer(200, (("content-type", "text/html"), ("alt-svc", 'h3=":443"; ma=86400')), 10, "digest")
TCP = Tcp(
    "ok",
    offered_h2=Tls("TLSv1.3", "h2", CHAIN, False),
    h1=ANSWER,
    h2=(ANSWER,) * SURE,
    h2_settings={"max_concurrent_streams": 128},
    old_versions=(),
    resumption=(True,),
)
QUIC = Quic(
    "ok",
    versions=(1,),
    retried=(False, False),
    chain=CHAIN,
    handshake_bytes=900,
    parameters={"initial_max_streams_bidi": 128, "max_idle_timeout": 30_000},
    settings={1: 4096},
    answers=(ANSWER,) * SURE,
    tickets=2,
    resumption=(True,),
)
ADDRESS = Address("192.0.2.1", TCP, QUIC)
SEEN = (("host", HOST), ("x-forwarded-for", "192.0.2.9"), ("x-forwarded-proto", "https"))
FORWARDING = Forwarding(
    (Echo("h1", SEEN), Echo("h2", SEEN), Echo("h3", SEEN)),
    (Echo("h1", (("host", HOST), ("x-forwarded-for", "192.0.2.77, 192.0.2.9"))),),
    "192.0.2.77",
)
SOUND = Facts(
    Target(HOST, 443, "/"),
    NOW,
    (),
    Names(("192.0.2.1",), ("192.0.2.1",), (), HOST),
    (ADDRESS,),
    ADDRESS,
    datagrams=(Datagrams(1452, True),),
    forwarding=FORWARDING,
)


def with_tcp(**changes: Any) -> Facts:
    """The sound host with other facts over TCP."""
    return _main(replace(ADDRESS, tcp=replace(TCP, **changes)))


def with_quic(**changes: Any) -> Facts:
    """The sound host with other facts over QUIC."""
    return _main(replace(ADDRESS, quic=replace(QUIC, **changes)))


def advertising(h1: str | None, h2: str | None, h3: str | None) -> Facts:
    """The sound host with another Alt-Svc over each protocol, None for none."""
    one, two, three = (
        replace(ANSWER, headers=(("alt-svc", text),) if text is not None else ()) for text in (h1, h2, h3)
    )
    tcp, quic = replace(TCP, h1=one, h2=(two, two)), replace(QUIC, answers=(three, three))
    return _main(Address(ADDRESS.address, tcp, quic))


def with_records(*records: Record) -> Facts:
    """The sound host with HTTPS records."""
    return replace(SOUND, names=replace(SOUND.names, records=records))


def forwarding(**changes: Any) -> Facts:
    """The sound host with another echo."""
    return replace(SOUND, forwarding=replace(FORWARDING, **changes))


def codes(facts: Facts) -> list[str]:
    """The kinds of the findings."""
    return [each.code for each in findings(facts)]


def findings(facts: Facts) -> list[Finding]:
    """The findings."""
    return judge(facts)[0]


def unknown(facts: Facts) -> dict[str, str]:
    """The unknown points and their reasons."""
    return {each.point: each.why for each in judge(facts)[1]}


OFFER = 'h3=":443"; ma=86400'
SILENT = Quic("silent")
NO_ANSWER = replace(ANSWER, headers=())


def chain(**changes: object) -> Facts:
    """The sound host with another chain over both."""
    made = replace(CHAIN, **changes)  # type: ignore[arg-type]
    facts = with_tcp(offered_h2=Tls("TLSv1.3", "h2", made, False))
    return replace(facts, main=replace(facts.main, quic=replace(QUIC, chain=made)))


def early(method: str, status: int, *, before: bool = True, accepted: bool = True) -> Facts:
    """A request in 0-RTT data and what it got."""
    seen = Early(method, "/", accepted, before, replace(ANSWER, status=status))
    return replace(with_quic(early_data=True), early=(seen,))


def answers(**changes: object) -> Facts:
    """The sound host with other responses over h3."""
    other = replace(ANSWER, **changes)  # type: ignore[arg-type]
    return with_quic(answers=(other,) * SURE)


def echoing(*protocols: str, **headers: str) -> Facts:
    """The sound host with other headers over some protocols; empty ones are missing."""
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


def unadvertised(quic: Quic) -> Facts:
    """The sound host with another QUIC, to which nothing leads."""
    tcp = replace(TCP, h1=NO_ANSWER, h2=(NO_ANSWER,) * 2)
    return replace(SOUND, main=replace(ADDRESS, tcp=tcp, quic=quic), addresses=())


def failing(reason: str) -> Facts:
    """The sound host with a TLS over TCP that fails."""
    return with_tcp(
        reached="failed", detail="TLS: it fails", tls_fault=reason, offered_h2=None, h1=None, h2=()
    )


def with_response(**changes: object) -> Facts:
    """Without QUIC, of which nothing is advertised."""
    facts = unadvertised(SILENT)
    return replace(facts, main=replace(facts.main, tcp=replace(TCP, **changes)))  # type: ignore[arg-type]


def _main(address: Address) -> Facts:
    return replace(SOUND, addresses=(address,), main=address)
