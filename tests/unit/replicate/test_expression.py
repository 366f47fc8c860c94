"""Expressions of claims are read, worded and refused."""

import pytest

from pronghorn.model.expression import Expression, Term, parse, worded


def test_a_term_without_a_case_takes_the_one_it_is_read_for() -> None:
    assert parse("h3[loss] / h1", "delay") == Expression(
        "ratio", (Term("h3", "loss"), Term("h1", "delay", -1))
    )


def test_arms_keep_their_options_and_cases_their_spaces() -> None:
    found = parse("h3@bbr#iw10[1 MB, 1 % lost] - h2+tls12", "15 kB")
    assert found.kind == "difference"
    assert found.terms == (Term("h3@bbr#iw10", "1 MB, 1 % lost"), Term("h2+tls12", "15 kB", -1))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("h3 / h1", "h3 ÷ h1 on delay"),
        ("h3[loss] / h3[delay]", "h3 on loss ÷ h3 on delay"),
        ("h3 / h1 / h3[loss] * h1[loss]", "h3 ÷ h1 on delay over the same on loss"),
        ("h2 - h3 - h2[loss] + h3[loss]", "h2 − h3 on delay less the same on loss"),
    ],
)
def test_an_expression_is_said_in_words(text: str, said: str) -> None:
    assert worded(parse(text, "delay")) == said


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("h3 /", "alternate"),
        ("", "alternate"),
        ("h3 h1 h2", "no operator"),
        ("h3 / h1 - h2", "either products"),
        ("h3 / /", "no term"),
    ],
)
def test_what_is_no_expression_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        parse(text)
