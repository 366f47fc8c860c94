"""Results on stdout, which may be a closed pipe or a full disk."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pronghorn.errors import HostError, InputError


@contextmanager
def writing_results(report: Path | None = None) -> Iterator[None]:
    """HostError where stdout can't be written; a reader that has seen enough is no fault. Either way the
    results stand beside `report`, where there is one."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_the_rest()
    except OSError as error:
        _discard_the_rest()
        hint = f"The results stand beside {report}." if report else None
        raise HostError(f"stdout can't be written: {error.strerror}.", hint=hint) from error


def refuse_unwritable(*files: Path | None) -> None:
    """InputError for a file that can't be written, or is named twice: before a measurement, not after."""
    named = [file for file in files if file is not None]
    for file in named:
        folder = file.absolute().parent
        if file.is_dir() or not folder.is_dir() or not os.access(file if file.exists() else folder, os.W_OK):
            raise InputError(f"{file}: no file can be written there.")
    regular = [file.resolve() for file in named if file.is_file() or not file.exists()]
    for file in regular:
        if regular.count(file) > 1:
            raise InputError(f"{file}: named twice; each option takes a file of its own.")


def _discard_the_rest() -> None:
    """So that the interpreter's own flush at the end doesn't fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
