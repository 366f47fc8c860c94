"""Where Chromium is looked for, what an arm means on its command line, what its loads need at least."""

import math
from pathlib import Path

import pytest

from pronghorn import certificates
from pronghorn.certificates import Certificates
from pronghorn.clients import Visit
from pronghorn.clients.chromium import program, round_trips
from pronghorn.clients.chromium.switches import switches
from pronghorn.costs import cost
from pronghorn.errors import HostError
from pronghorn.model import arm as arms
from pronghorn.model.browser import BrowserSettings
from pronghorn.model.expense import Expense
from pronghorn.model.path import LinkSpec, PathProfile, PathSpec
from pronghorn.model.trial import PageLoad, Resource
from pronghorn.runs.artifacts import Artifacts


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return certificates.make(tmp_path_factory.mktemp("identity"))


def line(arm: str, identity: Certificates | None, *, dns: bool = False) -> list[str]:
    """The command line for a visit of an arm."""
    return switches(
        Visit(
            host_name="origin.pronghorn.test",
            address="198.18.0.2",
            port=443,
            document="/",
            certificates=identity,
            arm=arms.parse(arm),
            limit_s=10.0,
            dns=dns,
            browser=BrowserSettings(),
            artifacts=Artifacts(Path(), Path(), ()),
            folder=Path(),
        )
    )


def program_at(folder: Path, name: str, text: str) -> Path:
    """An executable script."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)
    return file


def test_the_override_decides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mine = program_at(tmp_path, "mine", "#!/bin/sh\n")
    monkeypatch.setenv(program.OVERRIDE, str(mine))
    assert program.locate() == mine

    monkeypatch.setenv(program.OVERRIDE, str(tmp_path / "nowhere"))
    with pytest.raises(HostError, match="no program there"):
        program.locate()


def test_a_program_that_is_no_browser_is_refused(tmp_path: Path) -> None:
    other = program_at(tmp_path, "other", "#!/bin/sh\necho something else 1.2\n")
    with pytest.raises(HostError, match=r"is not Chromium: it reports the version 'something else 1.2'\."):
        program.version(other)


def test_a_script_that_starts_a_snap_is_told_with_the_mend(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = program_at(tmp_path, "chromium-browser", '#!/bin/sh\nexec /snap/bin/chromium "$@"\n')
    monkeypatch.delenv(program.OVERRIDE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "none"))

    assert program.is_snap(script)
    with pytest.raises(program.SnapWrapper, match="only starts a snap") as raised:
        program.locate()
    assert "playwright install chromium" in str(raised.value.hint)


def test_a_browser_that_playwright_brought_will_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "brought" / "chromium-1" / "chrome-linux"
    folder.mkdir(parents=True)
    brought = program_at(folder, "chrome", "#!/bin/sh\n")
    monkeypatch.delenv(program.OVERRIDE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "brought"))
    assert program.locate() == brought

    brought.unlink()
    with pytest.raises(HostError, match="no Chromium"):
        program.locate()


def test_each_arm_switches_off_what_it_is_not(identity: Certificates) -> None:
    assert {"--disable-http2", "--disable-quic"} <= set(line("h1", identity))
    h2 = line("h2", identity)
    assert "--disable-quic" in h2 and "--disable-http2" not in h2
    assert "--origin-to-force-quic-on=origin.pronghorn.test:443" in line("h3", identity)
    assert "--origin-to-force-quic-on=origin.pronghorn.test:443" not in line("h3~altsvc", identity)
    assert "--ssl-version-max=tls1.2" in line("h2+tls12", identity)
    assert any("EnableTLS13EarlyData" in word for word in line("h2+0rtt", identity))


def test_no_name_but_the_origins_is_resolved(identity: Certificates) -> None:
    assert "--host-resolver-rules=MAP origin.pronghorn.test:443 198.18.0.2, MAP * ~NOTFOUND" in line(
        "h2", identity
    )
    assert "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE origin.pronghorn.test" in line(
        "h3~https", identity, dns=True
    )


def test_a_live_server_is_met_as_browsers_meet_it() -> None:
    words = " ".join(line("h3", None))
    assert "host-resolver-rules" not in words
    assert "ignore-certificate-errors" not in words


@pytest.mark.parametrize(
    ("arm", "protocol", "fresh", "dns", "needed"),
    [
        ("h2", "h2", True, False, 3),
        ("h2+tls12", "h2", True, False, 3),
        ("h2+0rtt", "h2", True, False, 2),
        ("h3", "h3", True, False, 2),
        ("h3+0rtt", "h3", True, False, 1),
        ("h3~altsvc", "h2", True, False, 3),
        ("h3~https", "h3", True, True, 3),
        ("h2", "h2", False, False, 1),
        ("h2+warm", "h2", True, False, 0),
    ],
)
def test_a_load_needs_its_handshakes_and_an_exchange(
    arm: str, protocol: str, fresh: bool, dns: bool, needed: int
) -> None:
    page = PageLoad(outcome="ok", resources=[Resource(path="/", kind="document", protocol=protocol)])
    assert round_trips.fewest(arms.parse(arm), page, fresh=fresh, dns=dns) == needed


BROWSER = Expense(start_s=1.5, start_cpu_s=1.8, load_cpu_s=0.35)


def at_rate(bit_per_s: int) -> PathProfile:
    link = LinkSpec(delay_ns=10**8, rate_bit_per_s=bit_per_s)
    return PathProfile(name="far", spec=PathSpec(down=link, up=link))


def test_a_browser_keeps_more_of_the_host_busy_than_the_native_client_and_less_when_it_is_kept() -> None:
    native, started, kept = (
        cost.busy_cores(at_rate(500_000), 600_000),
        cost.busy_cores(at_rate(500_000), 600_000, expense=BROWSER),
        cost.busy_cores(at_rate(500_000), 600_000, expense=BROWSER, kept=True),
    )
    assert native < kept < started < 1


def test_nothing_shares_the_host_with_a_load_that_the_start_of_another_browser_would_crowd() -> None:
    assert cost.busy_cores(at_rate(10**7), 600_000, expense=BROWSER) == math.inf
    assert cost.busy_cores(at_rate(10**7), 600_000, expense=BROWSER, kept=True) < 1


def test_a_browser_keeps_cores_busy_however_long_it_waits() -> None:
    def busy(loss: float) -> float:
        link = LinkSpec.model_validate(
            {
                "delay_ns": 10**8,
                "rate_bit_per_s": 10**7,
                "loss": {"model": "independent", "probability": loss},
            }
        )
        path = PathProfile(name="far", spec=PathSpec(down=link, up=link))
        return cost.busy_cores(path, 600_000, expense=Expense(start_s=1.5, waiting_cores=0.1))

    assert busy(0.3) == pytest.approx(0.1, abs=0.02)
