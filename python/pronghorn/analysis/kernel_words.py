"""What kernels and clocks do, in sentences."""

from pronghorn.analysis.numbers import count, difference, interval, ratio
from pronghorn.analysis.words import METRICS
from pronghorn.model.cell import GUEST, HOST
from pronghorn.model.kernels import ClockSplit, Difference, KernelChange


def where(kernel: str) -> str:
    """`in real time`, `in virtual time`, `on Linux 6.12`."""
    return {HOST: "in real time", GUEST: "in virtual time"}.get(kernel, f"on Linux {kernel}")


def of_change(found: KernelChange) -> str:
    """A change in one sentence."""
    mine, theirs = where(found.kernel), where(found.against)
    figures = f"median {METRICS[found.metric]}, {count(found.blocks, 'block')}"
    if found.ratio is not None:
        said = ratio(found.ratio, *found.ci95)
        around = "" if found.ci95 == (None, None) else f", 95 % interval {interval(*found.ci95)}"
        figures = f"ratio {said}{around}; {figures}"
    match found.verdict:
        case "same":
            what = f"{found.arm} is the same {mine} as {theirs}"
        case "undecided":
            because = f": {found.reason}" if found.reason else ""
            what = f"whether {found.arm} differs {mine} from {theirs} is undecided{because}"
        case verdict:
            what = f"{found.arm} is {verdict} {mine} than {theirs}"
    return f"{found.title}: {what} ({figures})"


def of_split(found: ClockSplit) -> str:
    """A difference between arms, taken apart, in one sentence or two."""
    if found.reason is not None:
        return (
            f"{found.title}: the difference between {found.arm} and {found.baseline} can't be split into the "
            f"protocols' part and this machine's: {found.reason}"
        )
    return (
        f"{found.title}: in real time, the difference between {found.arm} and {found.baseline} is "
        f"{_said(found.real)}. {_said(found.protocols)} of it comes from the protocols, "
        f"{_said(found.machine)} from this machine (median load, {count(found.blocks, 'block')})"
    )


def _said(found: Difference) -> str:
    return difference(found.s, *found.ci95_s, is_time=True)
