"""The same congestion control sends alike over the kernel's TCP and over our QUIC."""

import statistics
from pathlib import Path

import pytest

from ..e2e import pages, programme
from ..e2e.pages import Named
from ..e2e.programme import Run

pytestmark = pytest.mark.needs("namespaces", "engine")

BLOCKS = 15
BYTES = 20_000_000
LARGE = Named("large", "image", BYTES)

RATE_BIT_PER_S = 50_000_000
QUEUE_BYTES = RATE_BIT_PER_S * 40 // 8000
"""What a round trip of 40 ms holds."""

PAYLOAD_SHARE = 1448 / 1500
"""Of a full packet on the wire: TCP's payload beside 20 bytes of IP's header, 20 of TCP's and 12 of its time
stamps. QUIC's is smaller: 1411 bytes of stream data in a datagram of 1452."""


def transfers(folder: Path, arms: tuple[str, str], loss: str | None) -> dict[str, list[float]]:
    """The seconds from the request for 20 MB to their last byte, by arm."""
    pages.write(folder / "site", [LARGE])
    shaped = f'rate = "50Mbit", delay = "20ms", queue = "{QUEUE_BYTES}B"'
    (folder / "experiment.toml").write_text(
        f'sites = ["dir:site"]\npaths = ["even"]\narms = {list(arms)!r}\nrepeat = {BLOCKS}\nseed = 1\n'
        f"[path.even]\ndown = {{ {shaped}{f', loss = {loss!r}' if loss else ''} }}\nup = {{ {shaped} }}\n",
        encoding="utf-8",
    )
    result = programme.run("run", "experiment.toml", "--out", "found", folder=folder)
    assert result.status == 0, result.stderr
    found: dict[str, list[float]] = {arm: [] for arm in arms}
    for trial in Run(folder / "found").trials():
        if trial.status != "contaminated":
            assert trial.page is not None and trial.page.outcome == "ok", trial.detail
            (image,) = (one for one in trial.page.resources if one.path == LARGE.path)
            assert image.request_s is not None and image.last_byte_s is not None and image.bytes == BYTES
            found[trial.arm].append(image.last_byte_s - image.request_s)
    assert all(len(times) >= BLOCKS for times in found.values()), "blocks were kept out"
    return found


def test_cubic_fills_a_clean_path_over_both_transports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = transfers(tmp_path, ("h2@cubic", "h3@cubic"), loss=None)
    h2, h3 = (statistics.median(times) for times in found.values())
    shares = [BYTES * 8 / seconds / (RATE_BIT_PER_S * PAYLOAD_SHARE) for seconds in (h2, h3)]
    with capsys.disabled():
        print(f"\nCUBIC, 20 MB: h2 {h2:.3f} s, {shares[0]:.3f} of the rate, h3 {h3:.3f} s, {shares[1]:.3f}")
    assert abs(h3 / h2 - 1) <= 0.08
    assert min(shares) >= 0.92


def test_reno_and_new_reno_lose_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A transfer meets some 70 losses, and its time strays by 7 %; the ratio of two medians of 15 by 3 %."""
    found = transfers(tmp_path, ("h2@reno", "h3@newreno"), loss="0.5%")
    h2, h3 = (statistics.median(times) for times in found.values())
    with capsys.disabled():
        print(f"\nReno at 0.5 % loss, 20 MB: h2 {h2:.2f} s, h3 {h3:.2f} s, ratio {h3 / h2:.3f}")
    assert abs(h3 / h2 - 1) <= 0.15
