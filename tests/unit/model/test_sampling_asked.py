"""`repeat` as a table: read, resolved, refused."""

import pytest

from pronghorn.model.sampling import Sampling

from ..cli.refusals import refused as refuses
from ..laboratory import Laboratory
from .experiments import REST, again, parse, refused


def test_a_number_of_blocks_is_no_sampling() -> None:
    assert parse(REST + "repeat = 7\n").sampling is None


def test_what_is_not_said_is_the_default() -> None:
    found = parse(REST + "repeat = { max = 60 }\n")
    assert found.sampling == Sampling(least=12, most=60, until="decided")
    assert found.repeat == 60
    assert parse(REST + "repeat = { max = 8 }\n").sampling == Sampling(least=8, most=8)


def test_the_table_survives_being_resolved() -> None:
    timed = parse(REST + 'repeat = { max = 40, within = "90s" }\n').sampling
    assert timed == Sampling(least=12, most=40, within="90s")
    assert timed is not None
    assert (timed.within_s, timed.definition()["within"]) == (90.0, "90s")
    found = parse(REST + 'repeat = { min = 6, max = 40, until = "ci95 <1.5%" }\n')
    assert found.sampling == Sampling(least=6, most=40, until="ci95 <1.5%")
    assert found.sampling.half_width == pytest.approx(0.015)
    assert again(found) == found
    assert again(found).digest() != parse(REST + "repeat = 40\n").digest()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("{ min = 6 }", "x.toml, line 5: key 'repeat': 'max' is missing: the most blocks of a cell"),
        ("{ max = 5 }", "key 'repeat.max': 5 is no whole number from 6 to 1000000."),
        ("{ min = 3, max = 20 }", "key 'repeat.min': 3 is no whole number from 6 to 1000000."),
        ("{ min = 30, max = 20 }", "key 'repeat.min': 30 is more than 'max', which is 20."),
        ("{ max = 20, untill = 1 }", "key 'repeat.untill': unknown key 'untill'; did you mean 'until'?"),
        ('{ max = 20, within = "90" }', "key 'repeat.within': '90' is a bare number"),
        ('{ max = 20, within = "0s" }', "key 'repeat.within': '0s': a time must be greater than zero."),
        ("{ max = 20, until = 3 }", "key 'repeat.until': 3 is no text."),
        (
            '{ max = 20, until = "known" }',
            "key 'repeat.until': 'known' is no rule; write 'decided', or a precision such as 'ci95 < 2%'.",
        ),
        ('{ max = 20, until = "ci95 < 2" }', "key 'repeat.until': '2' is a bare number where a share"),
        ('{ max = 20, until = "ci95 < 0%" }', "'ci95 < 0%': a precision lies between 0% and 100%."),
        ('{ max = 20, until = "ci95 < 200%" }', "'200%' is more than all"),
        (
            '{ max = 20 }\nstate = "kept"',
            "key 'repeat': sampling until the answer is known needs independent",
        ),
    ],
)
def test_a_wrong_table_is_refused_with_its_place(table: str, said: str) -> None:
    assert said in refused(REST + f"repeat = {table}\n")


def test_published_claims_want_a_fixed_number_of_blocks() -> None:
    text = REST + 'published = "weaknet"\nrepeat = { max = 20 }\n'
    assert "key 'repeat': published claims are judged over a fixed number of blocks" in refused(text)


def test_on_a_command_line(laboratory: Laboratory) -> None:
    said = refuses(laboratory, "experiment.toml", "--set", "repeat={ min = 12, max = 6 }")
    assert said.startswith("pronghorn: --set repeat={ min = 12, max = 6 }: key 'repeat.min': 12 is more than")
    said = refuses(laboratory, "experiment.toml", "--set", "repeat.max=60")
    assert said.startswith("pronghorn: --set repeat.max=60: 'repeat' is no table.")
