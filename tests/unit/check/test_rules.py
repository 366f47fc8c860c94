"""Each rule finds what is certain, and says what it doesn't know."""

from dataclasses import replace

import pytest

from pronghorn.check.facts import (
    Answer,
    Datagrams,
    Early,
    Echo,
    Facts,
)

from . import made_facts
from .judged_facts import FOUND
from .made_facts import (
    ANSWER,
    FORWARDING,
    HOST,
    SOUND,
    advertising,
    chain,
    codes,
    early,
    unknown,
    with_quic,
    with_tcp,
)


@pytest.mark.parametrize("what", FOUND)
def test_it_finds(what: str) -> None:
    facts, expected = FOUND[what]
    assert codes(facts) == expected


def test_every_finding_says_what_it_does_and_how_to_fix_it() -> None:
    for facts, _ in FOUND.values():
        for finding in made_facts.findings(facts):
            for text in (finding.seen, finding.effect, finding.fix):
                assert text
                assert text[-1] in ".…"


def test_the_worst_come_first() -> None:
    facts = replace(with_quic(versions=(), tickets=0, resumption=()))
    facts = replace(
        facts, datagrams=(Datagrams(1280, False),), early=(Early("POST", "/", True, True, ANSWER),)
    )
    severities = [each.severity for each in made_facts.findings(facts)]
    assert severities == ["error", "warning", "notice", "notice"]


@pytest.mark.parametrize(
    ("facts", "point"),
    [
        (replace(SOUND, names=replace(SOUND.names, records=None)), "HTTPS records"),
        (chain(distrust=None, distrust_text="no authorities"), "trust over TCP"),
        (replace(SOUND, forwarding=None), "forwarded headers"),
        (with_tcp(old_versions=None), "TLS 1.0 and 1.1"),
        (with_quic(answers=(ANSWER,)), "h2 against h3"),
        (with_quic(answers=(replace(ANSWER, digest="other"),) * 7), "h2 against h3"),
        (
            with_quic(answers=(replace(ANSWER, digest="one"), replace(ANSWER, digest="two"))),
            "whether h2 and h3 serve the same bytes",
        ),
        (replace(SOUND, datagrams=(Datagrams(1452, None),)), "datagrams of 1452 bytes"),
        (early("POST", 404), "unsafe requests in 0-RTT"),
    ],
)
def test_what_could_not_be_seen_is_unknown(facts: Facts, point: str) -> None:
    assert unknown(facts)[point]


def test_an_advertisement_that_only_dns_could_know_is_unknown() -> None:
    facts = advertising(None, None, None)
    facts = replace(facts, names=replace(facts.names, records=None))
    assert codes(facts) == []
    assert "whether h3 is advertised" in unknown(facts)


def test_an_answer_of_the_host_can_t_act_on_a_terminal() -> None:
    odd = "h3=\x1b[2J"
    assert "\x1b" not in made_facts.findings(advertising(odd, odd, odd))[0].seen


def test_an_early_request_must_be_marked() -> None:
    plain = Echo("h3 in 0-RTT", (("host", HOST),))
    facts = replace(early("GET", 200), forwarding=replace(FORWARDING, early=plain))
    assert codes(facts) == ["early-data-unmarked"]
    marked = replace(plain, headers=(*plain.headers, ("early-data", "1")))
    assert codes(replace(facts, forwarding=replace(FORWARDING, early=marked))) == []


def test_a_long_body_is_not_compared() -> None:
    long = Answer(200, ANSWER.headers, 3_000_000, None)
    facts = with_tcp(h2=(long, long))
    assert codes(facts) == []
