"""`pronghorn path … --calibrate` with a fake engine."""

import json

import pytest

from ..laboratory import Laboratory

WORDS = ("delay=75ms", "loss=10%", "rate=10Mbit", "queue=100kB")


def test_a_path_that_is_as_asked_passes_and_the_report_goes_to_the_file(laboratory: Laboratory) -> None:
    result = laboratory.run("path", *WORDS, "--calibrate", "--seed", "3", "--json", "report.json")
    assert result.status == 0, result.stdout
    assert "10 Mbit/s" in result.stdout and "fail " not in result.stdout
    report = json.loads((laboratory.folder / "report.json").read_text(encoding="utf-8"))
    assert report["passed"] is True and report["seed"] == 3
    assert {row["quantity"] for row in report["rows"]} >= {
        "delay (median)",
        "loss",
        "rate",
        "queue",
        "packets",
    }


def test_a_path_that_is_not_as_asked_ends_with_1(laboratory: Laboratory) -> None:
    laboratory.behave(miscalibrated=True)
    result = laboratory.run("path", *WORDS, "--calibrate")
    assert result.status == 1, result.stderr
    assert "6 failed" in result.stdout, "both links' delays, and the waits in their queues with them"


def test_what_can_not_be_seen_by_probes_is_said_to_be_left_out(laboratory: Laboratory) -> None:
    result = laboratory.run("path", "delay=1ms", "udp=block", "mtu=1400B", "--calibrate")
    assert result.status == 0, result.stdout
    assert result.stdout.count("not checked") == 4


@pytest.mark.parametrize("rest", [("--", "true"), ("--json", "no/such/folder")])
def test_what_makes_no_sense_beside_it_is_refused(laboratory: Laboratory, rest: tuple[str, ...]) -> None:
    assert laboratory.run("path", *WORDS, "--calibrate", *rest).status == 2
