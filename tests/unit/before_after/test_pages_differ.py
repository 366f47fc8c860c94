"""Two runs that loaded different pages are warned of first; an arm without a request isn't compared."""

import io

from pronghorn.before_after.changes import compare
from pronghorn.before_after.recorded import RecordedRun
from pronghorn.before_after.terminal import render
from pronghorn.model.changes import Changes
from pronghorn.model.trial import PageLoad, Resource
from pronghorn.terminal import Terminal

from .recorded_runs import one, recorded


def loading(requests: int) -> RecordedRun:
    """A run whose loads make so many requests."""
    run = recorded(one(0.8))
    for trial in run.trials:
        trial.metrics.requests = requests
        resources = [Resource(path="/", status=200, from_cache=requests == 0)]
        trial.page = PageLoad(outcome="ok", load_s=trial.metrics.load_s, resources=resources)
    return run


def shown(found: Changes) -> str:
    out = io.StringIO()
    render(found, Terminal(file=out, width=100, color_system=None))
    return out.getvalue()


def test_runs_that_loaded_different_pages_are_warned_of_in_the_first_line() -> None:
    found = compare(loading(21), loading(42))
    said = (
        "h1 on lte loaded 21 requests, 600 kB before and 42 requests, 600 kB after. "
        "The same holds for 2 others."
    )
    assert found.warnings[0].code == "different-pages"
    assert said in found.warnings[0].text
    assert shown(found).startswith("warning: The runs loaded different pages")


def test_runs_that_loaded_alike_are_not() -> None:
    found = compare(loading(21), loading(22))
    assert "different-pages" not in {warning.code for warning in found.warnings}


def test_a_change_of_no_request_is_refused() -> None:
    found = compare(loading(0), loading(0))
    for change in found.cells[0].led():
        assert (change.verdict, change.ratio, change.p_value) == ("undecided", None, None)
        assert change.reason == f"refused: {change.arm} made no request"
