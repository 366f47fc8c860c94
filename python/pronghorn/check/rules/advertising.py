"""Alt-Svc: is h3 advertised, everywhere alike, and where it answers?"""

from collections.abc import Iterator

from pronghorn.check import alternatives
from pronghorn.check.alternatives import AltSvc
from pronghorn.check.facts import Answer, Facts
from pronghorn.check.finding import Finding, Unknown
from pronghorn.check.rules.places import dead, explained, quic_at, refuses, works
from pronghorn.foreign import line

_LEAST_AGE_S = 300
"""Under this a visitor who reads a page for some minutes has forgotten h3 by the next one."""

_WAITS = "Browsers try QUIC there, get nowhere, and stay on h2; they try again later."

_THEN = "(ma=86400 once h3 has worked for a day)"
"""Behind a value, which no full stop may follow: it would be copied as well."""


def rule(facts: Facts) -> Iterator[Finding | Unknown]:
    """Over h1, h2 and h3."""
    answers = _answers(facts)
    told = {protocol: alternatives.parse(answer.all("alt-svc")) for protocol, answer in answers.items()}
    said = {protocol: each for protocol, each in told.items() if each is not None}
    yield from _faults(said)
    yield from _places(said, facts)
    yield from _ages(said)
    yield from _alike(told)
    yield from _missing(told, facts)


def _answers(facts: Facts) -> dict[str, Answer]:
    tcp, quic = facts.main.tcp, facts.main.quic
    found = {"h1": tcp.h1, "h2": next(iter(tcp.h2), None), "h3": next(iter(quic.answers), None)}
    return {protocol: answer for protocol, answer in found.items() if answer is not None}


def _over(protocols: list[str]) -> str:
    return f"over {' and '.join(protocols)}"


def _faults(said: dict[str, AltSvc]) -> Iterator[Finding]:
    broken = {protocol: each.fault for protocol, each in said.items() if each.fault is not None}
    if broken:
        text = next(iter(broken.values()))
        yield Finding(
            "alt-svc-malformed",
            "error",
            f"Alt-Svc {_over(list(broken))} can't be read from '{line(text.strip(), 80)}' on.",
            "Browsers ignore the field, so they never learn of h3.",
            f'Quote the authority and separate with commas: Alt-Svc: h3=":443"; ma=300 {_THEN}.',
        )
    drafts = [
        protocol
        for protocol, each in said.items()
        if not each.of("h3") and any(one.protocol.startswith("h3-") for one in each.alternatives)
    ]
    if drafts:
        names = ", ".join(line(one.protocol, 20) for one in said[drafts[0]].alternatives)
        yield Finding(
            "alt-svc-draft",
            "error",
            f"Alt-Svc {_over(drafts)} names {names}, but not h3.",
            "Browsers dropped the drafts of HTTP/3 years ago, so they stay on h2.",
            f'Name h3: Alt-Svc: h3=":443"; ma=300 {_THEN}.',
        )


def _places(said: dict[str, AltSvc], facts: Facts) -> Iterator[Finding | Unknown]:
    over: dict[tuple[str, int], list[str]] = {}
    for protocol, each in said.items():
        for one in each.of("h3"):
            over.setdefault((one.host, one.port), []).append(protocol)
    for (host, port), protocols in over.items():
        where = f"{line(host or facts.target.host)} port {port}"
        seen = f"Alt-Svc {_over(list(dict.fromkeys(protocols)))} names h3 at {where}"
        own = host in ("", facts.target.host)
        why = dead(host, port, facts)
        if why is not None and not own:
            yield Finding(
                "alt-svc-host",
                "error",
                f"{seen}: {why}.",
                _WAITS,
                "Name no host, which means the origin's own: Alt-Svc: "
                f'h3=":{facts.target.port}"; ma=300 {_THEN}.',
            )
        elif why is not None and port != facts.target.port:
            yield Finding(
                "alt-svc-port",
                "error",
                f"{seen}: {why}.",
                _WAITS,
                "Name the port that visitors reach, not that of the container or the backend: Alt-Svc: "
                f'h3=":{facts.target.port}"; ma=300 {_THEN}.',
            )
        elif why is not None and facts.main.quic.reached == "failed":
            yield from _failed(seen, why, facts)
        elif why is not None:
            yield Finding(
                "udp-dead",
                "error",
                f"{seen}: {why}.",
                _WAITS,
                f"Let {port}/udp through firewalls, security groups and the container (publish "
                f"{port}:{port}/udp), "
                "and see that the server listens for QUIC there. If this host's network blocks UDP, check "
                "from another.",
            )
        elif works(host, port, facts) is None:
            yield Unknown(f"h3 at {where}", "this host could not ask there, or not finish the handshake")
        else:
            yield from _certificate(seen, host, port, facts)


