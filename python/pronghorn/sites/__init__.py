"""Sites: what is loaded. Generated with seeded, incompressible bytes, taken from a folder, or recorded."""

from collections.abc import Sequence
from pathlib import Path

from pronghorn.model.recorded_site import RecordedSite
from pronghorn.sites import folder, generate, replay, shipped
from pronghorn.sites.built import BuiltSite, Kind, Resource
from pronghorn.sites.spec import SPECIFICATIONS

__all__ = ["BuiltSite", "Kind", "Resource", "build", "known"]


def known() -> list[str]:
    """The names of the generated sites. `dir:PATH`, and recorded sites as `model.recorded_site` has them, are
    valid too and not among them."""
    return list(SPECIFICATIONS)


def build(
    spec: str,
    seed: int,
    directory: Path,
    *,
    compressed: bool = False,
    hosts: Sequence[str] = (),
) -> BuiltSite:
    """Builds the site `spec`, a name from `known()`, `dir:PATH` or `archive:PATH`, into `directory`, which
    must be empty.

    The same `spec` and `seed` (any integer; only generated sites have a use for it) give the same bytes; of a
    site that is to be `compressed`, with the same version of the brotli library. `hosts` are those whose
    absolute addresses are a folder's own; without any they are looked for in the folder. An archive is
    replayed as recorded, or as `model.recorded_site` says it is rewritten. ValueError where there is no such
    site or the folder can't be one; InputError where an archive can't be replayed; OSError where `directory`
    can't be written.
    """
    kind, separator, path = spec.partition(":")
    if kind == "dir" and separator:
        if not path:
            raise ValueError("names no folder; write dir:PATH")
        return folder.copy(Path(path), directory, compressed=compressed, hosts=hosts)
    if recorded := RecordedSite.of(spec):
        place = shipped.folder(recorded.place) if recorded.shipped else Path(recorded.place)
        return replay.build(place, directory, recorded.rewritings)
    if spec not in SPECIFICATIONS:
        raise ValueError(f"no such site; known are {', '.join(known())}, dir:PATH and archive:PATH")
    return generate.generate(SPECIFICATIONS[spec], seed, directory, compressed=compressed)
