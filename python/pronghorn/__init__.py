"""Pronghorn: a laboratory that settles whether HTTP/3 is faster, for whom, by how much and why."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("pronghorn")
except PackageNotFoundError:
    __version__ = "0.1.0"

__all__ = ["__version__"]
