"""A path in TOML becomes the engine's PathSpec."""

from typing import Any

import pytest

from pronghorn.errors import InputError
from pronghorn.model import path as paths
from pronghorn.model.source import Source


def parse(text: str) -> paths.PathProfile:
    source = Source("profile.toml", text)
    return paths.parse("test", source.table(), source)


def links(down: str, up: str = "{}") -> dict[str, Any]:
    spec = parse(f"down = {down}\nup = {up}\n").spec
    assert spec is not None
    return spec.to_engine()


def test_every_stage_reaches_the_engine_in_its_units() -> None:
    down = (
        '{ rate = "20Mbit", delay = "75ms", jitter = "10ms", loss = "15%", duplicate = "1%", '
        'corrupt = "0.1%", queue = "256kB" }'
    )
    assert links(down) == {
        "down": {
            "rate_bit_per_s": 20_000_000,
            "delay_ns": 75_000_000,
            "jitter": {"distribution": "uniform", "spread_ns": 10_000_000, "order": "keep"},
            "loss": {"model": "independent", "probability": 0.15},
            "duplicate": 0.01,
            "corrupt": 0.001,
            "queue": {"bytes": 256_000},
        },
        "up": {"delay_ns": 0, "duplicate": 0.0, "corrupt": 0.0},
    }


def test_jitter_breaks_order_without_a_rate_and_keeps_it_with_one() -> None:
    assert links('{ jitter = "1ms" }')["down"]["jitter"]["order"] == "break"
    assert links('{ jitter = "1ms", rate = "1Mbit" }')["down"]["jitter"]["order"] == "keep"
    chosen = links(
        '{ jitter = { spread = "1ms", distribution = "normal", order = "break" }, rate = "1Mbit" }'
    )
    assert chosen["down"]["jitter"] == {"distribution": "normal", "spread_ns": 1_000_000, "order": "break"}


def test_a_rate_brings_a_queue_of_a_thousand_packets() -> None:
    assert links('{ rate = "1Mbit" }')["down"]["queue"] == {"packets": 1000}
    assert "queue" not in links("{}")["down"]


def test_gilbert_elliott_loses_everything_in_its_bad_state_unless_told_otherwise() -> None:
    link = links('{ loss = { model = "gilbert-elliott", enter = "1%", leave = "30%" } }')["down"]
    assert link["loss"] == {
        "model": "gilbert-elliott",
        "enter": 0.01,
        "leave": 0.3,
        "loss_bad": 1.0,
        "loss_good": 0.0,
    }


@pytest.mark.parametrize(
    ("down", "said"),
    [
        ("{ rate = 20 }", "line 1: key 'down.rate': 20 is a bare number where a rate is needed"),
        ('{ loss = "-1%" }', "key 'down.loss': '-1%' is negative"),
        ('{ loss = "101%" }', "key 'down.loss': '101%' is more than all"),
        ('{ los = "1%" }', "unknown key 'los'; did you mean 'loss'?"),
        ('{ queue = "10kB" }', "only a link with a rate has a queue"),
        (
            '{ jitter = { spread = "1ms", order = "random" } }',
            "unknown order 'random'. Allowed: break, keep.",
        ),
        ('{ jitter = { order = "keep" } }', "key 'down.jitter': this lacks 'spread'"),
        ('{ loss = { model = "gilbert-elliott", enter = "1%" } }', "lacks 'leave'"),
        ('"fast"', "a link is a table"),
    ],
)
def test_a_wrong_link_is_refused_with_its_place(down: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        links(down)
    assert said in caught.value.message
    assert caught.value.message.startswith("profile.toml, line 1: ")
    assert caught.value.exit_status == 2


def test_a_path_needs_both_links() -> None:
    with pytest.raises(InputError, match=r"lacks 'up'.*up = \{\}"):
        parse("down = {}\n")


def test_lines_are_found_in_sections_too() -> None:
    with pytest.raises(InputError, match=r"line 5: key 'down\.loss'"):
        parse('description = "two sections"\n[up]\n[down]\ndelay = "1ms"\nloss = 3\n')
