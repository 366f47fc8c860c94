"""Maps as a policy takes them: which TCP they are of, what was measured at their points, and how noisily."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from pronghorn import reading
from pronghorn.errors import InputError
from pronghorn.mapping import batches
from pronghorn.mapping.domain import Domain, Point
from pronghorn.mapping.observed import Observation, usable
from pronghorn.mapping.terms import Terms
from pronghorn.model import arm as arms
from pronghorn.model import bounds, foreign
from pronghorn.model.arm import TCP_CONGESTION_CONTROLS
from pronghorn.model.bounds import Lasting, Text
from pronghorn.policy import responses
from pronghorn.policy.squares import Squares, about_their_mean
from pronghorn.runs import directory as files
from pronghorn.runs import left_out

DATA = "map.json"
FORMAT = 1

_MOST_ENTRIES = 10**6
_MOST_LOG = 100.0
"""Of a ln ratio of load times: no two of them are further apart."""


Loads = tuple[tuple[float | None, float | None], ...]
"""A point's blocks: load times over h2 and h3 in seconds, None where the load failed."""


class SeenMap(NamedTuple):
    """A map that compares h3 with h2. `control` is the TCP's congestion control, `h3` the other arm's name,
    `h3_control` what the batches' manifests say controls it (none where they say nothing), `margin` a share,
    `trials` those that count; `observations` are its points', and so are `loads`; `responses` says how much a
    page's responses scatter."""

    folder: Path
    site: str
    origin: str
    client: str
    control: str
    h3: str
    h3_control: tuple[str, ...]
    domain: Domain
    margin: float
    seed: int
    trials: int
    observations: tuple[Observation, ...]
    loads: tuple[Loads, ...]
    responses: Squares

    @property
    def scatter(self) -> Squares:
        """How load times of one arm at one point vary between blocks, of all points: of their logarithms
        about each mean."""
        found = Squares(0.0, 0)
        for blocks in self.loads:
            for arm in (0, 1):
                found += of_blocks(blocks, arm)
        return found

    def only(self, points: Sequence[int]) -> "SeenMap":
        """With some of its points only."""
        loads = tuple(self.loads[place] for place in points)
        return self._replace(
            observations=tuple(self.observations[place] for place in points),
            loads=loads,
            trials=2 * sum(len(blocks) for blocks in loads),
        )


def of_blocks(blocks: Loads, arm: int) -> Squares:
    """Of the logarithms of an arm's load times (0: h2, 1: h3) at one point."""
    return about_their_mean([math.log(load_s) for block in blocks if (load_s := block[arm])])


def read(folder: Path) -> SeenMap:
    """The map in `folder`; InputError where there is none, where it compares something else than h3 with h2,
    or where nothing says which congestion control its TCP ran."""
    file = folder / DATA if folder.is_dir() else folder
    try:
        content = reading.content(file, reading.MOST_JSON, "a map")
        document = foreign.json_table(content, most_items=_MOST_ENTRIES)
    except reading.Missing:
        raise InputError(
            f"{folder}: holds no finished map: {DATA} is missing.",
            hint="Make one with 'pronghorn map', or finish one with 'pronghorn map --resume DIR'.",
        ) from None
    except (reading.Unreadable, foreign.Malformed) as error:
        raise InputError(f"{file}: can't be read: {error}.") from None
    if document.get("format") != FORMAT:
        raise InputError(f"{file}: this is not a map of format {FORMAT}.")
    try:
        return _seen(file, document)
    except ValidationError as error:
        raise InputError(f"{file}: this map is incomplete: {bounds.wrong(error)}.") from None
    except (KeyError, TypeError, ValueError, IndexError) as fault:
        raise InputError(f"{file}: this map is incomplete: {type(fault).__name__} {fault}.") from None


def _seen(file: Path, document: dict[str, Any]) -> SeenMap:
    terms = Terms.model_validate({name: document[name] for name in Terms.model_fields if name in document})
    baseline, arm = arms.parse(document["baseline"]), arms.parse(document["arm"])
    if baseline.protocol != "h2" or arm.protocol != "h3":
        raise InputError(
            f"{file}: compares {arm.name} with {baseline.name}; a policy is fitted from h3 against h2.",
            hint="Make one with: pronghorn map --arms h2@cubic,h3",
        )
    points = _POINTS.validate_python(document["points"])
    observations = tuple(_observation(one) for one in points)
    if len(usable(observations)) < 2:
        raise InputError(f"{file}: fewer than two of its points have a block that counts.")
    return SeenMap(
        folder=file.parent,
        site=terms.site,
        origin=terms.origin,
        client=terms.client,
        control=baseline.control_asked or _read_back(file, baseline.name, terms.origin),
        h3=arm.name,
        h3_control=tuple(sorted(_manifests(file, arm.name, terms.origin, "congestion_control"))),
        domain=terms.domain,
        margin=float(document["margin_share"]),
        seed=terms.seed,
        trials=int(document["trials"]),
        observations=observations,
        loads=tuple(_loads(one, document["baseline"], document["arm"]) for one in points),
        responses=responses.of_map(file.parent),
    )


class _Block(BaseModel):
    log_ratio: Annotated[float, Field(ge=-_MOST_LOG, le=_MOST_LOG, allow_inf_nan=False)] | None
    load_s: dict[Text, Lasting | None]


class _Point(BaseModel):
    rtt_s: Lasting
    loss: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
    rate_bit_per_s: Annotated[float, Field(gt=0, le=bounds.MOST_NUMBER, allow_inf_nan=False)]
    blocks: list[_Block]


_POINTS = TypeAdapter(list[_Point])


def _observation(point: _Point) -> Observation:
    ratios = [block.log_ratio for block in point.blocks]
    return Observation(
        Point(point.rtt_s, point.loss, point.rate_bit_per_s),
        tuple(one for one in ratios if one is not None),
        ratios.count(None),
    )


def _loads(point: _Point, h2: str, h3: str) -> Loads:
    return tuple((block.load_s[h2], block.load_s[h3]) for block in point.blocks)


def _manifests(file: Path, arm: str, origin: str, key: str) -> set[str]:
    """What the batches' manifests have under a key of an arm's origin."""
    seen: set[str] = set()
    for manifest in sorted((file.parent / batches.FOLDER).glob(f"*/{files.MANIFEST}")):
        found = files.read_manifest(manifest.parent)
        left_out.say(found.warnings)
        noted = found.notes.get("arms", {}).get(arm, {}).get("origins", {}).get(origin, {})
        told = noted.get(key, ())
        seen |= {told} if isinstance(told, str) else {str(one) for one in told}
    return seen


def _read_back(file: Path, arm: str, origin: str) -> str:
    """The congestion control which the batches' manifests say the origin's TCP ran."""
    seen = _manifests(file, arm, origin, "origin_congestion_control")
    if len(seen) == 1 and (control := seen.pop()) in TCP_CONGESTION_CONTROLS:
        return control
    told = f"name {', '.join(sorted(seen))}" if seen else "name none"
    raise InputError(
        f"{file}: its arm {arm} doesn't name TCP's congestion control, and its batches' manifests {told}.",
        hint="Map arms that name it, such as --arms h2@cubic,h3.",
    )
