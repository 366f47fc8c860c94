"""What a load is expected to cost decides whether it runs alone, and what its guard tolerates."""

import pytest

from pronghorn.costs import cell_cost, load_cost
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Cell, Counters
from pronghorn.runs import prepare
from pronghorn.runs.prepare import Request
from pronghorn.trust import guard
from pronghorn.trust.guard import LoadPace

from ..analysis.published_loads import cell, trial

DOCUMENT_BYTES = 612


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})


@pytest.fixture
def weaknet() -> Experiment:
    return prepare.resolve(Request("weaknet", overrides=["origins=builtin"]))


def by_path(experiment: Experiment) -> dict[str, Cell]:
    return {cell.path: cell for cell in experiment.cells()}


def test_loads_that_the_cpu_paces_run_alone_and_those_that_wait_side_by_side(weaknet: Experiment) -> None:
    alone = {path for path, one in by_path(weaknet).items() if cell_cost.alone(weaknet, one, DOCUMENT_BYTES)}
    assert alone == {"clean", "delay", "duplicate", "loss-duplicate"}


def test_waiting_loads_are_expected_to_last_about_as_long_as_the_studys(weaknet: Experiment) -> None:
    expected = {
        path: cell_cost.expected_s(weaknet, one, DOCUMENT_BYTES) for path, one in by_path(weaknet).items()
    }
    for path, study_s in {
        "loss": 33.64,
        "corrupt": 14.46,
        "delay-loss": 30.64,
        "loss-duplicate": 2.03,
    }.items():
        assert study_s / 2 < expected[path] < study_s * 2
    assert expected["loss-corrupt"] == weaknet.limit_s


def bursts(experiment: Experiment) -> dict[str, list[float]]:
    return {
        one.path: [cell_cost.burst_s(experiment, one, arm, DOCUMENT_BYTES) for arm in experiment.arms]
        for one in experiment.cells()
    }


def test_a_load_that_waits_for_losses_has_its_work_at_its_beginning(weaknet: Experiment) -> None:
    """As long as where nothing is lost, twice; its guard tolerates a share of that, and little of the
    waiting."""
    assert weaknet.load is not None
    bearable = {
        name: load_cost.bearable_s(weaknet.path(name), weaknet.load, DOCUMENT_BYTES, weaknet.limit_s)
        for name in by_path(weaknet)
    }
    expected = {
        name: cell_cost.expected_s(weaknet, one, DOCUMENT_BYTES) for name, one in by_path(weaknet).items()
    }
    work_s = bearable["clean"]
    assert work_s < bearable["corrupt"] < bearable["loss"] < expected["loss"] / 10
    assert bearable["loss"] == pytest.approx(work_s + 0.025 * (expected["loss"] - work_s))
    assert set(bursts(weaknet)["loss"]) == {2 * work_s}
    assert set(bursts(weaknet)["delay-loss"]) == {2 * (work_s + 3 * 0.1)}


@pytest.mark.parametrize("spread", ["duration = '7s'", "requests = 10000, rate = 100"])
def test_a_load_that_is_spread_has_its_handshakes_at_its_beginning(weaknet: Experiment, spread: str) -> None:
    load = f"load={{ connections = 100, {spread} }}"
    timed = prepare.resolve(Request("weaknet", overrides=["origins=builtin", load]))
    for found, whole in zip(bursts(timed)["loss"], bursts(weaknet)["loss"], strict=True):
        assert 0 < found < whole / 2


def test_what_goes_before_a_load_unmeasured_is_a_part_of_its_turn(weaknet: Experiment) -> None:
    """Sessions that are gained first, whose slowest handshake may be late, and warm-ups."""
    [cold] = set(bursts(weaknet)["loss"])
    primed = prepare.resolve(
        Request("weaknet", overrides=["origins=builtin", "arms=h1,h2+resumed,h3+resumed"])
    )
    without, *with_it = bursts(primed)["loss"]
    assert without == cold
    assert min(with_it) > 2 * cold + 2.0
    sizes = "connections = 100, streams = 100, threads = 10"
    for warm_up, longer_s in (("10000", 2.0), ("'5s'", 10.0)):
        load = f"load={{ {sizes}, requests = 10000, warm_up = {warm_up} }}"
        warmed = prepare.resolve(Request("weaknet", overrides=["origins=builtin", load]))
        assert cold + 0.5 * longer_s < min(bursts(warmed)["loss"]) < cold + 1.5 * longer_s


def test_a_few_losses_on_a_thin_line_make_its_guard_no_stricter() -> None:
    """10 000 requests over 1 Mbit/s: of a hundred handshakes none is likely to lose a packet of 10 000."""
    sets = ["origins=builtin", "paths=thin", "limit=200s"]
    bearable = {}
    for lost in ("0%", "0.01%", "10%"):
        thin = f"path.thin={{ down = {{ rate = '1Mbit', loss = '{lost}' }}, up = {{}} }}"
        slow = prepare.resolve(Request("weaknet", overrides=[*sets, thin]))
        assert slow.load is not None
        bearable[lost] = load_cost.bearable_s(slow.path("thin"), slow.load, DOCUMENT_BYTES, slow.limit_s)
    assert bearable["0%"] == bearable["0.01%"] > 10 * bearable["10%"]


