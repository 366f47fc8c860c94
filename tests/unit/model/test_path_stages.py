"""Every stage of a link can be written in TOML, briefly or as a table, and reaches the engine as its
specification has it; every mistake is named with its place."""

import json
from pathlib import Path
from typing import Any

import pytest

from pronghorn.errors import InputError
from pronghorn.model import path as paths
from pronghorn.model.source import Source


def link(down: str, folder: Path | None = None) -> Any:
    return path(f"down = {{ {down} }}\nup = {{}}\n", folder)["down"]


def path(text: str, folder: Path | None = None) -> Any:
    source = Source("profile.toml", text, folder)
    spec = paths.parse("test", source.table(), source).spec
    assert spec is not None
    return spec.to_engine()


@pytest.mark.parametrize(
    ("down", "key", "spec"),
    [
        ('mtu = "1400B"', "mtu", {"bytes": 1400, "icmp": False}),
        ('mtu = { bytes = "1280B", icmp = true }', "mtu", {"bytes": 1280, "icmp": True}),
        ('udp = "block"', "udp", "block"),
        (
            'udp = { rate = "1Mbit", burst = "64kB" }',
            "udp",
            {"police": {"rate_bit_per_s": 10**6, "burst_bytes": 64_000}},
        ),
        (
            'outage = { at = ["5s", "9s"], for = "2s", every = "60s" }',
            "outage",
            {
                "kind": "scheduled",
                "windows": [
                    {"at_ns": 5 * 10**9, "for_ns": 2 * 10**9},
                    {"at_ns": 9 * 10**9, "for_ns": 2 * 10**9},
                ],
                "repeat_ns": 60 * 10**9,
            },
        ),
        (
            'outage = { at = "5s", for = "2s" }',
            "outage",
            {"kind": "scheduled", "windows": [{"at_ns": 5 * 10**9, "for_ns": 2 * 10**9}]},
        ),
        (
            'outage = { on = "10s", off = "1s" }',
            "outage",
            {"kind": "random", "on_mean_ns": 10**10, "off_mean_ns": 10**9},
        ),
        (
            'jitter = { spread = "1ms", distribution = "pareto", correlation = "25%" }',
            "jitter",
            {"distribution": "pareto", "spread_ns": 10**6, "correlation": 0.25, "order": "break"},
        ),
        ('delay = "5ms", reorder = "25%"', "reorder", {"probability": 0.25, "gap": 1}),
        (
            'delay = "5ms", reorder = { probability = "25%", correlation = "50%", gap = 5 }',
            "reorder",
            {"probability": 0.25, "correlation": 0.5, "gap": 5},
        ),
        (
            'loss = { probability = "1%", correlation = "25%", longest_burst = 3 }',
            "loss",
            {"model": "independent", "probability": 0.01, "correlation": 0.25, "longest_burst": 3},
        ),
        (
            'loss = { model = "four-state", p13 = "1%" }',
            "loss",
            {"model": "four-state", "p13": 0.01, "p31": 0.99, "p32": 0.0, "p23": 1.0, "p14": 0.0},
        ),
        ("loss = { packets = [2, 3, 9] }", "loss", {"model": "packets", "numbers": [2, 3, 9]}),
        ('duplicate = "1%"', "duplicate", 0.01),
        ('duplicate = { probability = "1%", correlation = "10%" }', "duplicate_correlation", 0.1),
        ('corrupt = { probability = "1%", correlation = "10%" }', "corrupt_correlation", 0.1),
        (
            'police = { rate = "10Mbit", burst = "15kB" }',
            "police",
            {"rate_bit_per_s": 10**7, "burst_bytes": 15_000},
        ),
        ('rate = "1Mbit", overhead = "26B"', "overhead", {"packet_bytes": 26, "cell_overhead_bytes": 0}),
        ('rate = "1Mbit", overhead = "-14B"', "overhead", {"packet_bytes": -14, "cell_overhead_bytes": 0}),
        (
            'rate = "1Mbit", overhead = "pppoe-llcsnap"',
            "overhead",
            {"packet_bytes": 40, "cell_bytes": 48, "cell_overhead_bytes": 5},
        ),
        (
            'rate = "1Mbit", overhead = { packet = "8B", cell = "48B", cell_overhead = "5B" }',
            "overhead",
            {"packet_bytes": 8, "cell_bytes": 48, "cell_overhead_bytes": 5},
        ),
        ('rate = "1Mbit", queue = "50ms"', "queue", {"time_ns": 50_000_000}),
        ('rate = "1Mbit", queue = { discipline = "codel" }', "queue", {"packets": 1000}),
        (
            'rate = "1Mbit", queue = { limit = "100kB", discipline = "codel", target = "10ms", ecn = true }',
            "aqm",
            {"discipline": "codel", "target_ns": 10**7, "interval_ns": 10**8, "ecn": True},
        ),
        (
            'rate = "1Mbit", queue = { discipline = "fq-codel", flows = 64, quantum = "300B" }',
            "aqm",
            {
                "discipline": "fq-codel",
                "target_ns": 5_000_000,
                "interval_ns": 10**8,
                "flows": 64,
                "quantum_bytes": 300,
                "ecn": False,
            },
        ),
    ],
)
def test_a_stage_reaches_the_engine(down: str, key: str, spec: Any) -> None:
    assert link(down)[key] == spec


