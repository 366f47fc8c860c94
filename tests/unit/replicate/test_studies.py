"""The studies' claims follow from figures alone: their own reproduce them, others change the verdicts."""

from functools import cache

import pytest

from pronghorn.analysis.claims.judged import statements
from pronghorn.model import published
from pronghorn.model import study as studies
from pronghorn.model.study import Study
from pronghorn.model.trial import Cell
from pronghorn.replicate import found, words
from pronghorn.replicate.result import Cause, ClaimFound, StudyFound, Value

from .replicated import RESAMPLES, Behaviour, measured, planned

SHARED = "15 % of what goes there and back lost, half of it each way"
BBR = [f"BBR under h2, loss {where}" for where in ("on the up link", "on the down link", "both ways")]


def kiwees(cell: Cell, arm: str) -> float:
    """Kiwee's means, with whichever direction of loss."""
    case = cell.path.removesuffix("-down").removesuffix("-both")
    row = studies.read("kiwee").tables[0].rows[case]
    return row[arm[:2]][1]


def judged(study: Study, value: Behaviour, *, blocks: int = 20) -> StudyFound:
    read = measured(study, value, blocks=blocks)
    return found.study(read, planned(study), "full", resamples=RESAMPLES)


@cache
def kiwee() -> StudyFound:
    return judged(studies.read("kiwee"), kiwees)


def swapped(study: Study) -> Study:
    """The study with h2's and h3's published figures exchanged."""
    other = {"h2": "h3", "h3": "h2"}
    tables = tuple(
        table.model_copy(
            update={
                "rows": {
                    case: {other[name]: figures for name, figures in row.items()}
                    for case, row in table.rows.items()
                }
            }
        )
        for table in study.tables
    )
    return study.model_copy(update={"tables": tables})


def claim(of: StudyFound, beginning: str) -> ClaimFound:
    [one] = [one for one in of.claims if one.claim.startswith(beginning)]
    return one


@pytest.mark.parametrize("name", studies.names())
def test_every_claim_can_be_tested_on_what_its_full_runs_measure(name: str) -> None:
    of = judged(studies.read(name), lambda _cell, _arm: 1.0, blocks=6)
    for one in of.claims:
        for reading in one.readings:
            for part in reading.parts:
                assert part.ours.value is not None, (one.claim, reading.setting, part.what)
                assert part.ours.reason != "not measured", (one.claim, reading.setting, part.what)


@pytest.mark.parametrize("name", studies.names())
def test_every_figure_stands_beside_ours(name: str) -> None:
    of = judged(studies.read(name), lambda _cell, _arm: 1.0, blocks=6)
    for effect in of.effects:
        if effect.metric != "load" or name != "weaknet":
            assert effect.settings, effect.what


@pytest.mark.parametrize("name", studies.names())
def test_names_in_a_study_exist(name: str) -> None:
    study = studies.read(name)
    known = {setting.name for setting in study.settings}
    named = [*(one.settings for one in study.claims), *(one.settings for one in study.factors)]
    assert all(set(names or ()) <= known for names in named)
    cases = {*study.cases, *(case for table in study.tables for case in table.rows)}
    for factor in study.factors:
        assert set(factor.cases or ()) <= cases
    of_settings = [where for setting in study.settings for where in setting.cases.values()]
    for where in (*study.cases.values(), *study.settings, *study.factors, *of_settings):
        assert where.run is None or where.run in study.runs
    for claimed in study.claims:
        assert all(list(statements(study, part)) for part in claimed.parts)


def test_what_loads_are_held_against_is_a_study() -> None:
    assert set(published.names()) <= set(studies.names())


def test_the_studys_own_figures_reproduce_its_claims() -> None:
    assert claim(kiwee(), "Between continents").state == "reproduced"
    poor = claim(kiwee(), "With 100 ms")
    assert poor.state == "reproduced"
    assert [reading.setting for reading in poor.readings] == [
        "loss on the up link",
        "loss on the down link",
        "loss both ways",
        SHARED,
        *BBR,
    ]
    assert poor.readings[0].parts[0].ours.value == pytest.approx(6.6856 / 12.8554, rel=0.01)


def test_a_claim_that_no_open_factor_touches_is_read_once() -> None:
    assert len(claim(kiwee(), "Between continents").readings) == 1


def test_other_published_figures_change_the_verdicts() -> None:
    """The same measurements against a study that says the opposite."""
    other = judged(swapped(studies.read("kiwee")), kiwees, blocks=100)
    assert claim(other, "Between continents").state == "not reproduced"
    assert claim(other, "With 100 ms").state == "not reproduced"
    assert claim(other, "Nine loads in ten").state == "not reproduced"


