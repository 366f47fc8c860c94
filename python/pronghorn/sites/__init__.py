"""Sites: what is loaded. Generated with seeded, incompressible bytes, taken from a folder, or recorded."""

from collections.abc import Sequence
from pathlib import Path

from pronghorn.sites import folder, generate, replay
from pronghorn.sites.built import BuiltSite, Kind, Resource
from pronghorn.sites.spec import SPECIFICATIONS

__all__ = ["BuiltSite", "Kind", "Resource", "build", "known"]


def known() -> list[str]:
    """The names of the generated sites. `dir:PATH` and `archive:PATH` are valid too and not among
    them."""
    return list(SPECIFICATIONS)


def build(
    spec: str,
    seed: int,
    directory: Path,
    *,
    compressed: bool = False,
    hosts: Sequence[str] = (),
    third_parties: bool = True,
) -> BuiltSite:
    """Builds the site `spec`, a name from `known()`, `dir:PATH` or `archive:PATH`, into `directory`, which
    must be empty.

    The same `spec` and `seed` (any integer; only generated sites have a use for it) give the same bytes; of a
    site that is to be `compressed`, with the same version of the brotli library. `hosts` are those whose
    absolute addresses are a folder's own; without any they are looked for in the folder. An archive is
    replayed as recorded, with or without its `third_parties`. ValueError where there is no such site or the
    folder can't be one; InputError where an archive can't be replayed; OSError where `directory` can't be
    written.
    """
    kind, separator, path = spec.partition(":")
    if kind == "dir" and separator:
        if not path:
            raise ValueError("names no folder; write dir:PATH")
        return folder.copy(Path(path), directory, compressed=compressed, hosts=hosts)
    if kind == "archive" and separator:
        return replay.build(Path(path), directory, third_parties=third_parties)
    if spec not in SPECIFICATIONS:
        raise ValueError(f"no such site; known are {', '.join(known())}, dir:PATH and archive:PATH")
    return generate.generate(SPECIFICATIONS[spec], seed, directory, compressed=compressed)