def test_what_is_zero_is_not_asked_for() -> None:
    off = link('delay = "1ms", jitter = "0ms", loss = "0%", reorder = "0%", duplicate = "0%", corrupt = "0%"')
    assert off == {"delay_ns": 10**6, "duplicate": 0.0, "corrupt": 0.0}


def test_what_a_schedule_varies_from_nothing_keeps_what_else_was_said_of_it(tmp_path: Path) -> None:
    (tmp_path / "day.csv").write_text("time,loss,jitter,reorder\n1s,5%,2ms,1%\n", encoding="utf-8")
    down = link(
        'delay = "5ms", schedule = "day.csv", loss = { probability = "0%", correlation = "50%" }, '
        'jitter = { spread = "0ms", distribution = "normal", order = "break" }, '
        'reorder = { probability = "0%", gap = 5 }',
        tmp_path,
    )
    assert down["loss"] == {"model": "independent", "probability": 0.0, "correlation": 0.5}
    assert down["jitter"] == {"distribution": "normal", "spread_ns": 0, "order": "break"}
    assert down["reorder"] == {"probability": 0.0, "gap": 5}


def test_files_stand_beside_the_toml_and_go_inline(tmp_path: Path) -> None:
    (tmp_path / "cell.trace").write_text("1\n5\n", encoding="utf-8")
    (tmp_path / "day.csv").write_text("time,rate\n0s,1Mbit\n", encoding="utf-8")
    (tmp_path / "my.dist").write_text("-8192 0 8192\n", encoding="utf-8-sig")
    assert link('trace = "cell.trace"', tmp_path)["trace"] == {"text": "1\n5\n", "repeat": True}
    assert link('trace = { file = "cell.trace", repeat = false }', tmp_path)["trace"]["repeat"] is False
    assert link('trace = "cell.trace"', tmp_path)["queue"] == {"packets": 1000}
    schedule = link('schedule = { file = "day.csv", repeat = "60s" }', tmp_path)["schedule"]
    assert schedule == {"text": "time,rate\n0s,1Mbit\n", "repeat_ns": 60 * 10**9}
    jitter = link('jitter = { spread = "1ms", table = "my.dist" }', tmp_path)["jitter"]
    assert (jitter["distribution"], jitter["table"]) == ("table", "-8192 0 8192\n")


def test_a_path_rebinds_and_is_shared() -> None:
    both = path(
        'rebind = ["1s", "6s"]\ncross = { flows = 2, cc = "reno", warmup = "1s" }\ndown = {}\nup = {}\n'
    )
    assert both["rebind_ns"] == [10**9, 6 * 10**9]
    assert both["cross"] == {
        "flows": 2,
        "tcp_congestion_control": "reno",
        "direction": "down",
        "warmup_ns": 10**9,
    }
    assert path("cross = 3\ndown = {}\nup = {}\n")["cross"]["flows"] == 3


