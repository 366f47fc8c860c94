"""Results on stdout, which may be a closed pipe or a full disk."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pronghorn.errors import HostError


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


def _discard_the_rest() -> None:
    """So that the interpreter's own flush at the end doesn't fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
