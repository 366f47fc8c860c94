"""What of a run's records could not be used, said where a person sees it."""

import sys
from collections.abc import Iterable


def say(warnings: Iterable[str]) -> None:
    """Prints each of the warnings that a reader of a journal or a manifest gave."""
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)
