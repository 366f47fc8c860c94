"""What two QUIC stacks say of HTTP/3, in sentences."""

from pronghorn.analysis.numbers import count, interval, ratio
from pronghorn.model.arm import STACK_PROGRAMS
from pronghorn.model.quic_stacks import OnStack, StackPair


def of_pair(found: StackPair) -> str:
    """A pair's sentences, the cell's name first."""
    one, other, baseline = found.one, found.other, found.baseline
    between = f"{one.arm} {_against(found)}"
    if found.is_the_stacks:
        said = (
            f"{_verdict(one, baseline)}, {_verdict(other, baseline)}. The two differ in their QUIC stack "
            f"with its defaults, so this is the stack's doing and not HTTP/3's: {between}"
        )
    elif "undecided" in (one.verdict, other.verdict):
        said = f"whether both QUIC stacks agree about {baseline} is undecided: {between}{_how_much(found)}"
    elif one.verdict == other.verdict:
        said = (
            f"both QUIC stacks agree: {one.arm} and {other.arm} are {_than(one.verdict, baseline)}; {between}"
            f"{_how_much(found)}"
        )
    else:
        said = (
            f"{_verdict(one, baseline)}, {_verdict(other, baseline)}, but the two lie on both sides of the "
            f"margin and are not shown to differ themselves: {between}"
        )
    return f"{found.title}: {said}"


def _how_much(found: StackPair) -> str:
    return ", so how much is the stack's doing" if found.verdict in ("faster", "slower") else ""


def _verdict(found: OnStack, baseline: str) -> str:
    return f"{found.arm} ({STACK_PROGRAMS[found.stack]}) is {_than(found.verdict, baseline)}"


def _than(verdict: str, baseline: str) -> str:
    return f"the same as {baseline}" if verdict == "same" else f"{verdict} than {baseline}"


def _against(found: StackPair) -> str:
    """How the first arm compares with the second."""
    other = found.other.arm
    what = {
        "same": f"is the same as {other}",
        "undecided": f"against {other} is undecided",
    }.get(found.verdict, f"is {found.verdict} than {other}")
    if found.ratio is None:
        return f"{what} ({count(found.blocks, 'block')})"
    around = "" if found.ci95 == (None, None) else f", 95 % interval {interval(*found.ci95)}"
    return f"{what} (ratio {ratio(found.ratio, *found.ci95)}{around}; {count(found.blocks, 'block')})"
