"""Warnings of servers that are older than their plain names mean elsewhere."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pronghorn.model import origin_name
from pronghorn.model.caution import Caution
from pronghorn.model.experiment import Experiment
from pronghorn.model.origin_name import numbers
from pronghorn.origins import programs

_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)*")


def cautions(experiment: Experiment, origins: Mapping[str, Mapping[str, Any]]) -> Iterator[Caution]:
    """One for each origin without a version in its name that was an older one; `origins` as a manifest has
    them."""
    for name in experiment.origins:
        asked = origin_name.parts(name)
        wanted = programs.WANTED.get(asked.server)
        found = _VERSION.search(str(origins.get(name, {}).get("version", "")))
        if wanted is None or asked.version is not None or found is None:
            continue
        if numbers(found[0]) < numbers(wanted.newest):
            branch = ".".join(found[0].split(".")[:2])
            yield Caution(
                "older-server",
                f"'{name}' was version {found[0]}, because {programs.override(asked.server)} names it. "
                f"Elsewhere the name means {wanted.newest} or newer, which may give other verdicts.",
                f"Name the version: --set origins={asked.server}@{branch}",
            )
