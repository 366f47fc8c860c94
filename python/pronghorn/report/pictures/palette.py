"""The stylesheet's colours by day, for drawings that stand without it."""

import re
from functools import cache
from importlib import resources


@cache
def palette() -> dict[str, str]:
    """By custom property (`arm-0`) its colour."""
    style = resources.files("pronghorn.report").joinpath("templates/report.css").read_text(encoding="utf-8")
    by_day = style[style.index(":root {") : style.index("}")]
    return dict(re.findall(r"--([\w-]+): ([^;]+);", by_day))


def coloured(drawing: str) -> str:
    """`drawing` with colours for custom properties; what is partly transparent says so by its opacity, as SVG
    1.1 has it."""
    found = re.sub(r"var\(--([\w-]+)\)", lambda name: palette()[name[1]], drawing)
    return re.sub(r'(fill|stroke)="(#[0-9a-f]{6})([0-9a-f]{2})"', _with_opacity, found)


def _with_opacity(colour: re.Match[str]) -> str:
    kind, solid, alpha = colour.groups()
    return f'{kind}="{solid}" {kind}-opacity="{int(alpha, 16) / 255:.3g}"'
