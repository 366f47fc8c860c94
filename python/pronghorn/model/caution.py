"""What a warning is."""

from typing import NamedTuple


class Caution(NamedTuple):
    """One warning: a word for programs, a text and a remedy for people."""

    code: str
    text: str
    remedy: str
