"""Whether h2 and h3 serve the same page."""

from collections.abc import Iterator

from pronghorn.check import comparing
from pronghorn.check.facts import Facts
from pronghorn.check.finding import Finding, Unknown
from pronghorn.foreign import line


def rule(facts: Facts) -> Iterator[Finding | Unknown]:
    """Status, headers and body, as far as each protocol answers itself alike."""
    h2, h3 = facts.main.tcp.h2, facts.main.quic.answers
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


def _quoted(value: str) -> str:
    return f"'{line(value, 80)}'" if value else "none"
