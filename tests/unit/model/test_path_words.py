"""A command line's words describe a path: a profile's name first, then KEY=VALUE."""

from pathlib import Path
from typing import Any

import pytest

from pronghorn.errors import InputError
from pronghorn.model import experiment_file
from pronghorn.model import path as paths

SHIPPED = experiment_file.shipped_paths()


def spec(*words: str) -> dict[str, Any]:
    found = paths.from_words(words, SHIPPED).spec
    assert found is not None
    return found.to_engine()


def test_a_key_means_both_links_and_a_direction_one() -> None:
    found = spec("delay=10ms", "down.loss=1%", "up.delay=20ms")
    assert (found["down"]["delay_ns"], found["up"]["delay_ns"]) == (10**7, 2 * 10**7)
    assert found["down"]["loss"]["probability"] == 0.01
    assert "loss" not in found["up"]


def test_words_change_a_profile() -> None:
    shipped = SHIPPED["lte"].spec
    assert shipped is not None
    lte = shipped.to_engine()
    assert spec("lte") == lte
    found = spec("lte", "rate=5Mbit")
    assert (found["down"]["rate_bit_per_s"], found["up"]["rate_bit_per_s"]) == (5 * 10**6, 5 * 10**6)
    assert found["down"]["queue"] == lte["down"]["queue"]
    assert SHIPPED["lte"].spec == shipped


def test_a_plain_value_takes_keys_of_its_own() -> None:
    assert spec("lte", "jitter.distribution=normal")["up"]["jitter"] == {
        "distribution": "normal",
        "spread_ns": 10_000_000,
        "order": "keep",
    }
    queue = spec("lte", "down.queue.discipline=codel")["down"]
    assert (queue["queue"], queue["aqm"]["discipline"]) == ({"bytes": 256_000}, "codel")


@pytest.mark.parametrize("turn", [1, -1])
def test_another_loss_model_begins_anew(turn: int) -> None:
    words = ["down.loss.model=gilbert-elliott", "down.loss.enter=1%", "down.loss.leave=30%"][::turn]
    assert spec("lte-poor", *words)["down"]["loss"]["model"] == "gilbert-elliott"


def test_none_takes_a_key_away_and_the_last_word_counts() -> None:
    assert "loss" not in spec("lte-poor", "loss=none")["down"]
    assert spec("delay=1ms", "delay=2ms")["up"]["delay_ns"] == 2_000_000
    assert spec("down.delay=1ms", "delay=2ms")["down"]["delay_ns"] == 2_000_000
    assert spec("delay=2ms", "down.delay=1ms")["down"]["delay_ns"] == 1_000_000


def test_lists_booleans_and_numbers_need_no_quotes() -> None:
    found = spec(
        "outage.at=[5s, 9s]", "outage.for=1s", "mtu.bytes=1400B", "mtu.icmp=true", "cross=2", "rebind=3s"
    )
    assert [window["at_ns"] for window in found["up"]["outage"]["windows"]] == [5 * 10**9, 9 * 10**9]
    assert found["down"]["mtu"] == {"bytes": 1400, "icmp": True}
    assert (found["cross"]["flows"], found["rebind_ns"]) == (2, [3 * 10**9])
    assert spec("loss.packets=[1,2]")["down"]["loss"]["numbers"] == [1, 2]


def test_files_are_looked_for_in_the_working_directory_and_a_profiles_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/cell.trace").write_text("3\n", encoding="utf-8")
    (tmp_path / "other.trace").write_text("7\n", encoding="utf-8")
    profile = 'down = { trace = "cell.trace" }\nup = { trace = "cell.trace" }\n'
    (tmp_path / "mine/path.toml").write_text(profile, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = spec("mine/path.toml", "up.trace=other.trace")
    assert (found["down"]["trace"]["text"], found["up"]["trace"]["text"]) == ("3\n", "7\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "names no path"),
        (["lt"], "unknown profile 'lt'; did you mean 'lte'?"),
        (["direct"], "'direct' is no emulated path"),
        (["nowhere.toml"], "nowhere.toml: no such file"),
        (["delay=10ms", "lte"], "lte: a profile's name comes first"),
        (["delay=10"], "delay=10: key 'down.delay': 10 is a bare number where a time is needed"),
        (["dely=10ms"], "dely=10ms: unknown key 'dely'; did you mean 'delay'?"),
        (["up.dely=10ms"], "up.dely=10ms: unknown key 'dely'; did you mean 'delay'?"),
        (["down=10ms"], "'down' is a whole link. Write one of its keys, down.delay=10ms"),
        (["lte", "up.jitter.spred=1ms"], "up.jitter.spred=1ms: key 'up.jitter.spred': unknown key 'spred'"),
        (["=3"], "unknown key ''"),
        (["rate=[1Mbit"], "key 'down.rate': '[1Mbit' is no rate"),
    ],
)
def test_a_wrong_word_is_named(words: list[str], said: str) -> None:
    with pytest.raises(InputError) as caught:
        paths.from_words(words, SHIPPED)
    assert said in caught.value.message
    assert caught.value.exit_status == 2
