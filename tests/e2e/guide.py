"""The files that docs/own-stack.md shows, as they stand there."""

import os
import re
import sys
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "own-stack.md"

PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
"""Where its commands are found: this Python's programs too."""

_NAMED_BLOCK = re.compile(r"`([\w.]+\.(?:py|toml))`[^`]*?:\n\n```\w+\n(.*?)```", re.DOTALL)


def write(folder: Path) -> None:
    """Writes them to `folder`."""
    for name, text in _NAMED_BLOCK.findall(GUIDE.read_text(encoding="utf-8")):
        (folder / name).write_text(text, encoding="utf-8")
