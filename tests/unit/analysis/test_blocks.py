"""Which trials count."""

from pronghorn.analysis.blocks import select

from .synthetic import cell, paired, trial

LTE = cell("lte")


def test_a_repeated_block_counts_by_its_last_attempt() -> None:
    first = [trial(LTE, "h2", 0, 9.0), trial(LTE, "h3", 0, 9.0, status="contaminated", reason="lateness")]
    second = [trial(LTE, "h2", 0, 1.0, attempt=1), trial(LTE, "h3", 0, 2.0, attempt=1)]
    found = select(first + second, ["h2", "h3"])[LTE]
    assert [one.metrics.load_s for one in (*found.of("h2"), *found.of("h3"))] == [1.0, 2.0]
    assert (found.contaminated, found.contamination_reasons) == ({"h3": 1}, {"lateness": 1})


def test_a_block_whose_last_attempt_is_contaminated_is_left_out_whole() -> None:
    trials = paired(LTE, {"h2": [1.0], "h3": [1.0]})
    trials += [trial(LTE, "h2", 1, 1.0), trial(LTE, "h3", 1, 1.0, status="contaminated")]
    found = select(trials, ["h2", "h3"])[LTE]
    assert (len(found.blocks), found.abandoned, found.incomplete) == (1, 1, 0)


def test_a_block_without_every_arm_is_incomplete() -> None:
    found = select([trial(LTE, "h2", 0, 1.0)], ["h2", "h3"])[LTE]
    assert (len(found.blocks), found.incomplete) == (0, 1)


def test_a_failed_trial_is_part_of_a_complete_block() -> None:
    found = select(paired(LTE, {"h2": [None], "h3": [1.0]}), ["h2", "h3"])[LTE]
    assert len(found.blocks) == 1


def test_a_trial_recorded_twice_counts_once() -> None:
    trials = paired(LTE, {"h2": [1.0], "h3": [1.0]})
    found = select([*trials, trial(LTE, "h3", 0, 5.0)], ["h2", "h3"])[LTE]
    assert [one.metrics.load_s for one in found.of("h3")] == [5.0]


def test_blocks_come_in_order_whatever_the_order_of_the_journal() -> None:
    trials = paired(LTE, {"h2": [1.0, 2.0, 3.0], "h3": [4.0, 5.0, 6.0]})
    found = select(trials[::-1], ["h2", "h3"])[LTE]
    assert [one.metrics.load_s for one in found.of("h3")] == [4.0, 5.0, 6.0]
