"""What kernels and clocks do, in sentences."""

from pronghorn.analysis.numbers import count, difference, interval, ratio
from pronghorn.analysis.words import METRICS
from pronghorn.model.cell import GUEST, HOST
from pronghorn.model.kernels import ClockSplit, Difference, KernelChange


def name(kernel: str) -> str:
    """`real time`, `virtual time`, `Linux 6.12`."""
    return {HOST: "real time", GUEST: "virtual time"}.get(kernel, f"Linux {kernel}")


def of_change(found: KernelChange) -> str:
    """A change in one sentence."""
    mine, theirs = _in(found.kernel), _in(found.against)
    figures = f"median {METRICS[found.metric]}, {count(found.blocks, 'block')}{_failures(found)}"
    if found.ratio is not None:
        said = ratio(found.ratio, *found.ci95)
        around = "" if found.ci95 == (None, None) else f", 95 % interval {interval(*found.ci95)}"
        figures = f"ratio {said}{around}; {figures}"
    match found.verdict:
        case "same":
            what = f"{found.arm} is the same {mine} as {theirs}"
        case "undecided":
            because = f": {found.reason}" if found.reason else ""
            between = f"{name(found.kernel)} and {name(found.against)}"
            what = f"whether {found.arm} differs between {between} is undecided{because}"
        case verdict:
            what = f"{found.arm} is {verdict} {mine} than {theirs}"
    return f"{found.title}: {what} ({figures})"


def of_split(found: ClockSplit) -> str:
    """A difference between arms, taken apart, in one sentence or two."""
    arms = f"the difference between {found.arm} and {found.baseline}"
    if found.reason is not None:
        return f"{found.title}: {arms} can't be split into protocols and machine: {found.reason}"
    return (
        f"{found.title}: {arms} is {_said(found.real)} in real time. Protocols and network make "
        f"{_said(found.protocols)}, {_machine(found.machine)} (median load, {count(found.blocks, 'block')})"
    )


def _machine(found: Difference) -> str:
    low, high = found.ci95_s
    if low is not None and high is not None and low <= 0 <= high:
        return f"this machine adds nothing measurable: {_said(found)}"
    return f"this machine adds {_said(found)}"


def _in(kernel: str) -> str:
    return f"in {name(kernel)}" if kernel in (HOST, GUEST) else f"on {name(kernel)}"


def _failures(found: KernelChange) -> str:
    if not (found.failed or found.failed_against):
        return ""
    mine, theirs = name(found.kernel), name(found.against)
    return f"; failed: {found.failed} in {mine}, {found.failed_against} in {theirs}"


def _said(found: Difference) -> str:
    return difference(found.s, *found.ci95_s, is_time=True)
