"""The files that an experiment names and a run keeps: traces, schedules, tables of delays, configurations."""

import hashlib
from pathlib import Path, PurePosixPath

from pronghorn import reading
from pronghorn.model.source import Keys

FOLDER = "traces"
"""The folder of a run's directory for those of paths."""

MOST_BYTES = 16 * 2**20
"""The largest file that the engine takes."""


class Texts:
    """What was read so far, by the name under which a run keeps it, in `folder` and with a digest of the
    content; `files` tells what was read from where, by the key that named it, and `kept` that name by the
    same."""

    def __init__(self, folder: str = FOLDER) -> None:
        self._folder = folder
        self.by_name: dict[str, str] = {}
        self.files: dict[Keys, str] = {}
        self.kept: dict[Keys, str] = {}

    def read(self, name: str, folder: Path, kind: str, keys: Keys) -> str:
        """The text of `name`, relative to `folder`, named by `keys`; ValueError with a sentence where it
        can't be had."""
        file = folder / name
        try:
            text = reading.text(file, MOST_BYTES, kind, encoding="utf-8-sig")
        except reading.Unreadable as error:
            raise ValueError(f"{file}: {error}; this names {kind}") from None
        kept = f"{self._folder}/{_kept_name(name, text.encode())}"
        self.by_name[kept] = text
        self.files[keys] = str(file)
        self.kept[keys] = kept
        return text


def _kept_name(name: str, content: bytes) -> str:
    """`STEM-DIGEST.SUFFIX`, the same however often a file is kept."""
    digest = hashlib.sha256(content).hexdigest()[:16]
    plain = PurePosixPath(name)
    stem = plain.stem.removesuffix(f"-{digest}")
    return f"{stem}-{digest}{plain.suffix}"
