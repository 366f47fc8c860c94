"""What becomes of an exception that nobody foresaw: one message, exit status 70, the traceback in a file."""

import platform
import shlex
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path

from pronghorn import __version__
from pronghorn.errors import EXIT_BUG
from pronghorn.foreign import line

_HERE = Path(__file__).parent


def tell(error: BaseException) -> int:
    """Says on stderr that the program itself failed, at what, and where its traceback is; the exit status."""
    told = traceback.format_exception(error)
    said = line(f"{type(error).__name__}: {error}".removesuffix(": "))
    lines = [f"pronghorn: a bug in pronghorn itself, in {_place(error)}: {said}"]
    if file := _kept("".join(told)):
        lines.append(f"  Report it with this file, which holds the traceback and the command line: {file}")
    else:
        lines += ["  Report it with the command line and this traceback:", *told]
    with suppress(OSError):
        print(*lines, sep="\n", file=sys.stderr, flush=True)
    return EXIT_BUG


def _place(error: BaseException) -> str:
    """The last line of ours that the error passed, else the last of all."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(_HERE)]
    for frame in reversed(ours or frames):
        name = Path(frame.filename)
        where = name.relative_to(_HERE) if ours else name.name
        return f"{where}:{frame.lineno}"
    return "an unknown place"


def _kept(told: str) -> Path | None:
    """The file that holds it, which its owner alone can read; None where none can be written."""
    words = shlex.join(sys.argv)
    head = f"pronghorn {__version__}, Python {platform.python_version()}, {platform.platform()}\n{words}\n\n"
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="pronghorn-bug-", suffix=".txt", delete=False, encoding="utf-8", errors="replace"
        ) as file:
            file.write(head + told)
    except OSError:
        return None
    return Path(file.name)
