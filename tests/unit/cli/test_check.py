"""`pronghorn check`: its options, its outputs, its exit status."""

import json
from dataclasses import replace
from typing import Any

import pytest

from pronghorn.check import Report, Settings, Target, rules
from pronghorn.check.comparing import SURE
from pronghorn.check.facts import Facts
from pronghorn.cli import check as command

from ..check import made_facts
from ..laboratory import Laboratory


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What a check is asked; it always answers the same host, whose h2 lacks a header of h3's."""
    asked: list[Any] = []
    other = replace(
        made_facts.ANSWER,
        headers=(*made_facts.ANSWER.headers, ("vary", "x"), ("set-cookie", "id=hunter2; Secure")),
    )
    facts = made_facts.with_quic(answers=(other,) * SURE, versions=())

    def examined(target: Target, settings: Settings, tell: Any) -> Report:
        tell("asking")
        asked.append((target, settings))
        return report(facts)

    monkeypatch.setattr(command, "examined", examined)
    return asked


def report(facts: Facts) -> Report:
    findings, unknown = rules.judge(facts)
    return Report(facts, tuple(findings), tuple(unknown))


@pytest.mark.parametrize(("severity", "status"), [("error", 0), ("warning", 1), ("notice", 1), ("never", 0)])
def test_the_status_follows_the_chosen_severity(
    laboratory: Laboratory, seen: list[Any], severity: str, status: int
) -> None:
    assert laboratory.run("check", "shop.example", "--fail-on", severity).status == status
    assert seen[0][0] == Target("shop.example", 443, "/")


def test_people_read_findings_effects_and_fixes(laboratory: Laboratory, seen: list[Any]) -> None:
    result = laboratory.run("check", "https://shop.example/?token=hunter2")
    assert "0 errors, 1 warning, 1 notice" in result.stdout
    assert "warning  vary: h2 sends none, h3 'x'." in result.stdout
    assert "         Effect: " in result.stdout
    assert "         Fix: " in result.stdout
    assert result.stderr == "asking\n"
    assert seen[0][0].path == "/?token=hunter2"


def test_programs_read_one_object_without_secrets(laboratory: Laboratory, seen: list[Any]) -> None:
    result = laboratory.run("check", "shop.example", "--json", "--quiet")
    document = json.loads(result.stdout)
    assert document["format"] == 1
    assert document["counts"] == {"error": 0, "warning": 1, "notice": 1}
    assert [each["code"] for each in document["findings"]] == [
        "header-differs",
        "version-negotiation-missing",
    ]
    assert document["facts"]["addresses"][0]["tcp"]["offered_h2"]["alpn"] == "h2"
    assert "hunter2" not in result.stdout
    assert result.stderr == ""
    assert len(seen) == 1


def test_options_say_how_the_host_is_reached(laboratory: Laboratory, seen: list[Any]) -> None:
    options = ["--address", "192.0.2.1", "--address", "2001:db8::1", "--resolver", "[2001:db8::53]:5353"]
    laboratory.run("check", "shop.example", *options, "--echo", "/echo", "--limit", "10s")
    addresses = ("192.0.2.1", "2001:db8::1")
    assert seen[0][1] == Settings(None, addresses, ("2001:db8::53", 5353), "/echo", 10.0)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--fail-on", "eror", "did you mean 'error'?"),
        ("--address", "shop.example", "not an IP address"),
        ("--resolver", "192.0.2.53:0", "not an IP address with or without a port"),
        ("--echo", "echo", "begins with a slash"),
        ("--limit", "30", "30"),
        ("--limit", "1s", "allowed are 5s to 300s"),
    ],
)
def test_a_mistake_is_one_message(
    laboratory: Laboratory, seen: list[Any], option: str, value: str, said: str
) -> None:
    result = laboratory.run("check", "shop.example", option, value)
    assert result.status == 2
    assert said in result.stderr
    assert seen == []


def test_a_file_of_authorities_must_be_one(laboratory: Laboratory) -> None:
    (laboratory.folder / "not.pem").write_text("no certificate", encoding="utf-8")
    for name, said in (("not.pem", "no certificate in PEM form"), ("none.pem", "No such file")):
        result = laboratory.run("check", "127.0.0.1:1", "--ca", name)
        assert (result.status, said in result.stderr) == (2, True), result.stderr
