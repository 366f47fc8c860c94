"""A path's handover: its definition in TOML names the other path, to be found among those that are known."""

from collections.abc import Mapping

from pronghorn.errors import unknown
from pronghorn.model import units
from pronghorn.model.path.profile import DIRECT, PathProfile
from pronghorn.model.path.reader import Reader
from pronghorn.model.path.spec import HandoverSpec
from pronghorn.model.path.texts import Texts
from pronghorn.model.source import Keys, Source


def join(
    profile: PathProfile, known: Mapping[str, PathProfile], source: Source, keys: Keys = ()
) -> PathProfile:
    """The profile, which stands at `keys` of `source`, with the path of its handover from those that are
    `known`; itself where it has no handover. InputError where that path can't be had or gone to."""
    if "handover" not in profile.definition or profile.spec is None:
        return profile
    reader = Reader(dict(profile.definition), source, keys, Texts())
    table = reader.sub("handover", example='{ at = "2s", to = "lte" }')
    table.allow("at", "to")
    table.require("at", 'a time since the path\'s first packet, such as "2s"')
    table.require("to", "the name of the path that the client moves to")
    name = table.text("to", "")
    if name == DIRECT or name not in known:
        raise table.error("to", unknown("path", name, [one for one in known if one != DIRECT]))
    other = known[name]
    if other.spec is None:
        raise table.error("to", f"{name!r} is no emulated path.")
    if beside := _first("rebind", "cross", among=profile):
        raise reader.error(beside, f"a path with a handover can't have '{beside}'.")
    if beside := _first("rebind", "cross", "handover", among=other):
        raise table.error("to", f"{name!r} has '{beside}', which a handover's destination can't have.")
    if other.spec.ip != profile.spec.ip:
        raise table.error(
            "to",
            f"{name!r} has family = {other.spec.ip}, this path {profile.spec.ip}; a handover keeps it.",
        )
    spec = HandoverSpec(at_ns=table.take("at", units.time_ns), path=other.spec)
    return profile.model_copy(
        update={
            "spec": profile.spec.model_copy(update={"handover": spec}),
            "other": other,
            "texts": {**other.texts, **profile.texts},
            "files": profile.files | {f"handover.path.{key}": file for key, file in other.files.items()},
        }
    )


def _first(*keys: str, among: PathProfile) -> str | None:
    return next((key for key in keys if key in among.definition), None)
