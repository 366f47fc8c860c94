"""How a link loses packets: one function a model."""

from collections.abc import Callable

from pronghorn.model import units
from pronghorn.model.path.reader import Reader
from pronghorn.model.path.spec import (
    FourStateLoss,
    GilbertElliottLoss,
    IndependentLoss,
    LossSpec,
    PacketLoss,
)

MOST_NUMBERS = 10**6
"""The most packets that a list may name."""


def loss(reader: Reader, *, varies: bool) -> LossSpec | None:
    """Loss by the model that `model` names; without one a list of `packets`, or independent loss. None where
    nothing is lost, unless a schedule `varies` it."""
    default = "packets" if "packets" in reader else "independent"
    found = _MODELS[reader.choice("model", tuple(_MODELS), default, "loss model")](reader)
    never = isinstance(found, IndependentLoss) and not found.probability
    return None if never and not varies else found


def _independent(reader: Reader) -> LossSpec:
    reader.allow("model", "probability", "correlation", "longest_burst")
    reader.require("probability", 'such as "1%"')
    probability = reader.take("probability", units.share)
    correlation = reader.read("correlation", units.share, 0.0) or None
    burst = reader.whole("longest_burst", 1, least=1, most=10**9) if "longest_burst" in reader else None
    return IndependentLoss(probability=probability, correlation=correlation, longest_burst=burst)


def _gilbert_elliott(reader: Reader) -> LossSpec:
    reader.allow("model", "enter", "leave", "bad", "good")
    for key in ("enter", "leave"):
        reader.require(key, f'the chance per packet to {key} the bad state, such as "1%"')
    return GilbertElliottLoss(
        enter=reader.take("enter", units.share),
        leave=reader.take("leave", units.share),
        loss_bad=reader.read("bad", units.share, 1.0),
        loss_good=reader.read("good", units.share, 0.0),
    )


def _four_state(reader: Reader) -> LossSpec:
    """The defaults are netem's: no isolated losses, and bursts without a packet received."""
    reader.allow("model", "p13", "p31", "p32", "p23", "p14")
    reader.require("p13", 'the chance per packet that a burst of losses begins, such as "1%"')
    p13 = reader.take("p13", units.share)
    p32 = reader.read("p32", units.share, 0.0)
    p31 = reader.read("p31", units.share, 1 - p13)
    p14 = reader.read("p14", units.share, 0.0)
    for one, two, total in (("p13", "p14", p13 + p14), ("p31", "p32", p31 + p32)):
        if total > 1 + 1e-12:
            raise reader.error(
                two if two in reader else one,
                f"{one} and {two} are {total:.4%} together; they leave the same state, "
                "so at most 100% are allowed.",
            )
    return FourStateLoss(p13=p13, p31=p31, p32=p32, p23=reader.read("p23", units.share, 1.0), p14=p14)


def _packets(reader: Reader) -> LossSpec:
    reader.allow("model", "packets")
    reader.require("packets", "a list such as [1, 2, 5]")
    numbers = reader.table["packets"]
    numbers = numbers if isinstance(numbers, list) else [numbers]
    before = 0
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int) or not before < number < 2**63:
            raise reader.error(
                "packets",
                f"{number!r} after {before}: whole numbers, ascending; the link's first packet is 1.",
            )
        before = number
    if not 1 <= len(numbers) <= MOST_NUMBERS:
        raise reader.error("packets", f"{len(numbers)} packets are listed; allowed are 1 to {MOST_NUMBERS}.")
    return PacketLoss(numbers=tuple(numbers))


_MODELS: dict[str, Callable[[Reader], LossSpec]] = {
    "independent": _independent,
    "gilbert-elliott": _gilbert_elliott,
    "four-state": _four_state,
    "packets": _packets,
}
