"""`--check`: what holds exits 0, what doesn't exits 1 and says by how much."""

import pytest

from .conftest import Laboratory


@pytest.mark.parametrize(
    "text",
    [
        "far: h3/h2 < 1.0",
        "far:h3/h2<0.8",
        "far: h3.p90 / h2.p90 <= 0.8",
        "h3.failed == 0",
        "h1.n >= 8",
        "*: h2 > 4.8ms",
        "tiny/far/*/native: h2.max < 2s",
        "far: h3 is faster",
        "near: h3 is same",
        "far: h1/h2 == 1",
    ],
)
def test_what_holds_exits_with_0(laboratory: Laboratory, text: str) -> None:
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--set", "repeat=8", "--check", text)
    assert result.status == 0, result.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("h3/h2 < 0.5", "h3/h2 < 0.5 (near: h3/h2 = 1)"),
        ("far: h3 is slower", "far: h3 is slower (far: h3 is faster)"),
        ("h2.failed > 0", "(near: h2.failed = 0)"),
    ],
)
def test_what_does_not_hold_exits_with_1_and_says_why(laboratory: Laboratory, text: str, said: str) -> None:
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--set", "repeat=8", "--check", text)
    assert result.status == 1
    assert said in result.stderr.partition("check failed: ")[2]


def test_a_figure_that_is_not_known_fails_the_check(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "timeout", "protocol": "h3"}])
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--check", "far: h3.mean < 100")
    assert result.status == 1
    assert "h3.mean is not known" in result.stderr


def test_every_check_must_hold(laboratory: Laboratory) -> None:
    result = laboratory.run(
        "run", "experiment.toml", "--out", "out", "--check", "h3.failed == 0", "--check", "h3.failed == 1"
    )
    assert result.status == 1
    assert result.stderr.count("check failed") == 1
