"""`pronghorn path` with the `--` that somebody forgot."""

import shlex
from collections.abc import Sequence


def put(words: Sequence[str]) -> str:
    """What was probably meant: the path ends before the first word that neither names nor changes one."""
    end = 1
    while end < len(words) and "=" in words[end] and not words[end].startswith("-"):
        end += 1
    path, command = words[:end] or ["lte"], words[end:] or ["curl", "URL"]
    return shlex.join(["pronghorn", "path", *path, "--", *command])
