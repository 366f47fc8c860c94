"""What of a host's answers a report may repeat."""

import json
from dataclasses import replace

import pytest

from pronghorn.check import Report, rules, show
from pronghorn.check.comparing import SURE
from pronghorn.check.secrets import shown, without_secrets

from .made_facts import ANSWER, FORWARDING, SOUND, with_quic


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("https://login.example/?token=hunter2", "https://login.example/?…"),
        ("/a#access_token=hunter2", "/a#…"),
        ("https://user:hunter2@host.example/", "https://…@host.example/"),
        ("default-src 'self'; report-uri /r?key=hunter2; x", "default-src 'self'; report-uri /r?…; x"),
        ("max-age=60", "max-age=60"),
    ],
)
def test_urls_lose_what_may_be_secret(value: str, told: str) -> None:
    assert without_secrets(value) == told


def test_a_header_that_nobody_knows_is_a_length() -> None:
    for name in ("authorization", "cookie", "set-cookie", "refresh", "x-original-uri", "x-amzn-oidc-data"):
        assert shown(name, "hunter2") == "(7 characters)"
    assert shown("vary", "Accept") == "Accept"


def test_neither_findings_nor_facts_repeat_them() -> None:
    location = ("location", "https://user:hunter2@login.example/?token=hunter2#hunter2")
    other = replace(ANSWER, headers=(*ANSWER.headers, location, ("link", "</a?t=hunter2>")))
    echo = replace(FORWARDING.echoes[0], headers=(("host", "shop.example"), ("authorization", "hunter2")))
    facts = replace(
        with_quic(answers=(other,) * SURE),
        forwarding=replace(FORWARDING, echoes=(echo,)),
        hops=(SOUND,),
    )
    findings, unknown = rules.judge(facts)
    assert [each.code for each in findings if each.code == "header-differs"]
    document = show.as_json(Report(facts, tuple(findings), tuple(unknown)))
    assert "login.example" in document
    assert "hunter2" not in document
    assert json.loads(document)["format"] == 1
