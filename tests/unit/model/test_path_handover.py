"""A path hands its client over to another one, which it names."""

import tomllib
from pathlib import Path

import pytest

from pronghorn.cautions import fallbacks
from pronghorn.costs import cost
from pronghorn.errors import InputError
from pronghorn.model import path as paths
from pronghorn.model.experiment import Experiment
from pronghorn.model.experiment_file import shipped_paths
from pronghorn.model.experiment_table import Vocabulary
from pronghorn.model.experiment_table import parse as parse_experiment
from pronghorn.model.path import LinkFigures, PathFigures, PathProfile, from_words
from pronghorn.model.source import Source
from pronghorn.model.toml_text import dumps
from pronghorn.trust import physics

MOVING = """
sites = ["small"]
paths = ["moving"]
arms = ["h2", "h3"]
[path.moving]
handover = { at = "2s", to = "slow" }
down = { rate = "50Mbit", delay = "8ms" }
up = { delay = "8ms" }
[path.slow]
down = { rate = "2Mbit", delay = "40ms" }
up = { delay = "40ms" }
"""


def experiment(text: str) -> Experiment:
    vocabulary = Vocabulary(
        sites=("small",), paths=dict(shipped_paths()), origins=("builtin",), clients=("native",)
    )
    source = Source("shop.toml", text)
    return parse_experiment(source.table(), source, vocabulary, default_seed=1, folder=Path())


def refused(text: str) -> str:
    with pytest.raises(InputError) as caught:
        experiment(text)
    return str(caught.value)


def test_the_engine_gets_the_other_path_whole() -> None:
    spec = experiment(MOVING).path("moving").spec
    assert spec is not None
    told = spec.to_engine()["handover"]
    assert told["at_ns"] == 2 * 10**9
    assert told["path"]["down"]["rate_bit_per_s"] == 2_000_000
    assert spec.least_round_trip_s == 0.016


def test_a_resolved_experiment_holds_the_other_path_too() -> None:
    asked = experiment(MOVING)
    again = experiment(dumps(asked.resolved()))
    assert set(tomllib.loads(dumps(asked.resolved()))["path"]) == {"moving", "slow"}
    assert again == experiment(dumps(again.resolved()))
    assert again.path("moving").spec == asked.path("moving").spec
    assert again.digest() == asked.digest()


def test_a_shipped_path_can_be_moved_to() -> None:
    asked = experiment(MOVING.replace('to = "slow"', 'to = "lte"'))
    assert asked.resolved()["path"]["lte"] == shipped_paths()["lte"].definition
    profile = from_words(["wifi", "handover.at=1s", "handover.to=lte"], shipped_paths())
    assert profile.spec is not None
    assert profile.spec.handover is not None
    assert profile.spec.handover.path == shipped_paths()["lte"].spec


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('to = "slow"', 'to = "slwo"', "slow"),
        ('to = "slow"', 'to = "direct"', "direct"),
        ('to = "slow"', 'to = "moving"', "'moving' has 'handover'"),
        ('at = "2s", ', "", "lacks 'at'"),
        (', to = "slow"', "", "lacks 'to'"),
        ("at =", "when = 1, at =", "when"),
        ('at = "2s"', "at = 2", "2"),
        ("down = { rate = \"50", "rebind = \"1s\"\ndown = { rate = \"50", "handover can't have 'rebind'"),
        ("down = { rate = \"2M", "cross = 2\ndown = { rate = \"2M", "'slow' has 'cross'"),
    ],
)  # fmt: skip
def test_a_handover_that_cannot_be_is_named_with_its_place(old: str, new: str, said: str) -> None:
    assert old in MOVING
    message = refused(MOVING.replace(old, new))
    assert said in message
    assert "shop.toml" in message


def test_a_load_is_bounded_by_the_faster_of_the_two_paths() -> None:
    def bound(first: float | None, second: float | None) -> float:
        def figures(rate: float | None) -> LinkFigures:
            return LinkFigures(max_rate_bit_per_s=rate)

        known = PathFigures(down=figures(first), handover=PathFigures(down=figures(second)))
        path: PathProfile = experiment(MOVING).path("moving").model_copy(update={"figures": known})
        return physics.fastest_s(1_000_000, path)

    assert bound(8e6, 2e6) == bound(2e6, 8e6) == 1.0
    assert bound(8e6, None) == bound(None, 8e6) == 0.0


@pytest.mark.parametrize("at_s", [0.0, 0.5, 1.0, 100.0])
def test_a_load_is_expected_to_go_on_at_the_other_paths_pace(at_s: float) -> None:
    moving = experiment(MOVING.replace('"2s"', f'"{at_s}s"')).path("moving")
    first, last = (cost.expected_s(one, 10_000_000) for one in moving.stretches)
    expected = cost.expected_s(moving, 10_000_000)
    assert first < last
    assert first <= expected <= last
    if at_s in (0.0, 100.0):
        assert expected == pytest.approx(last if at_s == 0 else first)


def test_either_path_of_a_handover_may_want_the_host_for_itself_or_keep_udp_out() -> None:
    asked = experiment(MOVING).path("moving")
    fast = experiment(MOVING.replace("2Mbit", "1Gbit")).path("moving")
    assert (cost.cpu_bound(asked), cost.cpu_bound(fast)) == (False, True)
    blocked = experiment(MOVING.replace('rate = "2Mbit"', 'rate = "2Mbit", udp = "block"')).path("moving")
    assert (fallbacks.udp_is_blocked(asked), fallbacks.udp_is_blocked(blocked)) == (False, True)


def test_the_manifest_has_a_digest_in_the_place_of_the_other_paths_texts(tmp_path: Path) -> None:
    (tmp_path / "x.trace").write_text("1\n2\n")
    text = """
[a]
handover = { at = "1s", to = "b" }
down = {}
up = {}
[b]
down = { trace = "x.trace" }
up = {}
"""
    source = Source("two.toml", text, tmp_path)
    known = {name: paths.parse(name, table, source, (name,)) for name, table in source.table().items()}
    profile = paths.join(known["a"], known, source, ("a",))
    assert profile.spec is not None
    kept = profile.spec.to_manifest()["handover"]["path"]["down"]["trace"]["text"]
    assert kept.startswith("sha256:")
    assert list(profile.texts.values()) == ["1\n2\n"]
    assert profile.files == {"handover.path.down.trace": str(tmp_path / "x.trace")}
