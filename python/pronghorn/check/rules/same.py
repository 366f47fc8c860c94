"""Whether h2 and h3 serve the same page."""

from collections.abc import Iterator

from pronghorn.check import comparing
from pronghorn.check.facts import ANSWER_S, NO_RESPONSE, Facts
from pronghorn.check.finding import Finding, Unknown
from pronghorn.check.rules.tls import CLIENT_CERTIFICATE
from pronghorn.check.secrets import without_secrets
from pronghorn.foreign import line

_TREATED_APART = {403, 429, 503}
"""What filters answer to a client that they take for a robot, or that asks too often."""


def rule(facts: Facts) -> Iterator[Finding | Unknown]:
    """Status, headers and body, as far as each protocol answers itself alike."""
    h2, h3 = facts.main.tcp.h2, facts.main.quic.answers
    yield from _mute(facts)
    if facts.main.quic.reached != "ok" or facts.main.tcp.reached != "ok":
        return
    if min(len(h2), len(h3)) < comparing.LEAST:
        yield Unknown("h2 against h3", "one of them gave too few responses")
        return
    found = list(comparing.differences(h2, h3))
    if found and min(len(h2), len(h3)) < comparing.SURE:
        yield Unknown("h2 against h3", "they differed, but one of them gave too few responses to be sure")
        return
    kinds = {each.what for each in found}
    headers = [each for each in found if each.what not in ("status", "body")]
    unlike = {each.status for each in (h2[0], h3[0])} & _TREATED_APART
    if unlike and "status" in kinds:
        yield Unknown(
            "h2 against h3",
            f"{' and '.join(map(str, sorted(unlike)))} over one of them: a filter against robots or too many "
            "requests may have met this client over that protocol alone",
        )
        return
    if h2[0].status >= 400 and h3[0].status >= 400:
        yield Unknown("the page", f"the host answers with status {h2[0].status}; pages and errors may differ")
    if "status" in kinds:
        status = next(each for each in found if each.what == "status")
        yield Finding(
            "status-differs",
            "error",
            f"h2 answers with status {status.one}, h3 with {status.other}.",
            "Visitors see another page, or an error, once their browser changes to h3.",
            "Give the QUIC listener the same hosts and locations as the TCP one.",
        )
        return
    for each in headers:
        yield Finding(
            "header-differs",
            "warning",
            f"{each.what}: h2 sends {_quoted(each.one)}, h3 {_quoted(each.other)}.",
            "Security policy, caching or compression changes with the protocol.",
            "Set the header where both listeners take it from.",
        )
    encoded = any(each.what == "content-encoding" for each in headers)
    if "body" in kinds and not encoded:
        body = next(each for each in found if each.what == "body")
        yield Finding(
            "body-differs",
            "error",
            f"The page is another over h3: {body.one} over h2, {body.other} over h3, each the same every "
            "time.",
            "Visitors see another page once their browser changes to h3.",
            "Give the QUIC listener the same root or backend as the TCP one.",
        )
    elif not comparing.stable(h2) or not comparing.stable(h3):
        yield Unknown(
            "whether h2 and h3 serve the same bytes", "the page changes with every request, or is long"
        )


def _mute(facts: Facts) -> Iterator[Finding | Unknown]:
    tcp, quic = facts.main.tcp, facts.main.quic
    if tcp.reached != "ok" or tcp.offered_h2 is None or tcp.h1 or tcp.h2 or quic.answers:
        return
    if tcp.tls_fault in CLIENT_CERTIFICATE:
        yield Unknown("the page", "the server may demand a client's certificate")
    elif tcp.detail == NO_RESPONSE:
        yield Finding(
            "no-response",
            "error",
            f"TLS works, but no request got a response within {ANSWER_S:g} s, over any protocol.",
            "Visitors wait, then see an error.",
            "See whether the application behind the server hangs, and what the server logs.",
        )
    else:
        yield Unknown("the page", f"no response over any protocol: {tcp.detail or 'no reason given'}")


def _quoted(value: str) -> str:
    return f"'{line(without_secrets(value), 80)}'" if value else "none"
