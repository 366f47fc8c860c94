"""Round trips by the phases of connecting."""

from pathlib import Path

import pytest

from .archives import PAGE, entry, har, imported


@pytest.mark.parametrize(
    ("time", "connect", "ssl", "rtt_s"),
    [
        (92, 26, 25, 0.026),  # apart, as mitmproxy has them
        (92.4, 26, 25.4, 0.026),
        (91, 25, 25, 0.025),
        (67, 26, 25, 0.001),  # `connect` includes `ssl`
        (None, 26, 13, 0.013),
        (500, 26, 13, 0.013),
        (66.6, 26, 0.3, 0.0257),
    ],
)
def test_phases_that_add_up_to_the_whole_are_apart(
    tmp_path: Path, time: float | None, connect: float, ssl: float, rtt_s: float
) -> None:
    phases = {"connect": connect, "ssl": ssl, "wait": 40, "receive": 1}
    archive = imported(tmp_path, har(entry(time=time, timings=phases)))
    assert archive.site.hosts["shop.example"].rtt_s == pytest.approx(rtt_s)
    apart = rtt_s * 1e3 == connect
    assert archive.page.blocked_s == pytest.approx((connect + ssl if apart else connect) / 1e3)


def test_a_host_has_the_median_of_its_connections(tmp_path: Path) -> None:
    entries = [
        entry(f"{PAGE}{number or ''}", timings={"connect": 10 + rtt, "ssl": 10, "wait": 1})
        for number, rtt in enumerate((20, 0.1, 22, 90, 21))
    ]
    archive = imported(tmp_path, har(entry(timings={"wait": 1}), *entries))
    assert archive.site.hosts["shop.example"].rtt_s == pytest.approx(0.021)
