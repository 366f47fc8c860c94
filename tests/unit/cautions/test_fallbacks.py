"""A run warns of requests that fell back, of visits that failed, and of a browser without its sandbox."""

from collections.abc import Sequence

from pronghorn.cautions import broken_stacks
from pronghorn.cautions.fallbacks import cautions
from pronghorn.model.trial import Trial

from ..analysis.pages import loaded, page, resource
from ..model.experiments import parse

ARMS = ["h2", "h3~altsvc", "h3~https", "h3~altsvc+resumed"]


def said(
    trials: Sequence[Trial], path: str = "lte", clients: dict[str, dict[str, str]] | None = None
) -> list[str]:
    experiment = parse(
        f'sites = ["tiny"]\npaths = ["{path}"]\nclients = ["chromium"]\narms = {ARMS}\nseed = 1\n'
        '[path.lte]\ndown = { delay = "75ms" }\nup = {}\n[path.blocked]\ndown = { udp = "block" }\nup = {}\n'
    )
    return [f"{one.code}: {one.text}" for one in cautions(experiment, trials, clients or {})]


def block(protocol: str, path: str = "lte") -> list[Trial]:
    load = page([resource(number, protocol) for number in range(4)])
    trials = [loaded(arm, 0, 0.5 if arm == "h2" else 0.6, load, path) for arm in ARMS]
    where = trials[0].cell.model_copy(update={"site": "tiny", "client": "chromium"})
    return [trial.model_copy(update={"cell": where}) for trial in trials]


def test_requests_of_clients_that_knew_of_http3_fall_back_at_a_cost() -> None:
    rest = (
        "on tiny/lte/builtin/chromium: 4 of 4 requests in 1 load did not go over HTTP/3; 1 of the "
        "loads used no HTTP/3 at all and took 1.20 times as long as h2's (median, same blocks)."
    )
    assert said(block("h2")) == [f"fallback: {arm} {rest}" for arm in ("h3~https", "h3~altsvc+resumed")]


def test_where_udp_is_blocked_every_discovery_is_told_of() -> None:
    found = said(block("h2", "blocked"), "blocked")
    assert [sentence.partition(" (the path blocks UDP)")[0] for sentence in found] == [
        f"fallback: {arm} on tiny/blocked/builtin/chromium" for arm in ARMS[1:]
    ]


def test_nothing_is_said_where_all_went_over_http3_or_nothing_was_measured() -> None:
    assert said(block("h3")) == []
    assert said([]) == []


def test_visits_that_failed_are_counted_with_an_example() -> None:
    trial = loaded("h2", 0, None, None).model_copy(update={"reason": "prepare", "detail": "it timed out"})
    (found,) = said([trial])
    assert found.startswith("prepare: The unmeasured visit failed in 1 trial.")
    assert "small/lte/builtin/native, h2: it timed out" in found


def test_a_stack_that_failed_is_named_with_its_last_words() -> None:
    words = "mine ended with status 127; its last lines:\nnot found"
    trials = [loaded("h2", 0, None, None), loaded("h3", 0, None, None)]
    gone = [trial.model_copy(update={"reason": "origin", "detail": words}) for trial in trials]
    (found,) = broken_stacks.cautions([*gone, loaded("h2", 1, 0.5, page([resource(0, "h2")]))])
    assert found.code == "origin-failed"
    assert found.text.startswith(
        "The origin builtin failed in 2 trials, which count as failed loads. An example:"
    )
    assert found.text.endswith(f", h2: {words}.")


def test_a_browser_without_its_sandbox_is_named() -> None:
    identities = {"native": {"version": "1"}, "chromium": {"sandbox": "off: it runs as root"}}
    assert said([], clients=identities) == [
        "browser-sandbox: The client chromium ran without its own sandbox (off: it runs as root)."
    ]
