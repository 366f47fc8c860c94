"""Two runs beside each other: what is compared with what, how sure that is, and what else differs."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from pronghorn.analysis.seeds import generator
from pronghorn.before_after.bootstrap import change_of_medians
from pronghorn.before_after.changes import compare
from pronghorn.before_after.correction import p_value
from pronghorn.before_after.recorded import RecordedRun
from pronghorn.checks import of_two
from pronghorn.checks.result import Finding
from pronghorn.errors import InputError
from pronghorn.model.changes import ArmChange, Changes
from pronghorn.model.sampling import Sampling

from ..checks.runs import Loads, around
from .recorded_runs import one, recorded

EXPERIMENTS = 400
FALSE_ALARM = 1e-4
"""Probability that the test of coverage fails although it is as its bound says."""


def change(found: Changes, arm: str = "h3", metric: str = "load") -> ArmChange:
    (cell,) = found.cells
    (meant,) = [each for each in cell.changes if (each.arm, each.metric) == (arm, metric)]
    return meant


def test_an_arm_that_became_slower_is_told_with_both_medians() -> None:
    found = compare(recorded(one(0.8)), recorded(one(1.0), shift=100))
    slower = change(found)
    assert slower.verdict == "slower"
    assert slower.before == pytest.approx(0.8)
    assert slower.after == pytest.approx(1)
    assert slower.ratio == pytest.approx(1.25)
    assert slower.difference == pytest.approx(0.2)
    assert slower.words.startswith(
        "lte: h3 is slower than before: median load 1.00 s against 800 ms before (ratio 1.250, 95 % interval "
    )
    assert slower.words.endswith("; 12 blocks against 12)")
    assert change(found, "h1").verdict == "same"
    assert found.headline == "After the change slower: h3 on lte; the same (±3 %): h1 on lte and h2 on lte."


def test_the_first_byte_is_compared_beside_what_decides() -> None:
    found = compare(recorded(one(0.8)), recorded(one(1.0), shift=100))
    assert [each.metric for each in found.cells[0].changes] == ["load", "ttfb"] * 3
    assert change(found, metric="ttfb").after == pytest.approx(0.25)


def test_blocks_of_the_same_path_seeds_are_paired_and_said_to_be() -> None:
    noisy = one(0.8, 0.5)
    apart, together = (compare(recorded(noisy), recorded(noisy, shift=shift)) for shift in (100, 0))
    assert (apart.cells[0].paired, together.cells[0].paired) == (False, True)
    assert change(together).ci95 == (1.0, 1.0)
    assert change(apart).verdict == "undecided"
    assert "12 blocks of each run, paired by path seed" in change(together).words


def test_blocks_that_only_one_run_has_are_left_out_where_they_are_paired() -> None:
    found = compare(recorded(one(0.8, blocks=20)), recorded(one(0.8)))
    assert (found.cells[0].paired, found.cells[0].unpaired_blocks) == (True, 8)
    assert (change(found).blocks_before, change(found).blocks_after) == (12, 12)
    apart = change(compare(recorded(one(0.8, blocks=20)), recorded(one(0.8), shift=100)))
    assert (apart.blocks_before, apart.blocks_after) == (20, 12)


def test_few_blocks_decide_nothing_and_failures_count_as_never() -> None:
    few = change(compare(recorded(one(0.8, blocks=5)), recorded(one(1.0, blocks=5), shift=100)))
    assert (few.verdict, few.reason) == ("undecided", "needs more blocks (5 of at least 6)")
    assert few.ratio == pytest.approx(1.25)
    assert (few.ci95, few.ci95_difference) == ((None, None), (None, None))
    assert few.words.endswith("(ratio 1.25; needs more blocks (5 of at least 6); 5 blocks against 5)")
    failing = one(0.8)
    failing["lte"] = {**failing["lte"], "h3": [0.8] + [None] * 11}
    broken = change(compare(recorded(one(0.8)), recorded(failing, shift=100)))
    assert broken.ratio is None
    assert broken.verdict == "slower"
    assert "never (half or more failed) against 800 ms before" in broken.words
    assert broken.words.endswith("failed in 11 of 12 trials, before in 0 of 12")


def test_the_same_runs_give_the_same_figures() -> None:
    once, again = (compare(recorded(one(0.8, 0.3)), recorded(one(1.0, 0.3), shift=9)) for _ in range(2))
    assert once == again


def test_what_only_one_run_has_is_said() -> None:
    both = {**one(0.8), "lan": one(0.02)["lte"]}
    without = {"lte": {name: loads for name, loads in one(0.8)["lte"].items() if name != "h1"}}
    found = compare(recorded(both), recorded(without, shift=1, arms=("h2", "h3")))
    assert found.missing == [
        "Left out, because only the run before has them: cells small/lan/builtin/native.",
        "Left out, because only the run before has them: arms h1.",
    ]


def test_runs_without_a_common_cell_or_arm_are_refused() -> None:
    with pytest.raises(InputError) as refused:
        compare(recorded(one(0.8)), recorded({"lan": one(0.8)["lte"]}))
    assert (
        "have no cell in common: the first has small/lte/builtin/native, the second small/lan"
        in refused.value.message
    )
    alone: dict[str, Loads] = {"lte": {"h2": around(1, 0.1)}}
    other: dict[str, Loads] = {"lte": {"h2@bbr": around(1, 0.1)}}
    with pytest.raises(InputError, match="no arm in common: the first has h2, the second h2@bbr"):
        compare(
            recorded(alone, arms=("h2",)),
            recorded(other, arms=("h2@bbr",)),
        )


def served_by(run: RecordedRun, origin: str, **notes: Any) -> RecordedRun:
    """The same run from another origin."""
    return run._replace(
        experiment=run.experiment.model_copy(update={"origins": (origin,)}),
        trials=[
            trial.model_copy(update={"cell": trial.cell.model_copy(update={"origin": origin})})
            for trial in run.trials
        ],
        manifest={**run.manifest, "origins": {origin: {"version": "1", **notes}}},
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("nginx:old.conf", "nginx:new.conf"),
        ("caddy", "caddy:tuned"),
        ("shop-1.2", "shop-1.3"),
        ("https://example.org/v1/", "https://example.org/v2/"),
    ],
)
def test_an_origin_of_another_version_is_compared_and_said_to_be(old: str, new: str) -> None:
    before, after = recorded(one(0.8)), recorded(one(1.0), shift=100)
    found = compare(served_by(before, old), served_by(after, new, version="2"))
    assert change(found).verdict == "slower"
    assert found.cells[0].origin == new
    assert found.matched == [f"Compared as the same origin: {old} before, {new} after."]
    assert [warning.text for warning in found.warnings if warning.code == "differs-origin"] == [
        f"The origins differ: {new} version 1 before, 2 after."
    ]


def test_another_server_is_refused_with_what_to_do() -> None:
    with pytest.raises(InputError, match="no cell in common") as refused:
        compare(served_by(recorded(one(0.8)), "nginx"), served_by(recorded(one(0.8)), "caddy"))
    assert (
        refused.value.hint is not None
        and "To compare different servers, make them origins" in refused.value.hint
    )


def test_a_name_that_may_be_either_of_two_is_left_out() -> None:
    before = served_by(recorded(one(0.8)), "nginx:a.conf")
    both = [served_by(recorded(one(0.8)), f"nginx:{name}.conf") for name in ("b", "c")]
    origins = ("nginx:b.conf", "nginx:c.conf")
    after = both[0]._replace(
        experiment=both[0].experiment.model_copy(update={"origins": origins}),
        trials=[*both[0].trials, *both[1].trials],
    )
    with pytest.raises(InputError, match="no cell in common"):
        compare(before, after)


def test_an_arm_of_another_label_is_compared_and_said_to_be() -> None:
    loads = around(1.0, 0.02)
    before = recorded({"lte": {"h2": loads, "h3#old": loads}}, arms=("h2", "h3#old"))
    after = recorded({"lte": {"h2": loads, "h3#new": loads}}, shift=9, arms=("h2", "h3#new"))
    found = compare(before, after)
    assert found.matched == ["Compared as the same arm: h3#old before, h3#new after."]
    assert change(found, "h3#new").verdict == "same"
    assert found.missing == []


def test_how_many_changed_at_all_is_corrected_for_their_number() -> None:
    for shift in (0, 100):
        found = compare(recorded(one(0.8)), recorded(one(1.0), shift=shift))
        assert found.correction is not None
        assert (found.correction.comparisons, found.correction.differ, found.correction.held) == (3, 1, 1)
        assert found.correction.words.startswith("1 of 3 verdicts says that something changed. ")
        slower = change(found)
        assert slower.p_value is not None and slower.q_value is not None
        assert slower.q_value == pytest.approx(3 * slower.p_value)
        assert change(found, metric="ttfb").p_value is None


def test_equal_runs_are_rejected_as_seldom_as_asked() -> None:
    """Unpaired: 5 % of 400 would be 20; more than 38 has a probability of 1e-4."""
    times = np.random.default_rng(8).lognormal(0, 0.4, (400, 2, 12))
    p_values = [p_value(before, after, paired=False) for before, after in times]
    assert sum(p is not None and p <= 0.05 for p in p_values) <= 38


def test_what_differs_between_the_manifests_is_a_warning() -> None:
    after = recorded(
        one(0.8),
        shift=1,
        origins={"builtin": {"version": "2"}},
        host={"kernel": "6.5", "cores": 2, "load_average": 7.0},
        paths={"lte": {"down": {"delay_ns": 2}}, "elsewhere": None},
        jobs=4,
    )
    found = {one.code: one.text for one in compare(recorded(one(0.8)), after).warnings}
    assert found == {
        "differs-path": "The networks differ: lte down delay_ns 1 before, 2 after.",
        "differs-origin": "The origins differ: builtin version 1 before, 2 after.",
        "differs-host": "The hosts differ: kernel 6.1 before, 6.5 after.",
        "differs-jobs": "The trials side by side differ: jobs 1 before, 4 after.",
    }
    assert compare(recorded(one(0.8)), recorded(one(0.8), shift=1)).warnings == []


def test_another_number_of_blocks_is_a_warning_and_so_is_a_rule() -> None:
    plain = recorded(one(0.8))
    asked = {"repeat": 60, "sampling": Sampling(least=12, most=60)}
    sampled = plain._replace(experiment=plain.experiment.model_copy(update=asked))
    more = plain._replace(experiment=plain.experiment.model_copy(update={"repeat": 20}))
    rule, differs = compare(plain, sampled).warnings
    assert rule.code == "sampled-by-rule"
    assert rule.text.startswith(
        "runs/made was sampled until its answer was known (12 to 60 until decided). The intervals here are "
    )
    assert differs.text == "The experiments differ: repeat 12 before, 12 to 60 until decided after."
    assert [found.text for found in compare(plain, more).warnings] == [
        "The experiments differ: repeat 12 before, 20 after."
    ]
    assert [found.code for found in compare(sampled, sampled).warnings] == ["sampled-by-rule"] * 2


def test_a_run_that_is_not_whole_is_a_warning() -> None:
    cut = recorded(one(0.8), ended=None)._replace(warnings=("trials.jsonl, line 7: cut off; left out.",))
    found = compare(cut, recorded(one(0.8), shift=1)).warnings
    assert [warning.code for warning in found] == ["unfinished", "journal"]
    assert found[0].text == "runs/made is unfinished: its 36 trials are compared."


def found_by(text: str, changes: Changes) -> list[Finding]:
    (result,) = of_two.evaluate([of_two.parse(text, changes)], changes)
    return list(result.findings)


def test_checks_of_two_runs() -> None:
    changes = compare(recorded(one(0.8)), recorded(one(1.0), shift=100))
    (slower,) = found_by("h3 after/before < 1.05 on lte", changes)
    assert (slower.holds, slower.title) == (False, "lte, h3")
    assert slower.found.startswith("h3 is slower than before: median load 1.00 s against 800 ms before")
    assert [found.holds for found in found_by("* is not slower", changes)] == [True, True, False]
    assert [found.holds for found in found_by("surely h[12] after/before load median < 1.05", changes)] == [
        True,
        True,
    ]
    assert [found.holds for found in found_by("lte: h3 after/before ttfb > 1.2", changes)] == [True]
    assert [found.holds for found in found_by("h3 is slower on small/*", changes)] == [True]


def test_a_change_in_doubt_is_said_to_be() -> None:
    changes = compare(recorded(one(0.8, 0.4)), recorded(one(0.82, 0.4), shift=100))
    (found,) = found_by("h3 after/before < 1.04", changes)
    assert found.holds
    assert found.doubtful
    assert "this is the estimate; the interval reaches 1." in found.found
    assert not found_by("surely h3 after/before < 1.04", changes)[0].holds
    assert not found_by("surely h3 is not slower", changes)[0].holds


def of_pages_and_loads() -> Changes:
    """A cell of pages, and one of loads, which have no load time of a page."""
    changes = compare(recorded(one(0.8)), recorded(one(0.8), shift=100))
    (pages,) = changes.cells
    rates = [each.model_copy(update={"metric": "requests_per_second"}) for each in pages.led()]
    named = {"client": "load", "title": "lte, load", "leading": "requests_per_second", "changes": rates}
    return changes.model_copy(update={"cells": [pages, pages.model_copy(update=named)]})


def test_a_cell_without_the_metric_of_a_check_fails_it() -> None:
    changes = of_pages_and_loads()
    pages, loads = found_by("h3 after/before ttfb < 2", changes)
    assert pages.holds
    assert loads == ("lte, load", False, "not compared: this cell's metrics are requests_per_second", False)
    assert [found.holds for found in found_by("h3 after/before < 2", changes)] == [True, True]


def test_a_metric_that_no_cell_of_a_check_has_is_refused() -> None:
    with pytest.raises(InputError, match="unknown metric 'ttfb'"):
        of_two.parse("h3 after/before ttfb < 2 on small/*/*/load", of_pages_and_loads())


def test_of_too_few_blocks_it_is_not_known_that_an_arm_is_not_slower() -> None:
    changes = compare(recorded(one(0.8, blocks=5)), recorded(one(0.8, blocks=5), shift=100))
    (found,) = found_by("h3 is not slower", changes)
    assert not found.holds
    assert found.found.endswith("whether it is slower is unknown: needs more blocks (5 of at least 6)")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("h3/h2 < 1.05", "is no claim about two runs; write ARM after/before < NUMBER"),
        ("h3 after/before < h2", "is no claim about two runs"),
        ("h4 after/before < 1", "unknown arm 'h4'"),
        ("h3 after/before lode < 1", "unknown metric 'lode'; did you mean 'load'?"),
        ("h3 after/before < 1 on lan", "unknown path or cell 'lan'"),
        ("h3 is better", "unknown verdict 'better'"),
    ],
)
def test_what_says_no_check_of_two_runs_is_refused(text: str, said: str) -> None:
    changes = compare(recorded(one(0.8)), recorded(one(0.8)))
    with pytest.raises(InputError) as refused:
        of_two.parse(text, changes)
    assert said in refused.value.message


@pytest.mark.parametrize("blocks", [(12, 12), (8, 30)])
def test_the_interval_of_unpaired_runs_covers_as_often_as_it_says(blocks: tuple[int, int]) -> None:
    """Log-normal times, twice as long after the change; at least 93 % of nominal 95 % intervals hold it."""
    rng = np.random.default_rng(blocks)
    covered = 0
    for number in range(EXPERIMENTS):
        before, after = (rng.lognormal(mean, 0.3, n) for mean, n in zip((0, np.log(2)), blocks, strict=True))
        found = change_of_medians(before, after, generator(1, str(number)), paired=False, resamples=500)
        covered += found.ratio.low <= 2 <= found.ratio.high
    assert covered >= binom.ppf(FALSE_ALARM, EXPERIMENTS, 0.93)
