"""Timelines stand where the bytes' times say, and their numbers are those of the loss made by hand."""

import re
from pathlib import Path

import pytest

from pronghorn.model.trial import Trial
from pronghorn.report.timeline import Timeline, timeline
from pronghorn.report.timeline.drawing import LANE_PX, drawing
from pronghorn.report.timeline.lanes import drops, lanes
from pronghorn.report.timeline.pair import NoPair, pair
from pronghorn.report.timeline.thinned import STEPS, thinned
from pronghorn.report.timeline.view import MOST_LANES
from pronghorn.report.waterfall.axis import axis
from tests.made_arrivals import MadeConnection, made, single_loss

from .arrived_loads import OFFSET_S, by_arm, cell_of, left


def both(run: Path, times: list[tuple[float | None, float | None]], lost: int = 1) -> list[Trial]:
    """Blocks with these load times of h2 and h3."""
    return [
        left(run, arm, block, load_s, single_loss(transport), lost=lost)
        for block, loads in enumerate(times)
        for arm, transport, load_s in zip(("h2", "h3"), ("tcp", "quic"), loads, strict=True)
    ]


def shown(run: Path, trials: list[Trial]) -> Timeline:
    found = timeline(cell_of(trials), by_arm(trials), run)
    assert found is not None
    return found


def test_over_tcp_a_lost_packet_holds_up_other_streams() -> None:
    a, b = lanes(made(single_loss("tcp")), OFFSET_S)
    assert [(lane.path, lane.asked_s) for lane in (a, b)] == [("/a", OFFSET_S), ("/b", OFFSET_S)]
    assert [tuple(level)[1:] for level in b.levels] == [(1000, 1000, 0), (2000, 2000, 0), (2000, 2000, 2000)]
    assert [level.at_s for level in b.levels] == pytest.approx([0.051, 0.053, 0.14])
    assert [b.others_s, b.own_s] == pytest.approx([0.089, 0.0])
    assert b.others_byte_s == pytest.approx(1000 * 0.089 + 1000 * 0.087)


def test_over_quic_it_holds_up_its_own_alone() -> None:
    a, b = lanes(made(single_loss("quic")), OFFSET_S)
    assert (b.others_s, b.own_s) == (0.0, 0.0)
    assert [a.others_s, a.own_s] == pytest.approx([0.0, 0.088])
    assert a.own_byte_s == pytest.approx(1000 * 0.088)
    assert [tuple(level)[1:] for level in a.levels] == [(1000, 0, 0), (2000, 2000, 2000)]
    assert list(a.dropped_s) == pytest.approx([0.03])
    assert b.dropped_s == ()


def test_bytes_that_were_never_released_wait_to_the_end() -> None:
    found = made(single_loss("quic"))
    pieces = found.connections[0].pieces
    pieces.own_released_s[:] = pieces.released_s[:] = float("nan")
    (a, _) = lanes(found, 0.0)
    assert list(a.levels[-1]) == pytest.approx([0.13, 2000, 0, 0])
    assert a.own_byte_s == 0.0


