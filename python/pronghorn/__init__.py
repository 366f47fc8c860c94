"""Pronghorn: a laboratory that settles whether HTTP/3 is faster, for whom, by how much and why.

From Python: `run` makes a run, `open_run` opens one, `Run` has its trials, requests and comparisons as polars
frames (docs/python.md)."""

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pronghorn.face import Run as Run
    from pronghorn.face import RunFailed as RunFailed
    from pronghorn.face import open_run as open_run
    from pronghorn.face import run as run

try:
    __version__ = version("pronghorn")
except PackageNotFoundError:
    __version__ = "0.2.0"

__all__ = ["Run", "RunFailed", "__version__", "open_run", "run"]


def __getattr__(name: str) -> Any:
    """The names of the face, which most commands don't need and which take time to import (PEP 562)."""
    if name in __all__:
        import importlib

        return getattr(importlib.import_module("pronghorn.face"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
