"""`[[explain]]`: read, resolved, and refused with the line at which it is wrong."""

import pytest

from pronghorn.model import experiment_file
from pronghorn.model.experiment import Experiment
from pronghorn.runs.prepare import vocabulary

from ..laboratory import Laboratory
from .experiments import again, parse, refused

FRAME = """\
sites = ["tiny"]
paths = ["direct"]
arms = ["h2@bbr", "h3@cubic", "h2@cubic"]
seed = 1

"""

STEPS = '["control", "protocol"]'

CHAIN = f"""\
[[explain]]
name = "control first"
metric = "ttfb"
from = "h2@bbr"
through = ["h2@cubic"]
to = "h3@cubic"
steps = {STEPS}
"""


def test_an_explanation_is_a_chain_of_arms_with_its_steps() -> None:
    (found,) = parse(FRAME + CHAIN).explain
    assert (found.name, found.metric) == ("control first", "ttfb")
    assert found.chain == ("h2@bbr", "h2@cubic", "h3@cubic")
    assert found.steps == ("control", "protocol")


def test_the_load_is_explained_and_the_steps_are_its_name_unless_said_otherwise() -> None:
    (found,) = parse(FRAME + CHAIN.replace('name = "control first"\nmetric = "ttfb"\n', "")).explain
    assert (found.name, found.metric) == ("control, then protocol", "load")


def test_it_survives_being_resolved_and_makes_another_experiment() -> None:
    found, without = parse(FRAME + CHAIN), parse(FRAME)
    assert again(found) == found
    assert again(found).digest() == found.digest() != without.digest()
    assert "explain" not in without.resolved()


def test_an_empty_list_is_no_explanation() -> None:
    found = parse("explain = []\n" + FRAME)
    assert found.explain == ()
    assert found.digest() == parse(FRAME).digest()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[[explain]]", "[explain]", "line 6: key 'explain': each explanation is a table of its own"),
        ('"h2@bbr"\nthr', '"h2@bbbr"\nthr', "line 9: key 'explain.1.from': unknown arm 'h2@bbbr'; did you"),
        ('["h2@cubic"]\nto', '["h2"]\nto', "line 10: key 'explain.1.through': unknown arm 'h2'"),
        ('"h3@cubic"\nsteps', '"h3@bbr"\nsteps', "line 11: key 'explain.1.to': unknown arm 'h3@bbr'"),
        ('["h2@cubic"]\nto', '["h2@bbr"]\nto', "line 10: key 'explain.1.through': 'h2@bbr' stands twice in"),
        ('"h3@cubic"\nsteps', '"h2@bbr"\nsteps', "line 11: key 'explain.1.to': 'h2@bbr' stands twice in"),
        (
            STEPS,
            '["x"]',
            "line 12: key 'explain.1.steps': 1 named, but from h2@bbr over h2@cubic to h3@cubic",
        ),
        (STEPS, '["x", " "]', "line 12: key 'explain.1.steps': a step without a name"),
        (STEPS, '["x", "x"]', "line 12: key 'explain.1.steps': 'x' is listed twice."),
        ('"ttfb"', '"tfb"', "line 8: key 'explain.1.metric': unknown metric 'tfb'; did you mean 'ttfb'?"),
        ("metric", "metrik", "line 8: key 'explain.1.metrik': unknown key 'metrik'; did you mean 'metric'?"),
        (
            'from = "h2@bbr"\n',
            "",
            "line 6: key 'explain.1': key 'from' is missing: the arm at the chain",
        ),
        (
            'through = ["h2@cubic"]\n',
            "",
            "line 6: key 'explain.1': key 'through' is missing: a list of",
        ),
        (f"steps = {STEPS}\n", "", "line 6: key 'explain.1': key 'steps' is missing"),
    ],
)
def test_what_is_wrong_with_an_explanation(old: str, new: str, said: str) -> None:
    text = FRAME + CHAIN
    assert old in text
    assert refused(text.replace(old, new)).startswith(f"x.toml, {said}")


def test_the_second_explanation_is_found_by_its_number() -> None:
    assert refused(FRAME + CHAIN + CHAIN).startswith(
        "x.toml, line 14: key 'explain.2.name': 'control first' is the name of an earlier explanation"
    )


def test_without_one_of_its_arms_it_says_how_to_leave_it_out(laboratory: Laboratory) -> None:
    """An override can take an arm away, and the explanations with it."""
    sets = ("--set=arms=h2,h3", "--set=paths=direct", "--set=repeat=1")
    result = laboratory.run("run", "cloudflare-first-byte", *sets)
    assert result.status == 2
    assert "unknown arm 'h3+resumed'" in result.stderr
    assert "--set explain=[] leaves all explanations out" in result.stderr
    assert laboratory.run("run", "cloudflare-first-byte", *sets, "--set=explain=[]").status == 0


@pytest.mark.parametrize("name", ["cloudflare-pages", "cloudflare-first-byte"])
def test_both_orders_of_cloudflare_s_question_end_at_the_same_arms(name: str) -> None:
    one, other = shipped(name).explain[:2]
    assert (one.chain[0], one.chain[-1], one.metric) == (other.chain[0], other.chain[-1], other.metric)
    assert sorted(one.steps) == sorted(other.steps)
    assert one.steps != other.steps
    assert one.chain[0] == shipped(name).baseline


def shipped(name: str) -> Experiment:
    return experiment_file.read(name, vocabulary(), overrides=[], seed=1)
