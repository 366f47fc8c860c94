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


def test_what_is_said_of_udp_beside_dead_tcp_is_what_was_seen() -> None:
    facts = with_tcp(reached="refused", offered_h2=None, h1=None, h2=())
    assert "while UDP answers" in made_facts.findings(facts)[0].seen
    silent = replace(facts, main=replace(facts.main, quic=made_facts.SILENT))
    told = [each.seen for each in made_facts.findings(silent) if each.code == "tcp-dead"]
    assert "UDP is silent" in told[0]


def test_versions_without_a_meaning_are_not_listed() -> None:
    facts = with_quic(reached="failed", versions=(0x1A2A3A4A, 0xFF00001D), answers=())
    assert "versions 0xff00001d," in made_facts.findings(facts)[0].seen


def test_severity_follows_what_is_certain() -> None:
    def of(facts: Facts) -> list[str]:
        return [each.severity for each in made_facts.findings(facts)]

    both = Echo("h1", (("x-forwarded-for", "192.0.2.9"), ("x-real-ip", "192.0.2.77")))
    assert of(made_facts.forwarding(forged=(both,))) == ["notice"]
    assert of(with_quic(handshake_bytes=5000)) == ["notice"]
    assert of(with_quic(handshake_bytes=9000)) == ["warning"]
    assert of(replace(SOUND, datagrams=(Datagrams(1452, False),))) == ["notice"]
    assert of(advertising(None, None, None)) == ["notice"]
    assert of(made_facts.failing("")) == ["warning"]
    assert of(made_facts.failing("TLSV1_UNRECOGNIZED_NAME")) == ["error"]
