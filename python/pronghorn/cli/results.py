"""Results on stdout, which may be a closed pipe or a full disk."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pronghorn.errors import InputError
from pronghorn.standard import Outlet


@contextmanager
def writing_results(report: Path | None = None) -> Iterator[None]:
    """What is printed within are results, which stand beside `report` as well, where there is one: a person
    whose stdout can't be written is told so."""
    stdout = getattr(sys.stdout, "rich_proxied_file", None)
    if isinstance(stdout, Outlet) and report is not None:
        stdout.hint = f"The results are beside {report}."
    yield
    sys.stdout.flush()


def refuse_unwritable(*files: Path | None) -> None:
    """InputError for a file that can't be written, or is named twice: before a measurement, not after."""
    named = [file for file in files if file is not None]
    for file in named:
        folder = file.absolute().parent
        if file.is_dir() or not folder.is_dir() or not os.access(file if file.exists() else folder, os.W_OK):
            raise InputError(f"{file}: this file can't be written.")
    regular = [file.resolve() for file in named if file.is_file() or not file.exists()]
    for file in regular:
        if regular.count(file) > 1:
            raise InputError(f"{file}: named twice. Each option needs its own file.")
