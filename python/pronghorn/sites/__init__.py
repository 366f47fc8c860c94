"""Sites: what is loaded. Generated with seeded, incompressible bytes, or taken from a folder."""

from collections.abc import Sequence
from pathlib import Path

from pronghorn.sites import folder, generate
from pronghorn.sites.built import BuiltSite, Kind, Resource
from pronghorn.sites.spec import SPECIFICATIONS

__all__ = ["BuiltSite", "Kind", "Resource", "build", "known"]


def known() -> list[str]:
    """The names of the generated sites. `dir:PATH` is valid too and not among them."""
    return list(SPECIFICATIONS)


def build(
    spec: str, seed: int, directory: Path, *, compressed: bool = False, hosts: Sequence[str] = ()
) -> BuiltSite:
    """Builds the site `spec`, a name from `known()` or `dir:PATH`, into `directory`, which must be empty.

    The same `spec` and `seed` (any integer; `dir:PATH` has no use for it) give the same bytes; of a site that
    is to be `compressed`, with the same version of the brotli library. `hosts` are those whose absolute
    addresses are a folder's own; without any they are looked for in the folder. ValueError where there is no
    such site or the folder can't be one; OSError where `directory` can't be written.
    """
    kind, separator, path = spec.partition(":")
    if kind == "dir" and separator:
        if not path:
            raise ValueError("names no folder; write dir:PATH")
        return folder.copy(Path(path), directory, compressed=compressed, hosts=hosts)
    if spec not in SPECIFICATIONS:
        raise ValueError(f"no such site; known are {', '.join(known())} and dir:PATH")
    return generate.generate(SPECIFICATIONS[spec], seed, directory, compressed=compressed)