def test_bars_and_hatches_stand_where_the_bytes_times_say() -> None:
    found = made(single_loss("tcp"))
    (_, b) = lanes(found, OFFSET_S)
    scale = axis([0.14])
    drawn = drawing([b], drops(found, OFFSET_S), 0.14, scale, "label")
    base, first, last = LANE_PX + 14, scale.place(0.051, STEPS), scale.place(0.14, STEPS)
    assert f'd="M{last} {base}V{base - 12}H{min(last + 2, STEPS)}V{base}z"' in drawn
    (hatched,) = re.findall(r'class="others"[^>]* d="([^"]+)"', drawn)
    places = [int(place) for place in re.findall(r"M(\d+) ", hatched)]
    assert (min(places), max(places)) == (-(-first // 3) * 3, (last - 1) // 3 * 3)
    full = scale.place(0.053, STEPS)
    heights = {int(x): int(y) for x, y in re.findall(rf"M(\d+) {base}V(\d+)", hatched)}
    assert all(height == (base - 12 if place >= full else base - 6) for place, height in heights.items())
    assert 'class="own"' not in drawn


def test_drops_are_marked_where_they_were_sent_to_the_server_by_another_mark() -> None:
    connection = single_loss("quic")
    connection.packet(1, 0.05, None)
    found = made(connection)
    scale = axis([0.14])
    (marks,) = re.findall(
        r'class="dropped"[^>]* d="([^"]+)"',
        drawing(lanes(found, OFFSET_S), drops(found, OFFSET_S), None, scale, "label"),
    )
    down, up = scale.place(0.03, STEPS), scale.place(0.06, STEPS)
    assert marks == (
        f"M{down - 3} 4.5l6 7M{down + 3} 4.5l-6 7"
        f"M{down - 2} {LANE_PX + 5.5:g}l4 5M{down + 2} {LANE_PX + 5.5:g}l-4 5"
        f"M{up - 3} 8h6M{up} 4.5v7"
    )


@pytest.mark.parametrize("fate", ["in flight", "duplicate"])
def test_a_packet_still_on_its_way_and_a_copy_of_the_links_are_no_drops(tmp_path: Path, fate: str) -> None:
    connection = single_loss("quic")
    connection.packet(1, 0.135, None, fate=fate)
    assert [drop.sent_s for drop in drops(made(connection), 0.0)] == [0.02]
    trials = [left(tmp_path, arm, 0, 0.15, connection) for arm in ("h2", "h3")]
    found = shown(tmp_path, trials)
    assert "1 packet dropped" in found.panels[1].about
    assert found.panels[1].figures[0] == "1 × to client, 0 + to server"


def test_waits_shorter_than_a_hatch_are_seen() -> None:
    found = made(single_loss("tcp"))
    scale = axis([20.0])
    drawn = drawing(lanes(found, OFFSET_S), [], None, scale, "label")
    assert 'class="others"' in drawn
    assert 'class="own"' in drawn


def test_a_lane_has_at_most_one_level_a_step_and_that_is_exact() -> None:
    (a, _) = lanes(made(single_loss("tcp")), OFFSET_S)
    fine, coarse = thinned(a, axis([0.14])), thinned(a, axis([50.0]))
    assert [step.level for step in fine] == list(a.levels)
    assert len(coarse) < len(fine)
    assert {step.level for step in coarse} <= set(a.levels)


def test_the_pair_is_the_block_whose_ratio_is_nearest_to_the_median(tmp_path: Path) -> None:
    trials = both(tmp_path, [(1.0, 2.0), (1.0, 0.9), (1.0, 0.5), (None, 0.9)])
    found = pair(by_arm(trials))
    assert found is not None
    assert (found.h2.block, found.h3.block, found.blocks) == (1, 1, 3)
    assert found.ratio == found.typical == pytest.approx(0.9)


def test_undisturbed_blocks_are_no_pair(tmp_path: Path) -> None:
    lossy, clean = both(tmp_path / "lossy", [(1.0, 2.0)]), both(tmp_path / "clean", [(1.0, 0.9)] * 3, lost=0)
    moved = [one.model_copy(update={"block": one.block + 1}) for one in clean]
    found = pair(by_arm([*lossy, *moved]))
    assert found is not None
    assert found.h2.block == 0
    with pytest.raises(NoPair, match="in 3 blocks with arrivals"):
        pair(by_arm(clean))


def test_a_cell_without_h3_or_without_arrivals_has_no_timeline(tmp_path: Path) -> None:
    trials = both(tmp_path, [(1.0, 0.9)])
    bare = [one.model_copy(update={"artifacts": {}}) for one in trials]
    assert timeline(cell_of(bare), by_arm(bare), tmp_path) is None
    assert timeline(cell_of(trials[:1]), by_arm(trials[:1]), tmp_path) is None
    assert timeline(cell_of(trials), by_arm(trials), None) is None


def test_panels_say_in_words_what_they_show(tmp_path: Path) -> None:
    found = shown(tmp_path, both(tmp_path, [(0.15, 0.12)]))
    h2, h3 = found.panels
    assert h2.about == (
        "load 150 ms · 1 packet dropped · 1 stream waited for bytes of others, 89.0 ms over all, "
        "0.176 kB·s · 1 stream waited for earlier bytes of their own, 88.0 ms over all, 0.088 kB·s"
    )
    assert "0 streams waited for bytes of others · 1 stream waited for earlier bytes of their own" in h3.about
    assert [line.split() for line in h2.figures[1:]] == [["2.0", "0", "88.0"], ["2.0", "89.0", "0"]]
    assert h2.names == ["dropped", "/a", "/b"]
    assert found.about.endswith("block 0, h3/h2 0.80; the median of 1 such block is 0.80.")


def test_both_loads_share_an_axis_that_holds_them(tmp_path: Path) -> None:
    found = shown(tmp_path, both(tmp_path, [(0.15, 0.3)]))
    assert found.end_s == pytest.approx(0.3 * 1.01)


def test_of_many_streams_those_that_waited_longest_are_drawn_in_both(tmp_path: Path) -> None:
    trials = []
    for arm, transport in (("h2", "tcp"), ("h3", "quic")):
        connection = single_loss(transport)
        for each in range(60):
            connection.request(8 + 4 * each, f"/{each:02}", 0.2, 0.22)
            connection.down(8 + 4 * each, 100 + each, 0.3 + each / 1000, 0.32 + each / 1000)
        trials.append(left(tmp_path, arm, 0, 0.5, connection))
    found = shown(tmp_path, trials)
    assert found.panels[0].names == found.panels[1].names
    assert found.panels[0].names[1:4] == ["/a", "/b", "/22"]
    assert len(found.panels[0].names) == 1 + MOST_LANES
    assert "80 of 124 streams are drawn" in found.about


def test_the_data_has_what_is_drawn_and_paths_last(tmp_path: Path) -> None:
    connection = MadeConnection()
    connection.request(0, '/a,"b"', 0.0, 0.02)
    connection.down(0, 1000, 0.02, 0.04)
    trials = [left(tmp_path, "h2", 0, 0.15, single_loss("tcp")), left(tmp_path, "h3", 0, 0.15, connection)]
    data = shown(tmp_path, trials).data
    assert data is not None
    rows = data.csv.splitlines()
    assert rows[0].startswith("protocol,connection,stream,at_s,arrived_bytes,ordered_bytes,usable_bytes,")
    assert rows[1] == "h2,0,0,0.052,1000,0,0,h2,/a"
    assert rows[-1].split(",", 7)[:7] == ["h3", "0", "0", "0.05", "1000", "1000", "1000"]


@pytest.mark.parametrize("broken", ["gone", "torn"])
def test_a_file_that_is_gone_or_broken_is_said_to_be_so(tmp_path: Path, broken: str) -> None:
    trials = both(tmp_path, [(0.15, 0.12)])
    file = tmp_path / trials[1].artifacts["arrivals"]
    if broken == "gone":
        file.unlink()
    else:
        file.write_bytes(b"no gzip")
    found = shown(tmp_path, trials)
    assert not found.panels
    assert found.about.startswith("No head-of-line timeline: artifacts/h3,block0/arrivals.json.gz ")
