"""The secrets that were found, each with its stand-in, and texts with the stand-ins put in.

A stand-in has the secret's length. Letters become other letters of their case, digits other digits, and all
else stays, so that it is spelt as the secret was: percent-encoded, escaped for HTML or JSON. It follows from
the order in which secrets are found, and says nothing of them."""

import hashlib
import html
import json
import re
from collections import Counter
from collections.abc import Sequence
from urllib.parse import quote, quote_plus, unquote_plus

from pronghorn.redaction import strings

_LOWER, _UPPER, _DIGITS = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
_TRIES = 100
_TOKENS = re.compile(r"%[0-9A-Fa-f]{2}|.", re.DOTALL)

JWT = re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+)?")
"""What looks like a JSON Web Token (RFC 7519): its header's JSON begins with `{"`, in base64url."""


class Ledger:
    """All secrets of one archive. `counts` says by kind how many different ones were found."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._stand_ins: dict[str, str] = {}
        self._spellings: dict[str, str] = {}

    def stand_in(self, value: str, kind: str) -> str:
        """What stands in for a secret of this kind, in its place: the same each time."""
        known = self._stand_ins.get(value)
        if known is None:
            self.counts[kind] += 1
            known = self._stand_ins[value] = _other(value, len(self._stand_ins))
        return known

    def everywhere(self, value: str, kind: str) -> None:
        """From now on `texts` replaces a secret wherever it occurs, in each of its spellings. `value` may be
        percent-encoded."""
        plain = unquote_plus(value)
        stand_in = self.stand_in(plain, kind)
        if plain != value:
            self._stand_ins.setdefault(value, _spelt_alike(value, stand_in))
        for secret, other in {plain: stand_in, value: self._stand_ins[value]}.items():
            for spell in (str, quote_plus, _quoted, html.escape, _in_json, _in_script):
                self._spellings.setdefault(spell(secret), spell(other))

    def texts(self, texts: Sequence[str]) -> list[str]:
        """The texts with a stand-in for each secret that is one everywhere."""
        found = list(texts)
        if not self._spellings or not found:
            return found
        series = strings.series(found)
        longest_first = sorted(self._spellings, key=len, reverse=True)
        others = [self._spellings[one] for one in longest_first]
        hit = series.str.contains_any(longest_first).arg_true()
        if len(hit):
            replaced = series[hit].str.replace_many(longest_first, others, leftmost=True)
            for at, text in zip(hit, replaced, strict=True):
                found[at] = text
        return found


def _other(secret: str, number: int) -> str:
    """Another text of the same length and of the same kinds of characters."""
    # What is percent-encoded stays, so that a URL stays one.
    tokens = _TOKENS.findall(secret)
    for attempt in range(_TRIES):
        drawn = hashlib.shake_128(f"pronghorn-redaction {number} {attempt}".encode()).digest(len(tokens))
        other = "".join(map(_letter, tokens, drawn))
        if other != secret or not any(map(str.isalnum, secret)):
            break
    return other


def _letter(token: str, drawn: int) -> str:
    if len(token) == 3 or not token.isalnum():
        return token
    letters = _LOWER if token.islower() else _UPPER if token.isupper() else _DIGITS
    return letters[drawn % len(letters)] if token.isascii() else "x"


def _spelt_alike(raw: str, stand_in: str) -> str:
    """`stand_in` percent-encoded where `raw`, the secret as a URL spells it, is."""
    tokens = _TOKENS.findall(raw)
    if len(tokens) != len(stand_in):
        return quote_plus(stand_in)
    return "".join(
        token if len(token) == 3 and not letter.isalnum() else token if token == "+" else letter
        for token, letter in zip(tokens, stand_in, strict=True)
    )


def _quoted(text: str) -> str:
    return quote(text, safe="")


def _in_json(text: str) -> str:
    return json.dumps(text)[1:-1]


def _in_script(text: str) -> str:
    """As JSON is written into pages, with slashes escaped."""
    return _in_json(text).replace("/", "\\/")
