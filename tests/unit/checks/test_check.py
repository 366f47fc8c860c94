"""`--check`: what holds exits 0, what doesn't exits 1 and says by how much."""

from ..laboratory import Laboratory
from ..program import Result


def with_checks(laboratory: Laboratory, *checks: str) -> Result:
    """A run that is checked."""
    options = [part for check in checks for part in ("--check", check)]
    return laboratory.run("run", "experiment.toml", "--out", "out", "--set", "repeat=8", *options)


def test_what_holds_exits_with_0(laboratory: Laboratory) -> None:
    result = with_checks(
        laboratory,
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
        "surely h3/h2 load median < 0.9 on far",
        "surely h3 is not slower on *",
    )
    assert result.status == 0, result.stderr


def test_what_does_not_hold_exits_with_1_and_says_why(laboratory: Laboratory) -> None:
    result = with_checks(
        laboratory, "h3/h2 load median < 0.5 on near", "h3.failed == 0", "far: h3 is slower", "h2.failed > 0"
    )
    assert result.status == 1
    told = [line for line in result.stderr.splitlines() if line.startswith("check ")]
    assert told[0].startswith(
        "check failed: h3/h2 load median < 0.5 on near (near: h3/h2 load median = 1.000 (load median "
    )
    assert told[0].endswith("; 8 blocks)")
    assert told[1] == "check holds: h3.failed == 0 (in all 2)"
    assert told[2].startswith("check failed: far: h3 is slower (far: h3 is faster than h2: median load ")
    assert told[3:] == [
        "check failed: h2.failed > 0 (near: h2.failed = 0; 8 blocks)",
        "check failed: h2.failed > 0 (far: h2.failed = 0; 8 blocks)",
    ]


def test_a_figure_that_is_not_known_fails_the_check(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "timeout", "protocol": "h3"}])
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--check", "far: h3.mean < 100")
    assert result.status == 1
    assert "h3.mean is not known" in result.stderr
