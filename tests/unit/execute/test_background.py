"""A load beside each page load: started before it, ended after it, and told apart in the origin's log."""

from collections import Counter

from ..laboratory import Laboratory

BACKGROUND = [
    "--set",
    "background.connections=5",
    "--set",
    "background.lead=10ms",
    "--set",
    "repeat=1",
    "--set",
    "paths=far",
]


def run(laboratory: Laboratory, *arguments: str) -> str:
    result = laboratory.run("run", "experiment.toml", "--out", "out", "--verbose", *BACKGROUND, *arguments)
    assert result.status == 0, result.stderr
    return " ".join(result.stdout.split())


def test_it_runs_from_before_each_load_to_after_it(laboratory: Laboratory) -> None:
    log = laboratory.folder / "requests"
    laboratory.behave(log=str(log))
    run(laboratory, "--set", "background.rate=200")
    ops = [
        one for one in laboratory.requests(log) if one["op"] in ("load", "generate_start", "generate_stop")
    ]
    slots = {one["pid"] for one in ops}
    for slot in slots:
        names = [one["op"] for one in ops if one["pid"] == slot]
        assert names == ["generate_start", "load", "generate_stop"] * (len(names) // 3)
    for one in ops:
        if one["op"] == "generate_start":
            assert one["spec"]["connections"] == 5
            assert one["spec"]["arrivals"]["rate_per_s"] == 200
            assert one["spec"]["stop"]["duration_s"] > 180


def test_it_goes_over_the_arms_protocol_or_the_one_that_is_asked_for(laboratory: Laboratory) -> None:
    log = laboratory.folder / "requests"
    laboratory.behave(log=str(log))
    run(laboratory)
    asked = [one["spec"]["protocol"] for one in laboratory.requests(log) if one["op"] == "generate_start"]
    assert Counter(asked) == {"h1": 1, "h2": 1, "h3": 1}
    log.unlink()
    laboratory.run("run", "experiment.toml", "--out", "two", *BACKGROUND, "--set", "background.protocol=h2")
    asked = [one["spec"]["protocol"] for one in laboratory.requests(log) if one["op"] == "generate_start"]
    assert set(asked) == {"h2"}


def test_its_report_is_kept_and_its_requests_are_not_the_pages(laboratory: Laboratory) -> None:
    said = run(laboratory, "--set", "background.document=/")
    for trial in laboratory.trials("out"):
        assert trial.status == "ok", trial.detail
        assert trial.background is not None and trial.background.requests.succeeded == 50
        assert [one.path for one in trial.origin_log].count("/") == 1
        assert len(trial.origin_log) == 3
        [count] = trial.origin_counts
        assert (count.path, count.requests) == ("/", 50)
    assert (
        "Another load ran over the same path beside the page. Its requests per second: 25.0 with h1" in said
    )


def test_a_page_beside_which_nothing_ran_is_measured_again(laboratory: Laboratory) -> None:
    laboratory.behave(rules=[{"do": "idle", "protocol": "h2", "once": laboratory.marker("idle")}])
    run(laboratory)
    spoilt = [trial for trial in laboratory.trials("out") if trial.status == "contaminated"]
    assert [trial.reason for trial in spoilt] == ["background"]


def test_it_is_refused_beside_loads_and_with_keys_that_it_has_not(laboratory: Laboratory) -> None:
    for sets, said in (
        (["clients=load", "load.requests=5"], "client 'load' makes a load itself"),
        (["background.requests=5"], "unknown key 'requests'"),
        (["background.protocol=h4"], "unknown protocol 'h4'"),
        (["background.lead=0s"], "must be greater than zero"),
    ):
        words = [word for one in sets for word in ("--set", one)]
        result = laboratory.run("run", "experiment.toml", "--out", "out", *BACKGROUND, *words)
        assert result.status == 2
        assert said in result.stderr, result.stderr
