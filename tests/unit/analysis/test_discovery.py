"""Where a client finds its way to HTTP/3 by itself, the cell says which requests went over what."""

from pronghorn.analysis.blocks import CellTrials, select
from pronghorn.analysis.discovery import fallback, notes
from pronghorn.model.trial import PageLoad, Trial

from .pages import loaded, page, resource

ARM = "h3~https"


def over(h2: int, h3: int) -> PageLoad:
    return page([resource(number, "h2" if number < h2 else "h3") for number in range(h2 + h3)])


def cell(arm: str, pages: list[PageLoad | None], load_s: float | None = 0.6) -> CellTrials:
    trials: list[Trial] = []
    for block, found in enumerate(pages):
        trials += [loaded(arm, block, load_s, found), loaded("h2", block, 0.5, over(4, 0))]
    (sorted_trials,) = select(trials, [arm, "h2"]).values()
    return sorted_trials


def test_the_note_tells_the_middle_and_the_range_per_protocol() -> None:
    assert notes(cell(ARM, [over(2, 10), over(4, 8), over(2, 10)])) == [
        "h3~https: requests per load: 2 (2 to 4) over h2, 10 (8 to 10) over h3 (3 loads)."
    ]


def test_an_arm_with_a_discovery_is_told_of_even_where_all_requests_went_one_way() -> None:
    assert notes(cell(ARM, [over(0, 12)])) == ["h3~https: requests per load: 12 over h3 (1 load)."]


def test_an_arm_without_a_discovery_and_of_one_protocol_is_not_told_of() -> None:
    assert notes(cell("h3", [over(0, 12)])) == []


def test_trials_of_older_runs_have_no_note() -> None:
    assert notes(cell(ARM, [None])) == []


def test_a_fallback_counts_requests_and_sets_the_loads_without_http3_beside_h2() -> None:
    found = fallback(cell(ARM, [over(12, 0), over(1, 11)], load_s=0.6), ARM, "h2")
    assert (found.requests, found.of, found.none_in, found.loads) == (13, 24, 1, 2)
    assert found.cost == 1.2
    assert found.words() == (
        "13 of 24 requests in 2 loads did not go over HTTP/3; 1 of the loads used no HTTP/3 at all "
        "and took 1.20 times as long as h2's (median, same blocks)"
    )


def test_the_cost_of_loads_that_failed_or_have_nothing_beside_them_is_not_told() -> None:
    assert fallback(cell(ARM, [over(12, 0)], load_s=None), ARM, "h2").cost is None
    assert fallback(cell(ARM, [over(12, 0)]), ARM, None).cost is None


def test_what_came_from_the_cache_or_failed_counts_for_no_protocol() -> None:
    load = page([resource(0, "h3"), resource(1, "h2", from_cache=True), resource(2, "h2", error="reset")])
    assert notes(cell(ARM, [load])) == ["h3~https: requests per load: 1 over h3 (1 load)."]
