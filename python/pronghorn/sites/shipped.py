"""Site archives that Pronghorn has itself, by the names in `model.recorded_site.SHIPPED`."""

from importlib import resources
from pathlib import Path


def folder(name: str) -> Path:
    """The archive's folder."""
    return Path(str(resources.files("pronghorn"))) / "data" / "archives" / name
