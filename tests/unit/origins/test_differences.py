"""How an origin's two transports differ as they ship is told for each origin, with the arm that mends it."""

from pathlib import Path

import pytest

from pronghorn import fairness, manifest
from pronghorn.model import experiment_table
from pronghorn.model.caution import Caution
from pronghorn.model.experiment import Experiment
from pronghorn.model.experiment_table import Vocabulary
from pronghorn.model.source import Source
from pronghorn.origins import kernel_tcp

from .made_programs import GOOD, OLD, program

VOCABULARY = Vocabulary(("tiny",), ("builtin", "caddy", "haproxy", "nginx"), ("native",), {}, configurable=())
HOST = {"kernel": "6.18.5-rc1"}
CUBIC = "cubic (Linux 6.18)"
CONTROL = "arms-differ-congestion-control"
WINDOW = "arms-differ-initial-window"


def experiment(origins: list[str], arms: list[str]) -> Experiment:
    text = f'sites = ["tiny"]\npaths = ["line"]\norigins = {origins}\narms = {arms}\nseed = 1\n'
    text += "path.line = { down = { delay = '5ms' }, up = { delay = '5ms' } }\n"
    source = Source("x.toml", text, Path())
    return experiment_table.parse(source.table(), source, VOCABULARY, default_seed=0, folder=Path())


def found(asked: Experiment, code: str) -> list[Caution]:
    notes = {"arms": manifest.closing(asked, [], ended="")["arms"], "host": HOST}
    return [each for each in fairness.examine(asked, [], notes).cautions if each.code == code]


@pytest.mark.parametrize(
    ("origin", "arms", "text", "remedy"),
    [
        (
            "nginx@1.26",
            ["h2", "h3"],
            f"h2: {CUBIC}; h3: New Reno that counts",
            "this origin's QUIC offers no other",
        ),
        (
            "caddy",
            ["h2", "h3"],
            f"h2: {CUBIC}; h3: newreno (quic-go",
            "Name the same congestion control in h2@reno and in the other arm",
        ),
        (
            "caddy",
            ["h2@bbr", "h2+tls12", "h3#a"],
            f"h2+tls12: {CUBIC}; h3#a: newreno",
            "Name the same congestion control in h2@reno and in the other arm",
        ),
    ],
)
def test_transports_that_ship_different_congestion_control_are_a_warning(
    path: Path, origin: str, arms: list[str], text: str, remedy: str
) -> None:
    program(path / "nginx", OLD)
    [caution] = found(experiment([origin], arms), CONTROL)
    assert f"differ on {origin} in congestion control" in caution.text
    assert text in caution.text
    assert remedy in caution.remedy


@pytest.mark.parametrize(
    ("origin", "arms"),
    [
        ("builtin", ["h2", "h3"]),
        ("haproxy", ["h2", "h3"]),
        ("builtin", ["h2", "h3@bbr"]),
        ("caddy", ["h2@reno", "h3"]),
        ("caddy", ["h1", "h2"]),
    ],
)
def test_the_same_congestion_control_or_one_that_was_asked_for_is_none(
    path: Path, origin: str, arms: list[str]
) -> None:
    program(path / "nginx", GOOD)
    assert found(experiment([origin], arms), CONTROL) == []


def test_nginx_since_1_27_5_runs_cubic_on_both(path: Path) -> None:
    program(path / "nginx", GOOD)
    assert found(experiment(["nginx"], ["h2", "h3"]), CONTROL) == []


def test_where_quic_can_run_what_tcp_runs_that_is_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = experiment(["builtin"], ["h2", "h3"])
    monkeypatch.setattr(kernel_tcp, "settings", lambda _: {"congestion_control": "reno"})
    [caution] = found(asked, CONTROL)
    assert "Name the same congestion control in h3@newreno and in the other arm" in caution.remedy


def test_the_initial_window_of_nginx_is_told_beside_that_of_the_other_origins(path: Path) -> None:
    program(path / "nginx", OLD)
    [caution] = found(experiment(["builtin", "nginx@1.26"], ["h2", "h3"]), WINDOW)
    builtin, nginx = caution.text.split("), on nginx@1.26 (")
    assert "on builtin (h2: " in builtin
    assert "h3: 12000 bytes" in builtin
    assert "h3: 131054 bytes, and never less (nginx before 1.27.5)" in nginx
