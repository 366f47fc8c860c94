"""Beside each verdict stands what was loaded; loads of different pages are a warning before anything else."""

from pronghorn.analysis.numbers import size
from pronghorn.model.summary import Summary
from pronghorn.model.trial import record
from pronghorn.report.html import document
from pronghorn.report.markdown import markdown
from pronghorn.runs.slim_trials import slim

from ..analysis.synthetic import cell
from .outcomes import BLOCKS, SHOP, elsewhere, loads, shown, steady, summary

CHROMIUM = cell("lte", site="shop", client="chromium")


def run_of(**of_h3: object) -> Summary:
    """h2 loads 20 requests of 600 kB; h3 the same, but for what is said."""
    return summary(
        [*loads(SHOP, "h2", steady(1.0)), *loads(SHOP, "h3", steady(0.5), **of_h3)]  # type: ignore[arg-type]
    )


def mirrored() -> Summary:
    """A mirrored page, most of which lies on another host."""
    left_out = elsewhere(42)
    return summary(
        [
            *loads(SHOP, "h2", steady(1.0), requests=2, left_out=left_out),
            *loads(SHOP, "h3", steady(0.5), requests=2, left_out=left_out),
        ]
    )


def test_arms_that_load_alike_have_one_sentence_beside_their_verdict() -> None:
    found = run_of()
    assert found.cells[0].loaded_words == "Each load: 20 requests, 600 kB."
    assert found.warnings == []
    assert "Each load: 20 requests, 600 kB." in shown(found)
    assert "Each load: 20 requests, 600 kB." in markdown(found, {})
    assert document(found, [], {}).count("Each load: 20\u00a0requests, 600\u00a0kB.") == 2 or (
        document(found, [], {}).count("Each load: 20 requests, 600 kB.") == 2
    )


def test_what_was_left_out_and_tolerated_is_counted_for_each_arm() -> None:
    found = run_of(left_out=elsewhere(2), tolerated=1)
    assert found.cells[0].loaded_words == (
        "A load: h2 20 requests, 600 kB; h3 20 requests, 600 kB, 2 left out, 1 failure tolerated."
    )
    h3 = found.cells[0].arms["h3"].loaded
    assert h3 is not None
    assert (h3.requests, h3.bytes, h3.left_out, h3.tolerated) == (20, 600_000, 2, 1)
    assert found.warnings == [], "two of 22 are less than a tenth"


def test_scripts_that_may_make_requests_and_were_not_run_stand_beside_the_verdict() -> None:
    found = run_of(scripts=("/app.js", "/"))
    assert found.cells[0].loaded_words == (
        "A load: h2 20 requests, 600 kB; h3 20 requests, 600 kB, 2 scripts not run."
    )
    assert found.warnings == []
    listed = "scripts not run that may make requests, 2, such as <code>/app.js</code>, <code>/</code>"
    assert listed in document(found, [], {})


def test_a_page_of_which_more_than_a_tenth_was_left_out_has_no_verdict_without_a_warning() -> None:
    found = mirrored()
    said = "native left out 42 of 44 references of the page (other-host 42, such as https://cdn.example/0.js)"
    (warning,) = found.warnings
    assert said in warning
    assert shown(found).startswith(f"warning: lte: {said}")
    assert markdown(found, {}).startswith("> **warning: lte: native left out 42 of 44")
    (verdict,) = found.cells[0].led()
    assert verdict.verdict == "faster"
    assert verdict.words.endswith("; warning: 42 of 44 references were left out")
    page = document(found, [], {})
    assert page.index("native left out 42 of 44") < page.index('id="verdicts"')
    assert "other-host, 42, such as <code>https://cdn.example/0.js</code>" in page


def test_a_tenth_left_out_is_no_warning_and_more_is() -> None:
    assert run_of(requests=20, left_out=elsewhere(2)).warnings == []
    (warning,) = run_of(requests=20, left_out=elsewhere(3)).warnings
    assert "3 of 23 references" in warning


def test_arms_that_load_different_pages_are_warned_of() -> None:
    (warning,) = run_of(requests=23).warnings
    assert warning.startswith(
        "lte: the arms loaded different pages (h2 20 requests, 600 kB, h3 23 requests, 600 kB)"
    )
    assert run_of(requests=22).warnings == [], "a tenth is none"


def test_a_warm_cache_is_no_other_page() -> None:
    trials = [
        *loads(SHOP, "h2", steady(1.0)),
        *loads(SHOP, "h2+warm", steady(0.5), requests=1, size=600),
        *loads(SHOP, "h3+warm", steady(0.4), requests=1, size=600),
    ]
    assert summary(trials, ("h2", "h2+warm", "h3+warm")).warnings == []


def test_clients_that_load_different_pages_are_warned_of_in_both_of_their_cells() -> None:
    trials = [
        *loads(SHOP, "h2", steady(1.0), size=1_040_000),
        *loads(SHOP, "h3", steady(0.8), size=1_040_000),
        *loads(CHROMIUM, "h2", steady(1.0), size=580_000),
        *loads(CHROMIUM, "h3", steady(0.8), size=580_000),
    ]
    found = summary(trials)
    (warning,) = found.warnings
    assert "the clients loaded different pages" in warning
    assert "native 20 requests, 1.04 MB" in warning
    assert "chromium 20 requests, 580 kB" in warning
    assert "over h2" in warning
    assert all("; warning: " in one.words for each in found.cells for one in each.led())
    assert warning.endswith("The same holds in 1 further case.")


def test_a_skimmed_journal_says_the_same_of_what_was_left_out() -> None:
    trials = [
        *loads(SHOP, "h2", steady(1.0), requests=2, left_out=elsewhere(42)),
        *loads(SHOP, "h3", steady(0.5), requests=2, left_out=elsewhere(42)),
    ]
    skimmed = [slim(record(one).encode()) for one in trials]
    found, whole = summary(skimmed), summary(trials)
    assert found.warnings == whole.warnings
    assert [arm.loaded for arm in found.cells[0].arms.values()] == [
        arm.loaded for arm in whole.cells[0].arms.values()
    ]
    first = [one.page.left_out[0] for one in skimmed if one.page is not None]
    assert len(first) == 2 * BLOCKS
    assert len({id(one) for one in first}) == 1, "one object for all"


def test_a_journal_that_tells_nothing_of_it_gives_no_warning() -> None:
    trials = [*loads(SHOP, "h2", steady(1.0)), *loads(SHOP, "h3", steady(0.5))]
    for one in trials:
        one.page = None
        one.metrics.requests = one.metrics.bytes = 0
    found = summary(trials)
    assert found.cells[0].loaded_words == ""
    assert (found.warnings, found.cells[0].led()[0].verdict) == ([], "faster")


def test_sizes_have_three_digits() -> None:
    told = {0: "0 B", 612: "612 B", 999.6: "1.00 kB", 23_456: "23.5 kB", 600_000: "600 kB", 1.04e6: "1.04 MB"}
    assert {value: size(value) for value in told} == told
