"""Tables and coloured lines on a terminal: rich's console, by which foreign text can't act."""

import sys
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from pronghorn.foreign import visible


class Terminal(Console):
    """A console that makes all text visible (`foreign.py`) before it adds its own colours, and that reads no
    markup in what it prints: an experiment may be called `[/x]`. All that shows something by rich uses this
    one."""

    def __init__(self, **options: Any) -> None:
        """`options`: as rich's console takes them."""
        stream = sys.stderr if options.get("stderr") else sys.stdout
        defaults = {"markup": False, "emoji": False, "file": stream}
        given = {**defaults, **options}
        given["file"] = getattr(given["file"], "rich_proxied_file", given["file"])
        super().__init__(**given)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What is written, without anything foreign that acts."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))

    def render_str(self, text: str, **options: Any) -> Text:
        """A string as text, made visible before its width is taken."""
        return super().render_str(visible(text), **options)
