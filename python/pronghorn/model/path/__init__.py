"""A path between the hosts: its definition in TOML and what the engine makes of it.

The stages and their semantics are those of netem (tc-netem(8)), with more of them; docs/paths.md lists them
all."""

from pronghorn.model.path.figures import LinkFigures, PathFigures
from pronghorn.model.path.handover import join
from pronghorn.model.path.profile import DIRECT, PathProfile, direct, parse
from pronghorn.model.path.spec import (
    IP_HEADER_BYTES,
    CrossSpec,
    FourStateLoss,
    GilbertElliottLoss,
    HandoverSpec,
    IndependentLoss,
    JitterSpec,
    LinkSpec,
    LossSpec,
    PacketLoss,
    PathSpec,
)
from pronghorn.model.path.words import from_words

__all__ = [
    "DIRECT",
    "IP_HEADER_BYTES",
    "CrossSpec",
    "FourStateLoss",
    "GilbertElliottLoss",
    "HandoverSpec",
    "IndependentLoss",
    "JitterSpec",
    "LinkFigures",
    "LinkSpec",
    "LossSpec",
    "PacketLoss",
    "PathFigures",
    "PathProfile",
    "PathSpec",
    "direct",
    "from_words",
    "join",
    "parse",
]