def test_settings_that_disagree_leave_a_claim_undecided_and_the_one_that_agrees_is_named() -> None:
    def lossy(cell: Cell, arm: str) -> float:
        return kiwees(cell, arm) if not cell.path.endswith("-poor") else 10.0

    of = judged(studies.read("kiwee"), lossy)
    poor = claim(of, "With 100 ms")
    assert poor.state == "undecided"
    assert poor.words == (
        f"depends: reproduced with loss on the down link, with loss both ways, with {SHARED}, "
        f"with {BBR[1]}, with {BBR[2]}; not reproduced with loss on the up link, with {BBR[0]}"
    )
    [effect] = [one for one in of.effects if (one.case, one.statistic) == ("wroclaw-lte-poor", "mean")]
    assert effect.theirs == pytest.approx(0.52, abs=0.001)
    assert {one.setting: one.agrees for one in effect.settings}["loss on the up link"] is False
    assert effect.nearest in ("loss on the down link", "loss both ways", SHARED, *BBR[1:])
    assert effect.terms == pytest.approx([6.6856, 12.8554])
    assert effect.settings[1].terms == pytest.approx(effect.terms, rel=0.01)


def test_the_reason_of_a_difference_is_the_factor_that_was_measured_to_lead_to_theirs() -> None:
    def lossy(cell: Cell, arm: str) -> float:
        if cell.path == "wroclaw-lte-poor":
            return 10.0
        return kiwees(cell, arm)

    of = judged(studies.read("kiwee"), lossy)
    up = claim(of, "With 100 ms").readings[0]
    causes = {cause.factor: cause for cause in up.parts[0].causes}
    assert causes["loss on the down link"].direction == "towards"
    assert causes["loss on the down link"].state == "reproduced"
    assert causes["loss on the down link"].change == pytest.approx(0.52, rel=0.01)
    assert causes["nginx tuned instead of nginx as it ships"].direction == "not told"


def test_a_factor_is_held_against_its_own_run_without_it() -> None:
    """A run that is slower on the whole, both arms alike or not, is no factor."""

    def tuned(cell: Cell, arm: str) -> float:
        return 10.0 * (0.5 if cell.origin == "nginx@1.26:tuned" and arm == "h3" else 1.0)

    of = judged(studies.read("kiwee"), tuned)
    [part] = claim(of, "Between continents").readings[0].parts
    causes = {cause.factor: cause for cause in part.causes}
    assert causes["nginx tuned instead of nginx as it ships"].change == pytest.approx(0.5, rel=0.01)
    assert causes["nginx tuned instead of nginx as it ships"].apart == "one run"
    assert causes["Reno under h2, beside nginx's own New Reno under h3"].direction == "not told"


def test_a_factor_that_is_a_run_of_its_own_is_held_against_the_settings() -> None:
    study = studies.read("kiwee")
    quick = measured(study, lambda _cell, arm: 10.0 if arm == "h3" else 20.0)
    lossier = measured(study, lambda _cell, arm: 12.0 if arm == "h3" else 10.0).runs["lossier"]
    assert all(path.spec and path.spec.down.loss for path in lossier.planned.experiment.paths)

    both = quick._replace(runs={**quick.runs, "lossier": lossier})
    of = found.study(both, planned(study), "full", resamples=RESAMPLES)
    parts = {(part.case, part.statistic): part for part in claim(of, "Near").readings[0].parts}
    causes = {one.factor: one for one in parts["nuernberg-cloud", "median"].causes}
    more_loss = next(
        one for name, one in causes.items() if name.startswith("loss each way on the clouds' paths")
    )
    assert (more_loss.direction, more_loss.state) == ("towards", "reproduced")
    assert more_loss.change == pytest.approx(1.2 / 0.5, rel=0.01)
    assert more_loss.apart == "runs"

    there = both._replace(runs={**both.runs, "lossier": lossier._replace(notes={"host": {"cpu": "another"}})})
    of = found.study(there, planned(study), "full", resamples=RESAMPLES)
    parts = {(part.case, part.statistic): part for part in claim(of, "Near").readings[0].parts}
    apart = {cause.factor: cause.apart for cause in parts["nuernberg-cloud", "median"].causes}
    assert apart[more_loss.factor] == "hosts"
    assert apart["nothing changed, in another run"] == "runs"


def test_what_is_measured_twice_shows_what_two_runs_differ_by() -> None:
    study = studies.read("kiwee")
    first = measured(study, lambda _cell, arm: 10.0 if arm == "h3" else 20.0)
    second = measured(study, lambda _cell, arm: 12.0 if arm == "h3" else 20.0).runs["factors"]
    both = first._replace(runs={**first.runs, "factors": second})
    of = found.study(both, planned(study), "full", resamples=RESAMPLES)
    [part] = claim(of, "Between continents").readings[0].parts
    [again] = [cause for cause in part.causes if cause.factor == "nothing changed, in another run"]
    assert again.change == pytest.approx(1.2, rel=0.01)
    assert again.direction == "towards"


