"""`pronghorn policy`: fits, shows and simulates, and refuses what can't be with one message."""

import json
from pathlib import Path

import pytest

from pronghorn.policy import bound, file, fit, maps

from ..program import Result, run
from . import made_maps


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    made_maps.write(tmp_path / "cubic")
    made_maps.write(tmp_path / "bbr", made_maps.flat, arms=("h2@bbr", "h3"))
    return tmp_path


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("maps")
    cubic = made_maps.write(folder / "cubic")
    bbr = made_maps.write(folder / "bbr", made_maps.flat, arms=("h2@bbr", "h3"))
    return file.text(fit.policy([maps.read(cubic), maps.read(bbr)], {}))


@pytest.fixture
def policy(folder: Path, fitted: str) -> str:
    (folder / "policy.toml").write_text(fitted)
    return str(folder / "policy.toml")


def test_a_fit_writes_the_policy_of_its_maps_and_says_how_far_off_it_is(
    folder: Path, fitted: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    result = run(monkeypatch, capsys, "policy", "fit", "cubic", "bbr", "--out", "policy.toml")

    assert (result.status, result.stderr) == (0, "")
    assert "Policy: policy.toml" in result.stdout
    assert "the surface's ln ratio is off by" in result.stdout
    assert "The maps don't name h3's own congestion control" in result.stdout
    assert (folder / "policy.toml").read_text() == fitted


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (["fit", "nowhere", "--out", "policy.toml"], "holds no finished map"),
        (["fit", "cubic", "cubic", "--out", "policy.toml"], "both maps of small with cubic"),
        (["fit", "cubic", "--out", "policy.toml", "--site-weight", "small"], "write SITE=NUMBER"),
        (["fit", "cubic", "--out", "policy.toml", "--site-weight", "small=-1"], "write SITE=NUMBER"),
        (["fit", "cubic", "--out", "policy.toml", "--site-weight", "big=1"], "unknown site 'big'"),
        (["show", "nowhere.toml"], "nowhere.toml: no such file"),
        (["simulate", "policy.toml", "--clients", "0"], "--clients 0"),
        (["simulate", "policy.toml", "--days", "0"], "--days 0"),
        (["simulate", "policy.toml", "--seed", "-1"], "--seed -1"),
        (["simulate", "policy.toml", "--holdout", "0.7"], "--holdout 0.7"),
        (["simulate", "policy.toml", "--max-age", "0"], "--max-age 0"),
        (["simulate", "policy.toml", "--downgrade", "hard"], "--downgrade hard: off, lease, clear"),
        (["simulate", "policy.toml", "--run", "runs/1", "--cells"], "excludes --cells"),
        (["validate", "nowhere"], "holds no finished map"),
        (["validate", "cubic", "--clients", "0"], "--clients 0"),
        (["validate", "cubic", "--alike", "nowhere"], "--alike nowhere: this is no run"),
        (["fit", "cubic", "--out", "policy.toml", "--alike", "nowhere"], "--alike nowhere: this is no run"),
    ],
)
def test_what_cannot_be_is_bad_input(
    words: list[str],
    wrong: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = run(monkeypatch, capsys, "policy", *words)

    assert result.status == 2
    assert wrong in result.stderr
    assert not (folder / "policy.toml").exists()


@pytest.mark.needs("engine")
@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("delay=5ms", "unknown key 'delay'"),
        ("rtt=5", "bare number"),
        ("loss=200%", "200%"),
        ("tcp=reno", "unknown congestion control 'reno'"),
    ],
)
def test_a_client_that_cannot_be_is_bad_input(
    key: str, wrong: str, policy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    result = run(monkeypatch, capsys, "policy", "show", policy, "--key", key)

    assert result.status == 2
    assert wrong in result.stderr


@pytest.mark.needs("engine")
def test_a_file_that_the_decision_core_refuses_is_bad_input_with_its_line(
    policy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = Path(policy).read_text().splitlines()
    place = next(number for number, line in enumerate(lines, 1) if line.startswith("holdout"))
    lines[place - 1] = "holdout = 2"
    Path(policy).write_text("\n".join(lines))

    result = run(monkeypatch, capsys, "policy", "show", policy)

    assert result.status == 2
    assert f"policy.toml, line {place}: " in result.stderr
    assert "holdout" in result.stderr


@pytest.mark.needs("engine")
def test_what_was_fitted_is_shown_with_marks_where_h3_is_offered(
    policy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    result = run(monkeypatch, capsys, "policy", "show", policy, "--key", "rtt=120ms,loss=3%,rate=6Mbit")

    assert result.status == 0, result.stderr
    cubic, _, bbr = result.stdout.partition("TCP with bbr, 1 Mbit/s")
    assert "*" in cubic.partition("TCP with cubic")[2]
    assert "*" not in bbr.partition("\n\n")[0]
    assert "TCP with cubic, 120 ms, 3 % of loss, 6 Mbit/s: h3 is offered (h3_faster)" in result.stdout
    assert "TCP with bbr, 120 ms, 3 % of loss, 6 Mbit/s: h3 is not offered" in result.stdout
    assert "An unknown client, TCP with bbr: h3 is not offered" in result.stdout


@pytest.mark.needs("engine")
def test_what_the_decision_core_expects_at_a_node_is_what_the_file_says_there(
    policy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = "rtt=120ms,loss=6%,rate=30Mbit,tcp=cubic"
    result = run(monkeypatch, capsys, "policy", "show", policy, "--json", "--key", asked)

    found = json.loads(result.stdout)
    (prior,) = (one for one in found["priors"] if (one["tcp"], one["rate_mbit"]) == ("cubic", 30))
    ratio = prior["ratio"][found["axes"]["rtt_ms"].index(120)][found["axes"]["loss"].index(0.06)]
    assert found["keys"][0]["ratio"] == pytest.approx(ratio, rel=0.03)


def simulated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], policy: str, *words: str
) -> Result:
    return run(monkeypatch, capsys, "policy", "simulate", policy, "--clients", "300", "--seed", "1", *words)


@pytest.mark.needs("engine")
def test_a_simulation_tells_each_rule_the_holdout_and_the_events(
    policy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    result = simulated(monkeypatch, capsys, policy)

    assert result.status == 0, result.stderr
    for word in ("population:", "upgrade:", "flood:", "public-module", "flapping", "Holdout:", "best-fixed"):
        assert word in result.stdout


@pytest.mark.needs("engine")
def test_equal_seeds_give_equal_simulations(
    policy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, again = (simulated(monkeypatch, capsys, policy, "--cells", "--json") for _ in range(2))

    assert first.status == 0, first.stderr
    assert first.stdout == again.stdout
    found = json.loads(first.stdout)["simulations"]
    assert [(control, list(one)) for control, one in found.items()] == [
        ("cubic", ["population"]),
        ("bbr", ["population"]),
    ]
    assert {one["by"] for one in found["bbr"]["population"]["segments"]} >= {"all", "kind", "tcp", "cell"}


@pytest.mark.needs("engine")
def test_one_congestion_control_alone_is_what_it_is_beside_the_others(
    policy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    both = simulated(monkeypatch, capsys, policy, "--cells", "--json")
    alone = simulated(monkeypatch, capsys, policy, "--cells", "--json", "--tcp", "bbr")

    found, only = json.loads(both.stdout), json.loads(alone.stdout)
    assert only["simulations"] == {"bbr": found["simulations"]["bbr"]}
    assert [one["tcp"] for one in found["judgements"]] == ["cubic", "bbr"]
    unknown = simulated(monkeypatch, capsys, policy, "--tcp", "reno")
    assert unknown.status == 2
    assert "unknown congestion control 'reno'" in unknown.stderr


@pytest.mark.needs("engine")
def test_a_bound_that_does_not_hold_fails_the_check(
    policy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def status(holds: bool, *words: str) -> int:
        monkeypatch.setattr(bound, "hold", lambda judgements: holds and bool(judgements))
        return simulated(monkeypatch, capsys, policy, "--cells", "--tcp", "cubic", *words).status

    assert status(True, "--check-bound") == 0
    assert status(False, "--check-bound") == 1
    assert status(False) == 0


@pytest.mark.needs("engine")
def test_maps_are_validated_on_points_that_their_fit_did_not_see(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["policy", "validate", str(folder / "cubic"), "bbr", "--clients", "6000", "--seed", "1"]
    result = run(monkeypatch, capsys, *words, "--json")

    assert result.status == 0, result.stderr
    document = json.loads(result.stdout)
    assert {control: one["points"] for control, one in document["unseen"].items()} == {"cubic": 60, "bbr": 60}
    assert [(one["control"], one["cells"]) for one in document["judgements"]] == [("bbr", 60), ("cubic", 60)]


@pytest.mark.needs("engine")
def test_cells_without_a_client_are_bad_input(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    result = run(monkeypatch, capsys, "policy", "validate", str(folder / "cubic"), "--clients", "3")

    assert result.status == 2
    assert "of 30 cells have no client in a draw; 6000 are enough" in result.stderr


@pytest.mark.needs("engine")
def test_the_truth_may_be_a_map_rather_than_the_policy(
    policy: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    result = simulated(monkeypatch, capsys, policy, "--map", "bbr", "--json", "--cells")

    assert result.status == 0, result.stderr
    simulations = json.loads(result.stdout)["simulations"]
    assert list(simulations) == ["bbr"]
    segments = simulations["bbr"]["population"]["segments"]
    assert [one["name"] for one in segments if one["by"] == "tcp"] == ["bbr"]
