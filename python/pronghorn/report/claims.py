"""What a claim wants of a ratio, in words."""

from pronghorn.analysis.numbers import count, listed
from pronghorn.model.summary import Part


def bounds(part: Part) -> str:
    """`at least 1.5`, `at most 1.1`, `0.8 to 1.25`."""
    if part.least is None:
        return f"at most {part.most:g}"
    return f"at least {part.least:g}" if part.most is None else f"{part.least:g} to {part.most:g}"


def failed_loads(part: Part) -> str:
    """`failed: 7 loads of h1 on loss and 1 load of h3 on loss`; empty where none did."""
    told = [f"{count(number, 'load')} of {where}" for where, number in part.failed.items()]
    return f"failed: {listed(told)}" if told else ""