@pytest.mark.parametrize(
    ("down", "said"),
    [
        ('mtu = "20B"', "key 'down.mtu': an MTU is 68B to 65535B, not 20B"),
        ('mtu = { bytes = "1400B", icmp = "yes" }', "key 'down.mtu.icmp': 'yes' is neither true nor false"),
        ('udp = "blok"', "unknown rule for UDP 'blok'; did you mean 'block'?"),
        ("udp = 3", "key 'down.udp': 3 is no table"),
        ('outage = { at = "5s" }', "lacks 'for', how long it lasts"),
        ("outage = {}", "lacks 'at'"),
        ('outage = { at = ["5s", "6s"], for = "2s" }', "each over before the next begins"),
        ('outage = { at = "5s", for = "2s", every = "6s" }', "begins again before the last outage is over"),
        ('outage = { on = "5s", for = "2s" }', "either known times"),
        ('outage = "5s"', "'5s' is no table; write one such as"),
        ('jitter = { spread = "1ms", distribution = "norml" }', "did you mean 'normal'?"),
        ('jitter = { spread = "1ms", distribution = "table" }', "lacks 'table', the name of"),
        ('jitter = { spread = "1ms", distribution = "normal", table = "x" }', "a table belongs to"),
        ('reorder = "25%"', "reordered packets skip the delay"),
        ('delay = "1ms", reorder = { probability = "5%", gap = 0 }', "0 is no whole number from 1"),
        ('loss = { model = "gilbert" }', "did you mean 'gilbert-elliott'?"),
        ('loss = { model = "four-state" }', "lacks 'p13'"),
        ('loss = { model = "four-state", p13 = "60%", p14 = "60%" }', "at most 100% are allowed"),
        ("loss = { packets = [3, 2] }", "2 after 3: whole numbers, ascending"),
        ("loss = { packets = [0] }", "the link's first packet is 1"),
        ("loss = { packets = [] }", "0 packets are listed"),
        ('rate = "1Mbit", overhead = "ethernt"', "unknown overhead 'ethernt'; did you mean 'ethernet'?"),
        ('rate = "1Mbit", overhead = { packet = "70kB" }', "70000 bytes are too much"),
        ('rate = "1Mbit", overhead = { cell_overhead = "5B" }', "there are no cells"),
        ('overhead = "26B"', "overhead only affects a rate"),
        ('rate = "1Mbit", queue = { discipline = "codl" }', "did you mean 'codel'?"),
        ('rate = "1Mbit", queue = { target = "5ms" }', "a drop-tail queue has no 'target'"),
        ('rate = "1Mbit", queue = { discipline = "codel", flows = 3 }', "it has target, interval, ecn"),
        ('rate = "1Mbit", queue = "0packets"', "a queue must hold something"),
        ('police = { rate = "1Mbit" }', "lacks 'burst'"),
        ('rate = "1Mbit", trace = "x"', "either a 'rate' or a 'trace'"),
        ('trace = "nowhere"', "nowhere: no such file; this names a trace of Mahimahi's"),
        ('schedule = { repeat = "5s" }', "lacks 'file', the name of a CSV schedule"),
    ],
)
def test_a_mistake_is_named_with_its_place(down: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        link(down)
    assert said in caught.value.message
    assert caught.value.message.startswith("profile.toml, line 1: key 'down")
    assert caught.value.exit_status == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('rebind = ["6s", "1s"]', "line 1: key 'rebind': the times must ascend"),
        ("rebind = []", "the list is empty"),
        ("cross = 65", "65 is no whole number from 1 to 64"),
        ('cross = { flows = 1, direction = "dwn" }', "did you mean 'down'?"),
        ("croos = 1", "unknown key 'croos'; did you mean 'cross'?"),
    ],
)
def test_a_mistake_in_what_concerns_both_links_is_named(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        path(f"{text}\ndown = {{}}\nup = {{}}\n")
    assert said in caught.value.message


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.trace").write_bytes(b"1\n\xff\n")
    with pytest.raises(InputError, match=r"x\.trace: byte 2 is not UTF-8"):
        link('trace = "x.trace"', tmp_path)
    with pytest.raises(InputError, match="this is a folder"):
        link('trace = "."', tmp_path)


def test_a_kept_file_has_the_same_name_wherever_it_is_read_from(tmp_path: Path) -> None:
    (tmp_path / "cell.trace").write_text("1\n5\n", encoding="utf-8")
    text = 'down = { trace = "cell.trace" }\nup = {}\n'
    source = Source("p.toml", text, tmp_path)
    first = paths.parse("p", source.table(), source)
    (kept,) = first.texts
    assert first.definition["down"]["trace"] == kept
    (tmp_path / "traces").mkdir()
    (tmp_path / kept).write_text(first.texts[kept], encoding="utf-8")
    again = paths.parse("p", first.definition, Source("experiment.toml", "", tmp_path))
    assert again.definition == first.definition
    assert again.spec == first.spec
    (tmp_path / kept).write_text("1\n6\n", encoding="utf-8")
    changed = paths.parse("p", first.definition, Source("experiment.toml", "", tmp_path))
    assert changed.definition != first.definition


def test_the_manifest_holds_a_digest_in_the_place_of_a_text(tmp_path: Path) -> None:
    (tmp_path / "cell.trace").write_text("1\n5\n", encoding="utf-8")
    source = Source("p.toml", 'down = { trace = "cell.trace" }\nup = {}\n', tmp_path)
    spec = paths.parse("p", source.table(), source).spec
    assert spec is not None
    manifest = spec.to_manifest()
    assert manifest["down"]["trace"]["text"].startswith("sha256:")
    assert "1\\n5" not in json.dumps(manifest)
    paths.LinkSpec.model_validate(manifest["down"])
