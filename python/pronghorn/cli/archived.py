"""What a command prints of an archive that it has made."""

from collections.abc import Mapping

from pronghorn.analysis.numbers import count, size
from pronghorn.archiving import Told


def told(made: Told) -> None:
    """Prints what is in the archive, and what was left out, made up or replaced: results, on stdout."""
    site = made.site
    hosts = count(len(site.hosts), "host")
    print(f"{made.folder}: {count(made.requests, 'request')}, {hosts}, {size(made.total_bytes)} as sent")
    if site.made.bodies:
        guessed = f" ({site.made.sizes} of them of a guessed size)" if site.made.sizes else ""
        share = 100 * site.made.bytes / max(1, made.total_bytes)
        print(
            f"made up: {_bodies(site.made.bodies)} that the source lacks, "
            f"{size(site.made.bytes)}, {share:.0f} % of all bytes{guessed}"
        )
    if site.made.recoded:
        print(f"compressed again: {_bodies(site.made.recoded)}")
    _print_counts("left out", site.left_out)
    _print_counts("repaired", site.repaired)
    _print_counts("secrets replaced", site.redacted)


def _bodies(number: int) -> str:
    return "1 body" if number == 1 else f"{number} bodies"


def _print_counts(what: str, counts: Mapping[str, int]) -> None:
    if counts:
        print(f"{what}: " + ", ".join(f"{number} {word}" for word, number in counts.items()))
