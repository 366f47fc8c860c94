"""Over loopback a foreign server's TCP runs the host's own congestion control, and the records say so."""

import pytest

from pronghorn.cautions.of_run import cautions
from pronghorn.engine import Hello
from pronghorn.errors import HostError
from pronghorn.fairness import readings
from pronghorn.fairness.group import Group
from pronghorn.host import loopback
from pronghorn.manifest import _sending
from pronghorn.model import arm as arms
from pronghorn.model.experiment import Experiment
from pronghorn.model.path import LinkSpec, PathProfile, PathSpec, direct
from pronghorn.model.trial import Cell, OriginConnection, PageLoad
from pronghorn.origins import OriginLog
from pronghorn.trust import proof

EMULATED = PathProfile(name="line", spec=PathSpec(down=LinkSpec(), up=LinkSpec()))


@pytest.fixture(autouse=True)
def host_runs_bbr(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "of_host", lambda: "bbr")


def experiment(*names: str, origins: tuple[str, ...] = ("nginx", "builtin")) -> Experiment:
    return Experiment(
        name="made",
        sites=("tiny",),
        paths=(direct(), EMULATED),
        origins=origins,
        clients=("chromium",),
        arms=tuple(arms.parse(name) for name in names),
        baseline=names[0],
        repeat=1,
        limit="30s",
        margin_text="3%",
        seed=1,
    )


def cell(path: str, origin: str) -> Cell:
    return Cell(site="tiny", path=path, origin=origin, client="chromium")


@pytest.mark.parametrize(
    ("arm", "path", "origin", "tcp", "quic"),
    [
        ("h2", "direct", "nginx", "bbr", "cubic"),
        ("h2", "direct", "builtin", "cubic", "cubic"),
        ("h2", "line", "nginx", "cubic", "cubic"),
        # Its first load goes over TCP.
        ("h3~altsvc", "direct", "nginx", "bbr", "cubic"),
        ("h3", "direct", "nginx", "bbr", "cubic"),
    ],
)
def test_an_arm_runs_what_the_host_gives_a_foreign_server(
    arm: str, path: str, origin: str, tcp: str, quic: str
) -> None:
    found = loopback.arm_in(arms.parse(arm), cell(path, origin))
    assert found.controls == {"tcp": tcp, "quic": quic}
    assert found.name == arm


@pytest.mark.parametrize(("control", "wrong"), [("bbr", False), ("cubic", True)])
def test_what_ran_is_held_against_what_the_host_gives(control: str, wrong: bool) -> None:
    arm = loopback.arm_in(arms.parse("h2"), cell("direct", "nginx"))
    page = PageLoad.model_validate(
        {"outcome": "ok", "load_s": 1.0, "resources": [{"path": "/", "protocol": "h2", "status": 200}]}
    )
    log = OriginLog([], [OriginConnection(congestion_control=control)], kept=False)
    fault = proof.mismatch(arm, page, log)
    assert (fault is not None) == wrong
    if fault is not None:
        assert fault.detail == f"this machine gives bbr, but the origin ran {control}"


def test_a_control_asked_by_name_that_the_host_does_not_give_is_refused_before_anything_is_measured() -> None:
    loopback.check(experiment("h2", "h2@bbr", "h3@newreno"))
    loopback.check(experiment("h2@reno", origins=("builtin",)))
    with pytest.raises(
        HostError, match=r"arm 'h2@reno': on path 'direct' nginx uses .* which is bbr"
    ) as caught:
        loopback.check(experiment("h2", "h2@reno"))
    assert "sysctl -w net.ipv4.tcp_congestion_control=reno" in str(caught.value.hint)


def test_the_manifest_says_what_runs_and_not_what_was_asked() -> None:
    both, one = experiment("h2"), experiment("h2").on_direct()
    (arm,) = both.arms
    assert _sending(one, arm, "nginx")["congestion_control"] == "bbr"
    assert _sending(both, arm, "nginx")["congestion_control"] == ["bbr", "cubic"]
    assert _sending(both, arm, "builtin")["congestion_control"] == "cubic"


def test_where_nothing_could_be_read_back_the_hosts_own_is_told_with_its_source() -> None:
    notes = {
        "sysctls": {"net.ipv4.tcp_congestion_control": "bbr"},
        "arms": {"h2": {"origins": {"nginx": {"congestion_control": "cubic"}}}},
    }
    made = experiment("h2")

    def told(path: str) -> list[object]:
        return list(readings.origin_control(Group(made, cell(path, "nginx"), made.arms[0], (), notes)))

    assert told("direct") == ["bbr (this machine's net.ipv4.tcp_congestion_control)"]
    assert told("line") == ["cubic (Linux)"]


def test_the_hosts_control_is_a_warning() -> None:
    hello = Hello.model_construct(isolation="userns", isolation_reason=None, mend=None)

    def codes(made: Experiment) -> set[str]:
        host = {"governor": None, "kernel": "6", "load_average": 0.0, "cores": 8}
        return {one.code for one in cautions(made, hello, [], {"host": host})}

    assert "congestion-control-of-host" in codes(experiment("h2", "h3"))
    assert "congestion-control-of-host" not in codes(experiment("h2", "h3", origins=("builtin",)))