def test_a_difference_of_differences_is_measured_in_seconds() -> None:
    def farther(cell: Cell, arm: str) -> float:
        away = {"minnesota-new-york": 1.0, "minnesota-london": 2.0, "minnesota-bangalore": 4.0}
        return away.get(cell.path, 1.0) * (2.0 if arm.startswith("h2") else 1.0)

    of = judged(studies.read("requestmetrics"), farther)
    grows = claim(of, "The gain grows")
    assert grows.state == "reproduced"
    first = grows.readings[0].parts[0]
    assert first.ours.value == pytest.approx(1.0, rel=0.02)
    assert first.theirs == pytest.approx((0.4, 0.4))


def test_what_the_authors_own_figures_contradict_is_told_and_not_counted() -> None:
    study = studies.read("requestmetrics")

    def published(cell: Cell, arm: str) -> float:
        """Theirs: a second over h3, and over h2 as much more as was saved."""
        case = f"{cell.site} from {cell.path.removeprefix('minnesota-').replace('-', ' ').title()}"
        saved = study.tables[0].rows.get(case, {}).get("saved", (0.0,))[0]
        return 1.0 + (saved if arm.startswith("h2") else 0.0)

    more = claim(judged(study, published, blocks=50), "The more")
    for reading in more.readings:
        assert [part.theirs_hold for part in reading.parts] == [True, True, False, False]
        assert [part.state for part in reading.parts] == ["reproduced"] * 2 + ["not reproduced"] * 2
    assert more.state == "reproduced"


def test_what_explains_something_is_undecided_where_there_is_nothing_to_explain() -> None:
    """h3 is faster; that congestion control makes it slower is then neither so nor not."""

    def quick(_cell: Cell, arm: str) -> float:
        return 0.9 if arm.startswith("h3") else 1.0

    def slow(_cell: Cell, arm: str) -> float:
        return 1.1 if arm.startswith("h3") else 1.0

    study = studies.read("cloudflare")
    states = {one: claim(judged(study, one), "That h3 is slower") for one in (quick, slow)}
    assert {reading.state for reading in states[quick].readings} == {"undecided"}
    assert {reading.state for reading in states[slow].readings} == {"not reproduced"}
    [premise] = [part for part in states[quick].readings[0].parts if part.premise]
    assert premise.state == "not reproduced"


def test_a_setting_of_which_a_part_is_missing_repeats_no_other_ones_figures() -> None:
    study = studies.read("requestmetrics")
    whole = measured(study, lambda _cell, arm: 2.0 if arm.startswith("h2") else 1.0)
    some = whole._replace(runs={name: run for name, run in whole.runs.items() if name != "kept-lossless"})
    for read, lossless in ((whole, True), (some, False)):
        of = found.study(read, planned(study), "full", resamples=RESAMPLES)
        faster = claim(of, "h3 is faster")
        settings = [reading.setting for reading in faster.readings]
        assert ("one browser kept open, nothing lost" in settings) is lossless
        assert faster.words.endswith(" (not measured: one browser kept open, nothing lost)") is not lossless
        assert settings[0] == "one browser kept open"


def test_where_a_change_leads_is_told_from_the_value_that_was_judged() -> None:
    """Theirs is 0.75. Of 0.95 that stand beside it tuned nginx makes 0.85, which is away from it where 0.5
    was judged."""
    study = studies.read("kiwee")
    judged_at = measured(study, lambda _cell, arm: 5.0 if arm == "h3" else 10.0)

    def beside(cell: Cell, arm: str) -> float:
        return 10.0 if arm != "h3" else 8.5 if cell.origin == "nginx@1.26:tuned" else 9.5

    factors = measured(study, beside).runs["factors"]
    both = judged_at._replace(runs={**judged_at.runs, "factors": factors})
    of = found.study(both, planned(study), "full", resamples=RESAMPLES)
    [part] = claim(of, "Between continents").readings[0].parts
    tuned = next(cause for cause in part.causes if cause.factor.startswith("nginx tuned"))
    assert tuned.direction == "away"
    assert tuned.change == pytest.approx(8.5 / 9.5, rel=0.01)


def test_factors_with_too_few_blocks_are_not_taken_for_factors_without_effect() -> None:
    of = judged(studies.read("kiwee"), lambda _cell, arm: 2.0 if arm == "h3" else 1.0, blocks=12)
    for one in claim(of, "Nine loads in ten").readings[0].parts:
        assert one.state == "undecided"
    few = Cause(
        factor="more loss",
        ours=Value(value=1.0, blocks=12, reason="needs more blocks (12 of at least 100)"),
        change=1.1,
        change_ci95=(None, None),
        direction="not told",
        state="undecided",
    )
    [part] = claim(of, "Between continents").readings[0].parts
    [said] = words.reasons(part.model_copy(update={"causes": [few]}))
    assert said == "The measurements are too few to tell what leads to theirs."
    [said] = words.reasons(part.model_copy(update={"causes": [few, part.causes[0]]}))
    assert "1 change could not be judged" in said
