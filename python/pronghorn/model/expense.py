"""What a client costs beyond the engine."""

from typing import NamedTuple


class Expense(NamedTuple):
    """Its start in seconds and in seconds of CPU time, a load in
    seconds of CPU time, and how many cores it keeps busy while it only waits for the path."""

    start_s: float = 0.0
    start_cpu_s: float = 0.0
    load_cpu_s: float = 0.0
    waiting_cores: float = 0.0


NOTHING = Expense()
"""That of a client within the engine."""
