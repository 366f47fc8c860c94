"""The drawing of `pronghorn path --graph`."""

from pronghorn.command import LinkSample, Sample, Series
from pronghorn.report import path_chart
from pronghorn.report.path_chart import intervals, steps


def series(*samples: tuple[float, int, float]) -> Series:
    """Of a link down by (time, packets of 1250 bytes out, seconds at the bottleneck); up is idle."""
    idle = LinkSample(packets_out=0, bytes_out=0, dropped=0, bottleneck_s=0)
    return Series(
        interval_s=0.1,
        samples=[
            Sample(
                time_s=time_s,
                down=LinkSample(packets_out=out, bytes_out=1250 * out, dropped=0, bottleneck_s=spent_s),
                up=idle,
            )
            for time_s, out, spent_s in samples
        ],
    )


def of(direction: str, found: Series, key: str) -> list[tuple[float, float, int]]:
    points = steps(intervals(found), key)
    return [(row["time_s"], row[key], row["run"]) for row in points if row["direction"] == direction]


def test_every_interval_has_its_level_from_its_beginning_to_its_end() -> None:
    found = series((0.0, 0, 0), (0.1, 10, 0), (0.2, 30, 0))
    assert of("down", found, "mbit_per_s") == [(0.0, 1.0, 0), (0.1, 1.0, 0), (0.1, 2.0, 0), (0.2, 2.0, 0)]


def test_no_time_at_the_bottleneck_is_drawn_where_no_packet_left() -> None:
    found = series((0.0, 0, 0), (0.1, 1, 0.005), (0.2, 1, 0.005), (0.3, 2, 0.025))
    assert of("down", found, "queue_ms") == [(0.0, 5, 0), (0.1, 5, 0), (0.2, 20, 1), (0.3, 20, 1)]
    assert of("up", found, "queue_ms") == []


def test_a_packet_in_the_last_millisecond_is_no_burst() -> None:
    found = series((0.0, 0, 0), (0.1, 10, 0), (0.2, 20, 0), (0.2001, 21, 0))
    assert max(level for _, level, _ in of("down", found, "mbit_per_s")) < 1.2


def test_it_is_an_svg_with_all_panels_even_of_a_single_interval() -> None:
    drawing = path_chart.draw(series((0.0, 0, 0), (0.05, 10, 0.001)), "a <path>")
    assert drawing.startswith("<svg")
    assert all(name in drawing for name in ("throughput", "bottleneck", "dropped", "a &lt;path&gt;"))