def test_what_the_path_alone_slows_leaves_the_turn_to_others() -> None:
    """10 000 requests over 1 Mbit/s take some 80 s, of which the turn is a small part."""
    thin = "path.thin={ down = { rate = '1Mbit', delay = '10ms' }, up = { delay = '10ms' } }"
    slow = prepare.resolve(
        Request("weaknet", overrides=["origins=builtin", thin, "paths=thin", "limit=200s"])
    )
    [one] = slow.cells()
    expected_s = cell_cost.expected_s(slow, one, DOCUMENT_BYTES)
    [burst_s] = set(bursts(slow)["thin"])
    assert burst_s < expected_s / 20
    assert cell_cost.beside(slow, one, DOCUMENT_BYTES, 100) == pytest.approx(
        min(100, 0.4 * expected_s / 1.5), rel=0.3
    )


def test_how_many_run_side_by_side_is_what_their_turns_leave(weaknet: Experiment) -> None:
    one = by_path(weaknet)["loss"]
    expected_s = cell_cost.expected_s(weaknet, one, DOCUMENT_BYTES)
    [burst_s] = set(bursts(weaknet)["loss"])
    assert cell_cost.beside(weaknet, one, DOCUMENT_BYTES, 100) <= expected_s / burst_s


def test_more_cores_than_work_on_a_load_do_not_shorten_its_turn(
    weaknet: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_two = bursts(weaknet)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(16)))
    assert bursts(weaknet) == on_two


def test_a_load_of_a_stated_duration_lasts_as_long() -> None:
    timed = prepare.resolve(Request("weaknet", overrides=["origins=builtin", "load={ duration = '7s' }"]))
    assert {cell_cost.expected_s(timed, one, DOCUMENT_BYTES) for one in timed.cells()} == {7.0}
    warmed = "load={ duration = '7s', warm_up = '2s' }"
    timed = prepare.resolve(Request("weaknet", overrides=["origins=builtin", warmed]))
    assert {cell_cost.expected_s(timed, one, DOCUMENT_BYTES) for one in timed.cells()} == {9.0}


@pytest.mark.parametrize(
    ("load", "alone"),
    [
        ("{ duration = '7s', connections = 10, streams = 100 }", {"clean", "far", "home"}),
        # Twenty requests in each round trip of 200 ms, and a link for a hundred requests a second.
        ("{ duration = '7s', connections = 2, streams = 10 }", {"clean", "home"}),
        ("{ duration = '7s', connections = 10, rate = 50 }", set()),
        ("{ duration = '7s', connections = 10, rate = 50000 }", {"clean", "home"}),
    ],
)
def test_a_load_of_a_duration_runs_alone_unless_its_rate_or_the_path_paces_it(
    load: str, alone: set[str]
) -> None:
    paths = {
        "clean": "{ down = {}, up = {} }",
        "far": "{ down = { delay = '100ms' }, up = { delay = '100ms' } }",
        "home": "{ down = { delay = '1ms', rate = '250Mbit' }, up = { delay = '1ms' } }",
        "thin": "{ down = { delay = '1ms', rate = '800kbit' }, up = { delay = '1ms' } }",
    }
    own = [f"path.{name}={spec}" for name, spec in paths.items()]
    chosen = f"paths={','.join(paths)}"
    timed = prepare.resolve(Request("weaknet", overrides=["origins=builtin", f"load={load}", *own, chosen]))
    found = {path for path, one in by_path(timed).items() if cell_cost.alone(timed, one, DOCUMENT_BYTES)}
    assert found == alone


def test_lateness_is_small_against_what_sets_the_pace(weaknet: Experiment) -> None:
    tolerated = {name: guard.load_tolerance_s(weaknet.path(name)) for name in by_path(weaknet)}
    assert tolerated["clean"] == tolerated["duplicate"] == guard.LATENESS_FLOOR_S
    assert tolerated["delay"] == pytest.approx(0.005)
    assert tolerated["loss"] == pytest.approx(0.05 * load_cost.LEAST_RETRANSMISSION_S)


@pytest.mark.parametrize(
    ("waited_s", "critical_s", "reason"),
    [
        (7.9, None, None),
        (8.1, None, "starved"),
        (99.0, 1.9, None),
        (2.1, 2.1, "starved"),
    ],
)
def test_a_waiting_load_is_contaminated_by_its_slowest_thread_or_the_mean_of_all(
    weaknet: Experiment, waited_s: float, critical_s: float | None, reason: str | None
) -> None:
    page = trial(cell("loss"), "h1", 0, 300.0).page
    assert page is not None and page.report is not None
    cpu = page.report.cpu_s.model_copy(update={"waited": waited_s, "critical": critical_s})
    page = page.model_copy(update={"report": page.report.model_copy(update={"cpu_s": cpu})})
    pace = LoadPace(bearable_s=10.0, alone=False, threads=4)
    found = guard.contamination(page, Counters(), weaknet.path("loss"), DOCUMENT_BYTES, pace)
    assert (found.reason if found else None) == reason
