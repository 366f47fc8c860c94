"""An ordinary user needs user namespaces and an accessible /dev/net/tun, and no more."""

from collections.abc import Iterator

import pytest

from . import experiments, programme
from .ordinary import Ordinary, ordinary_user
from .programme import Run

pytestmark = pytest.mark.needs("root", "namespaces")


@pytest.fixture
def user() -> Iterator[Ordinary]:
    with ordinary_user() as one:
        yield one


def test_with_the_device_the_run_works_in_a_user_namespace(user: Ordinary) -> None:
    experiment = experiments.write(user.home, arms=["h1", "h2", "h3"], repeat=2)
    result = user.run("run", str(experiment), "--out", "found", tun_mode="666")

    programme.assert_ended(result)
    run = Run(user.home / "found")
    assert run.manifest()["isolation"] == "user-namespace"
    assert {trial.cell.path for trial in run.trials()} == {"near"}
    assert {trial.status for trial in run.trials()} <= {"ok", "contaminated"}
    assert all(
        trial.counters and trial.counters.down and trial.counters.down.packets_out for trial in run.trials()
    )


def test_fair_arms_run_there_with_the_buffers_that_the_kernel_gives(user: Ordinary) -> None:
    experiment = experiments.write(user.home, arms=["h2", "h3"], repeat=1)
    result = user.run("run", str(experiment), "--out", "found", "--set", "fair=true", tun_mode="666")

    programme.assert_ended(result)
    for trial in Run(user.home / "found").trials():
        assert trial.status in ("ok", "contaminated"), trial.detail
        assert trial.knobs["initial_window"] == 14480
        for end in ("receive", "send") if trial.arm == "h3" else ():
            ran = {one.model_dump()["settings"][f"udp_{end}_buffer"] for one in trial.origin_connections}
            assert ran == {2 * int(trial.knobs[f"udp_{end}_buffer"])}


def test_without_the_device_the_default_experiment_goes_over_loopback(user: Ordinary) -> None:
    result = user.run("run", "--out", "found", "--set", "repeat=2", "--set", "sites=tiny", tun_mode="600")

    assert result.status == 0, result.stderr
    run = Run(user.home / "found")
    assert run.summary().label == "no emulated network on this host"
    assert {trial.status for trial in run.trials()} == {"ok"}
    # A host whose own is another than CUBIC may deny CUBIC to an ordinary user.
    ran = {one.congestion_control for trial in run.trials() for one in trial.origin_connections}
    warned = {warning["code"] for warning in run.manifest()["warnings"]}
    assert (ran != {"cubic"}) == ("congestion-control-denied" in warned)


def test_without_the_device_a_path_asked_for_by_name_is_refused_with_the_mend(user: Ordinary) -> None:
    experiment = experiments.write(user.home, arms=["h2", "h3"], repeat=2)
    result = user.run("run", str(experiment), "--out", "found", tun_mode="600")

    assert result.status == 3
    assert "/dev/net/tun" in result.stderr
    assert "near" in result.stderr
