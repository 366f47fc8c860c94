"""What an application behind the server learns of its visitors."""

from collections.abc import Iterator

from pronghorn.check.facts import Facts, Forwarding
from pronghorn.check.finding import Finding, Unknown
from pronghorn.check.secrets import FORWARDED
from pronghorn.foreign import line

_CLIENT = ("x-forwarded-for", "forwarded", "x-real-ip")
_FIX = "proxy_set_header X-Forwarded-For $remote_addr (nginx)"


def rule(facts: Facts) -> Iterator[Finding | Unknown]:
    """Needs an echo endpoint."""
    forwarding = facts.forwarding
    if forwarding is None or not forwarding.echoes:
        why = "no echo endpoint was named (--echo)" if forwarding is None else "its answer holds no headers"
        yield Unknown("forwarded headers", why)
        return
    yield from _missing(forwarding)
    yield from _differ(forwarding)
    yield from _scheme(forwarding)
    yield from _host(forwarding, facts)
    yield from _forged(forwarding)
    yield from _early(forwarding, facts)


def _missing(forwarding: Forwarding) -> Iterator[Finding]:
    if not any(echo.all(name) for echo in forwarding.echoes for name in _CLIENT):
        yield Finding(
            "forwarded-missing",
            "notice",
            f"The application gets none of X-Forwarded-For, Forwarded, X-Real-IP, {_over(forwarding)}.",
            "If a proxy stands before it, it takes that for every visitor: limits and logs are wrong.",
            f"Pass the client's address: {_FIX}.",
        )


def _differ(forwarding: Forwarding) -> Iterator[Finding]:
    for name in FORWARDED:
        having = [echo.protocol for echo in forwarding.echoes if echo.all(name)]
        lacking = [echo.protocol for echo in forwarding.echoes if not echo.all(name)]
        if having and lacking:
            yield Finding(
                "forwarded-differs",
                "warning",
                f"The application gets {name} over {' and '.join(having)}, but not over "
                f"{' and '.join(lacking)}.",
                "It treats the same visitor differently once the browser changes the protocol.",
                "Set the header for every listener. Over h3 nginx's $http_host is empty: use $host.",
            )


def _scheme(forwarding: Forwarding) -> Iterator[Finding]:
    for echo in forwarding.echoes:
        schemes = echo.all("x-forwarded-proto")
        if schemes and all(each.strip().lower() == "http" for each in schemes):
            yield Finding(
                "forwarded-scheme",
                "error",
                f"X-Forwarded-Proto says http over {echo.protocol}, though the visitor came over https.",
                "The application redirects to https for ever, or builds links that browsers block.",
                "Pass the scheme: proxy_set_header X-Forwarded-Proto $scheme (nginx).",
            )
            return


def _host(forwarding: Forwarding, facts: Facts) -> Iterator[Finding]:
    own = {facts.target.authority, facts.target.host}
    for echo in forwarding.echoes:
        hosts = [*echo.all("host"), *echo.all("x-forwarded-host"), *echo.all("forwarded")]
        if echo.all("host") and not any(name in each.lower() for each in hosts for name in own):
            yield Finding(
                "forwarded-host",
                "warning",
                f"The application sees host {line(echo.all('host')[0], 60)} over {echo.protocol}, and "
                "nowhere "
                f"{facts.target.authority}.",
                "Its absolute links, redirects and cookies name a host that visitors can't reach.",
                "Pass the host: proxy_set_header Host $host (nginx).",
            )
            return


def _forged(forwarding: Forwarding) -> Iterator[Finding | Unknown]:
    if not forwarding.forged:
        yield Unknown("forged forwarded headers", "the echo endpoint did not answer that request")
    for echo in forwarding.forged:
        given = [name for name in _CLIENT if echo.all(name)]
        claims = (forwarding.claimed, f"for={forwarding.claimed}")
        believed = [name for name in given if all(value.strip() in claims for value in echo.all(name))]
        if not believed:
            continue
        alone = believed == given
        yield Finding(
            "forwarded-forged",
            "error" if alone else "notice",
            f"A visitor's own {', '.join(believed)} reaches the application unchanged over {echo.protocol}"
            f"{', and no other header tells the true address' if alone else ''}.",
            "Anyone can pretend to come from any address, past rate limits and lists of addresses"
            f"{'' if alone else ', if the application reads it'}.",
            f"Overwrite what visitors send: {_FIX}. Drop the headers that you don't set: proxy_set_header "
            'Forwarded "" (nginx).',
        )
        return


def _early(forwarding: Forwarding, facts: Facts) -> Iterator[Finding]:
    early = next((each for each in facts.early if each.method == "GET"), None)
    if early is None or not early.answered_early or forwarding.early is None:
        return
    if forwarding.early.all("early-data") != ["1"]:
        yield Finding(
            "early-data-unmarked",
            "warning",
            "A request in 0-RTT data reached the application without 'Early-Data: 1'.",
            "It can't tell requests that an attacker may repeat, so it can't answer 425 (RFC 8470 §5.1).",
            "Pass it: proxy_set_header Early-Data $ssl_early_data (nginx).",
        )


def _over(forwarding: Forwarding) -> str:
    return "over " + ", ".join(echo.protocol for echo in forwarding.echoes)