def _failed(seen: str, why: str, facts: Facts) -> Iterator[Finding]:
    quic = facts.main.quic
    if explained(quic) or not refuses(quic):  # rules/quic.py says so
        return
    tries = "the handshake" if quic.attempts == 1 else f"each of {quic.attempts} handshakes"
    yield Finding(
        "h3-handshake-fails",
        "error",
        f"{seen}, which answers over UDP, but the server ended {tries}: {line(why)}.",
        _WAITS,
        "See what the server logs of the handshake; compare its QUIC listener's certificate and TLS "
        "settings.",
    )


def _certificate(seen: str, host: str, port: int, facts: Facts) -> Iterator[Finding]:
    quic = quic_at(host, port, facts)
    if quic is facts.main.quic or quic is None or quic.chain is None:
        return
    if not quic.chain.covers_host or quic.chain.distrust:
        yield Finding(
            "alt-svc-certificate",
            "error",
            f"{seen}, where the certificate is not valid for {facts.target.host}.",
            "Browsers drop that connection and stay on h2 (RFC 7838 §2.1).",
            f"Serve a certificate for {facts.target.host} there.",
        )


def _ages(said: dict[str, AltSvc]) -> Iterator[Finding]:
    short = {
        protocol: one.max_age_s
        for protocol, each in said.items()
        for one in each.of("h3")
        if one.max_age_s < _LEAST_AGE_S
    }
    if short:
        yield Finding(
            "alt-svc-short-lived",
            "warning",
            f"Alt-Svc {_over(list(short))} holds for {min(short.values())} s (ma).",
            "Browsers forget h3 before the next visit, which begins with TCP again.",
            "Set ma=300 for the first day of h3, and ma=86400 (a day) or more once it has worked.",
        )


def _alike(told: dict[str, AltSvc | None]) -> Iterator[Finding]:
    offers = [protocol for protocol, each in told.items() if each is not None and each.of("h3")]
    clears = [protocol for protocol, each in told.items() if each is not None and each.clear]
    if clears and offers:
        yield Finding(
            "alt-svc-clear",
            "error",
            f"Alt-Svc is 'clear' {_over(clears)}, while {' and '.join(offers)} advertise h3.",
            "Browsers forget h3 with every such response, and change to and fro.",
            "Send 'clear' only if h3 is to go away, then over all protocols.",
        )
    lacks = [
        protocol
        for protocol, each in told.items()
        if protocol in ("h1", "h2") and (each is None or not (each.of("h3") or each.clear or each.fault))
    ]
    drafts = any(
        one.protocol.startswith("h3-") for each in told.values() if each for one in each.alternatives
    )
    if lacks and any(protocol in ("h1", "h2") for protocol in offers) and not drafts:
        yield Finding(
            "alt-svc-not-everywhere",
            "warning" if "h2" in lacks else "notice",
            f"Alt-Svc names h3 {_over(offers)}, but not {_over(lacks)}.",
            "Visitors who come over the other protocol never learn of h3.",
            "Add the header to every response: nginx drops inherited add_header lines in a location that "
            "has its "
            "own, and needs 'always' for errors.",
        )


def _speaks_of_h3(said: AltSvc) -> bool:
    """Whether it offers h3, takes it back, or tries to (which has findings of its own)."""
    drafts = any(each.protocol.startswith("h3-") for each in said.alternatives)
    return bool(said.of("h3")) or said.clear or said.fault is not None or drafts


def _missing(told: dict[str, AltSvc | None], facts: Facts) -> Iterator[Finding | Unknown]:
    over_tcp = {protocol: each for protocol, each in told.items() if protocol in ("h1", "h2")}
    if not over_tcp:
        yield Unknown("whether h3 is advertised", "no response came over h1 or h2")
        return
    if any(each is not None and _speaks_of_h3(each) for each in over_tcp.values()):
        return
    if facts.names.records is None:
        yield Unknown("whether h3 is advertised", "not by Alt-Svc; HTTPS records could not be asked for")
        return
    if any("h3" in each.alpn for each in facts.names.records):
        return
    if facts.names.records and not any(each.priority for each in facts.names.records):
        yield Unknown("whether h3 is advertised", "not by Alt-Svc; an HTTPS record's alias leads on")
        return
    neither = f"neither Alt-Svc ({_over(list(over_tcp))}) nor an HTTPS record"
    fix = (
        f'Send with every response Alt-Svc: h3=":{facts.target.port}"; ma=300 {_THEN}, or publish an HTTPS '
        'record (alpn="h3,h2").'
    )
    if facts.main.quic.reached == "ok":
        yield Finding(
            "h3-not-advertised",
            "notice",
            f"The host serves h3, but {neither} says so.",
            "Browsers never use h3, unless it is advertised to some of them only.",
            fix,
        )
    elif facts.main.quic.reached in ("silent", "refused") or explained(facts.main.quic):
        udp = facts.main.quic.reached
        yield Finding(
            "h3-not-offered",
            "notice",
            f"{'UDP answers without h3' if udp == 'failed' else f'UDP is {udp}'}, and {neither} names h3.",
            "All visitors use h2 or HTTP/1.1.",
            f"To offer h3, let the server listen for QUIC on {facts.target.port}/udp, then advertise it. "
            f"{fix}",
        )
