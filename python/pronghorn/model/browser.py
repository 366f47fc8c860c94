"""The settings of a browser as a client, in an experiment `browser = { cpu_slowdown = 4 }`."""

import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from pronghorn.model.arm import Arm
from pronghorn.model.experiment_reader import ExperimentReader

EXAMPLE = '{ viewport = "1366x768", cpu_slowdown = 4, cache = true }'

MOST_PIXELS = 16384
MOST_SLOWDOWN = 100.0

_VIEWPORT = re.compile(r"(\d{1,5})x(\d{1,5})")


class BrowserSettings(BaseModel):
    """`width` and `height` of the viewport in CSS pixels; `cpu_slowdown` is the factor by which the page's
    main thread is slowed down (1: not at all); without `cache` the browser's HTTP cache is off."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    width: int = 1366
    height: int = 768
    cpu_slowdown: float = 1.0
    cache: bool = True

    def definition(self) -> dict[str, Any]:
        """The settings as a TOML table which parses to them again."""
        return {
            "viewport": f"{self.width}x{self.height}",
            "cpu_slowdown": self.cpu_slowdown,
            "cache": self.cache,
        }


def parse(reader: ExperimentReader, arms: Sequence[Arm]) -> BrowserSettings:
    """The settings in the table that `reader` reads; InputError where one is wrong, or denies what one of the
    `arms` asks for."""
    reader.allow("viewport", "cpu_slowdown", "cache")
    width, height = _viewport(reader)
    return BrowserSettings(
        width=width, height=height, cpu_slowdown=_slowdown(reader), cache=_cache(reader, arms)
    )


def _cache(reader: ExperimentReader, arms: Sequence[Arm]) -> bool:
    cache = reader.flag("cache", True)
    warm = next((arm for arm in arms if arm.warm), None)
    if warm is not None and not cache:
        raise reader.error(
            "cache",
            f"arm '{warm.name}' asks for a warm cache, but the cache is off. Leave out the key or '+warm'.",
        )
    return cache


def _viewport(reader: ExperimentReader) -> tuple[int, int]:
    text = reader.text("viewport", "1366x768")
    found = _VIEWPORT.fullmatch(text)
    sides = (int(found[1]), int(found[2])) if found else (0, 0)
    if not all(1 <= side <= MOST_PIXELS for side in sides):
        raise reader.error(
            "viewport",
            f"{text!r} is no viewport; write WIDTHxHEIGHT in CSS pixels, each from 1 to {MOST_PIXELS}, such "
            "as '1366x768'.",
        )
    return sides


def _slowdown(reader: ExperimentReader) -> float:
    value = reader.table.get("cpu_slowdown", 1.0)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= MOST_SLOWDOWN:
        raise reader.error(
            "cpu_slowdown",
            f"{value!r} is no factor from 1 (not slowed down) to {MOST_SLOWDOWN:g}.",
        )
    return float(value)
