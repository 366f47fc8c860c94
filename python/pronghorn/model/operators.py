"""What the two sides of a `--check` are compared by."""

import operator
from collections.abc import Callable, Mapping

OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}
"""The longer ones first, so that a search finds them first."""
