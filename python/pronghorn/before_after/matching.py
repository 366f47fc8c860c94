"""Which names of two runs mean the same: a server and an arm are told from what they were before by a label
or a version.

Equal names match. Of the others an origin matches where all but the configuration behind its colon, its
version or a URL's path is the same, and an arm where all but its label is; and only where either run has one
such name, so that nobody has to guess.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from pronghorn.before_after.recorded import RecordedRun
from pronghorn.model import arm as arms

_VERSION = re.compile(r"[-_.@]v?\d[\w.]*$")


class Matched(NamedTuple):
    """An earlier run under the later one's names, and which of its names are others there, in sentences."""

    before: RecordedRun
    said: list[str]


def matched(before: RecordedRun, after: RecordedRun) -> Matched:
    """The earlier of two runs under the names that the later one has."""
    origins = _renamed(before.experiment.origins, after.experiment.origins, without_version)
    labels = _renamed(before.arms, after.arms, without_label)
    said = [
        f"Compared as the same {what}: {old} before, {new} after."
        for what, names in (("origin", origins), ("arm", labels))
        for old, new in names.items()
    ]
    return Matched(before._replace(origin_names=origins, arm_names=labels), said)


def without_version(origin: str) -> str:
    """An origin's name as far as versions and configurations share it: `nginx` of `nginx:new.conf`, `shop` of
    `shop-1.2`, `https://example.org` of `https://example.org/v2/`."""
    if "://" in origin:
        parts = urlsplit(origin)
        return f"{parts.scheme}://{parts.netloc}"
    return _VERSION.sub("", origin.partition(":")[0])


def without_label(arm: str) -> str:
    """An arm's name without its label: `h3@bbr` of `h3@bbr#new`."""
    label = arms.parse(arm).label
    return arm if label is None else arm.removesuffix(f"#{label}")


def _renamed(before: Sequence[str], after: Sequence[str], base: Callable[[str], str]) -> Mapping[str, str]:
    """The later name of each earlier one that is another name of the same."""
    found: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for place, names, others in ((0, before, after), (1, after, before)):
        for name in names:
            if name not in others:
                found[base(name)][place].append(name)
    return {old[0]: new[0] for old, new in found.values() if len(old) == len(new) == 1}
