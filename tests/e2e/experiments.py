"""Experiments that the end-to-end tests run."""

from collections.abc import Sequence
from pathlib import Path

NEAR = """
[path.near]
down = { rate = "100Mbit", delay = "10ms", queue = "256kB" }
up = { rate = "100Mbit", delay = "10ms", queue = "256kB" }
"""
"""A path on which three round trips against two decide, and a trial takes less than a tenth of a second."""


def write(
    folder: Path,
    *,
    arms: Sequence[str],
    repeat: int,
    paths: Sequence[str] = ("near",),
    sites: Sequence[str] = ("tiny",),
    clients: Sequence[str] = ("native",),
    seed: int = 1,
    name: str = "experiment.toml",
) -> Path:
    """Writes an experiment, which may use the path `near`, into `folder`."""
    lists = {"sites": sites, "paths": paths, "clients": clients, "arms": arms}
    text = "".join(f"{key} = {list(names)!r}\n" for key, names in lists.items())
    file = folder / name
    file.write_text(f"{text}repeat = {repeat}\nseed = {seed}\n{NEAR}", encoding="utf-8")
    return file
