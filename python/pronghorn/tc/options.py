"""The words of one queueing discipline, walked through as tc does: keywords, and what follows them."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from pronghorn.errors import InputError, unknown
from pronghorn.tc import quantities

T = TypeVar("T")

PAGE = "docs/how-to/tc-netem.md"
OPTION = "--from-tc"


class Options:
    """What is left of the `words` of the discipline `kind`. Every error names both."""

    def __init__(self, kind: str, words: Sequence[str]) -> None:
        self.kind = kind
        self._words = list(words)

    def __bool__(self) -> bool:
        return bool(self._words)

    def error(self, wrong: str, hint: str | None = None) -> InputError:
        """The error for what is `wrong` in this discipline."""
        return InputError(f"{OPTION}: {self.kind}: {wrong}.", hint=hint)

    def missing(self, words: str, stage: str, hint: str | None = None) -> InputError:
        """The error for what a path can't do: the `stage` that it lacks."""
        return InputError(
            f"{OPTION}: {self.kind}: '{words}': a path has no stage that {stage}.",
            hint=hint or f"Leave it out. {PAGE} has what a path can do.",
        )

    def keyword(self, known: Sequence[str], *, exact: Sequence[str] = ()) -> str:
        """The next word as one of the `known` keywords, which tc lets people shorten; the first that fits
        counts. The `exact` are not shortened."""
        word = self._words.pop(0)
        if word in exact:
            return word
        for each in known:
            if word and each.startswith(word):
                return each
        raise self.error(unknown("option", word, (*known, *exact)).rstrip("."))

    def take(self, keyword: str, read: Callable[[str], T]) -> T:
        """The value that a keyword needs."""
        if not self._words:
            raise self.error(f"'{keyword}' lacks its value")
        return self._read(keyword, read)

    def number(self, keyword: str, read: Callable[[str], T], *, signed: bool = False) -> T | None:
        """The value that may follow: None where the next word is no number."""
        following = self._words[0] if self._words else ""
        if not (following[:1].isdecimal() or (signed and following[:1] == "-")):
            return None
        return self._read(keyword, read)

    def word(self, keyword: str) -> str:
        """The next word, whatever it is."""
        return self.take(keyword, str)

    def is_next(self, *words: str) -> bool:
        """Whether the next word is one of these; it is taken if so."""
        if self._words and self._words[0] in words:
            self._words.pop(0)
            return True
        return False

    def _read(self, keyword: str, read: Callable[[str], T]) -> T:
        try:
            return read(self._words.pop(0))
        except quantities.Wrong as wrong:
            raise self.error(f"'{keyword}': {wrong}") from None
