"""The map of HTTP/3 against the others: its text can be read on every colour."""

import re
from importlib import resources

import pytest

from pronghorn.model.summary import Contrast
from pronghorn.report import heat_map

from .published_loads import study, summary

Colour = tuple[float, float, float]

ENOUGH = 4.5
"""The least contrast of small text (WCAG 2.2, 1.4.3)."""


def colours(*, dark: bool) -> dict[str, Colour]:
    css = (resources.files("pronghorn.report") / "templates" / "report.css").read_text(encoding="utf-8")
    day, _, night = css.partition("@media screen and (prefers-color-scheme: dark)")
    found = re.findall(r"--(ink|card|faster|slower): #([0-9a-f]{6})", night if dark else day)
    return {name: _colour(digits) for name, digits in found}


def _colour(digits: str) -> Colour:
    red, green, blue = (int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4))
    return red, green, blue


def _mixed(one: Colour, other: Colour, share: float) -> Colour:
    red, green, blue = (share * a + (1 - share) * b for a, b in zip(one, other, strict=True))
    return red, green, blue


def _luminance(colour: Colour) -> float:
    linear = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: Colour, other: Colour) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("ratio", [0.001, 1000.0])
def test_the_text_stands_out_from_the_strongest_colours(ratio: float, dark: bool) -> None:
    found = summary(study()).model_copy(
        update={
            "contrasts": [
                Contrast(
                    site="tiny",
                    path="loss",
                    origin="nginx",
                    client="load",
                    arm="h3",
                    against="h1",
                    ratio=ratio,
                    ci95=(ratio / 2, ratio * 2),
                    verdict="faster" if ratio > 1 else "slower",
                )
            ]
        }
    )
    shown = heat_map.heat_map(found)
    assert shown is not None
    [cell] = shown.rows[0].cells
    known = colours(dark=dark)
    behind = _mixed(known[cell.colour], known["card"], cell.strength / 100)
    assert contrast(known["ink"], behind) >= ENOUGH
