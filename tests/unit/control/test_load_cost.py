"""What a load is expected to cost decides whether it runs alone, and what its guard tolerates."""

import pytest

from pronghorn.execute import cell_cost, guard, load_cost, prepare
from pronghorn.execute.guard import LoadPace
from pronghorn.execute.prepare import Request
from pronghorn.model.experiment import Experiment
from pronghorn.model.trial import Cell, Counters

from ..analysis.test_loads import cell, trial

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


def test_a_load_that_waits_for_losses_has_its_work_at_its_beginning(weaknet: Experiment) -> None:
    """As long as where nothing is lost, twice; its guard tolerates a share of that, not of the waiting."""
    cells = by_path(weaknet)
    assert weaknet.load is not None
    undisturbed = {
        name: load_cost.undisturbed_s(weaknet.path(name), weaknet.load, DOCUMENT_BYTES, weaknet.limit_s)
        for name in cells
    }
    assert undisturbed["loss"] == undisturbed["clean"] == undisturbed["corrupt"]
    assert undisturbed["loss"] < cell_cost.expected_s(weaknet, cells["loss"], DOCUMENT_BYTES) / 10
    assert cell_cost.burst_s(weaknet, cells["loss"], DOCUMENT_BYTES) == 2 * undisturbed["loss"]
    for spread in ("load={ duration = '7s' }", "load={ requests = 100, rate = 10 }"):
        paced = prepare.resolve(Request("weaknet", overrides=["origins=builtin", spread]))
        assert cell_cost.burst_s(paced, by_path(paced)["loss"], DOCUMENT_BYTES) == 0


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


@pytest.mark.parametrize(("waited_s", "reason"), [(7.9, None), (8.1, "starved")])
def test_a_waiting_load_is_contaminated_by_what_its_threads_waited_on_the_average(
    weaknet: Experiment, waited_s: float, reason: str | None
) -> None:
    page = trial(cell("loss"), "h1", 0, 300.0).page
    assert page is not None and page.report is not None
    cpu = page.report.cpu_s.model_copy(update={"waited": waited_s})
    page = page.model_copy(update={"report": page.report.model_copy(update={"cpu_s": cpu})})
    pace = LoadPace(undisturbed_s=10.0, alone=False, threads=4)
    found = guard.contamination(page, Counters(), weaknet.path("loss"), DOCUMENT_BYTES, pace)
    assert (found.reason if found else None) == reason
