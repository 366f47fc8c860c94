"""Secrets in pages, scripts and data: values beside names that say what they are.

Only what looks drawn at random counts, since texts also hold such names for other reasons."""

import re
from collections.abc import Sequence

from pronghorn.redaction import names, strings
from pronghorn.redaction.ledger import Ledger

_NAME = (
    r"[a-z0-9_.\-]{0,40}(?:token|secret|passw|pwd|sess|sid|auth|key|jwt|csrf|xsrf|sig|credential|code|state)"
    r"[a-z0-9_.\-]{0,40}"
)
_VALUE = r"[A-Za-z0-9%._~+/=\-]{12,}"
_ASSIGNED_NAME = (
    r"[a-z0-9_]*(?:token|secret|passw|pwd|sess|sid|auth|key|jwt|csrf|xsrf|sig|credential)[a-z0-9_]*"
)
_ASSIGNED_VALUE = r"[A-Za-z0-9%_+=\-][A-Za-z0-9%._~+/=\-]{11,}"
"""No path, as scripts hold many beside such names."""

_PATTERNS = (
    rf"(?i-u)[?&;]{_NAME}={_VALUE}",
    rf"(?i-u)\\?[\"']{_NAME}\\?[\"']\s{{0,8}}:\s{{0,8}}\\?[\"']{_VALUE}\\?[\"']",
    rf"(?i-u)\b{_ASSIGNED_NAME}\s{{0,8}}[:=]\s{{0,8}}\\?[\"']{_ASSIGNED_VALUE}\\?[\"']",
    r"(?i)<(?:input|meta)\s[^<>]*>",
    r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?",
)
_PAIR = re.compile(
    rf"[?&;\"']\\?(?P<name>[a-z0-9_.\-]+)\\?[\"']?\s*[:=]\s*\\?[\"']?(?P<value>{_VALUE})", re.IGNORECASE
)
_ASSIGNED = re.compile(rf"(?P<name>[a-z0-9_]++)\s*+[:=]\s*+\\?[\"'](?P<value>{_VALUE})", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"(?<![a-z:-])([a-z:-]++)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE
)


def find(texts: Sequence[str], ledger: Ledger) -> None:
    """Enters the secrets of texts, to be replaced everywhere. Many at once take far less time than each by
    itself."""
    series = strings.series(texts)
    pairs, quoted, assigned, elements, tokens = (
        series.str.extract_all(one).explode(keep_nulls=False, empty_as_null=False).to_list()
        for one in _PATTERNS
    )
    for found in [*pairs, *quoted]:
        pair = _PAIR.match(found)
        if pair and names.secret(pair["name"]) and names.random_looking(pair["value"]):
            ledger.everywhere(pair["value"], "text")
    for found in assigned:
        pair = _ASSIGNED.match(found)
        if pair and names.strong(pair["name"]) and names.random_looking(pair["value"]):
            ledger.everywhere(pair["value"], "text")
    for element in elements:
        _element(element, ledger)
    for token in tokens:
        ledger.everywhere(token, "token")


def _element(element: str, ledger: Ledger) -> None:
    """A field that a page hides, or its metadata."""
    attributes: dict[str, str] = {}
    for found in _ATTRIBUTE.finditer(element):
        attributes.setdefault(found[1].lower(), found[2] or found[3] or found[4] or "")
    name, value = attributes.get("name", ""), attributes.get("value") or attributes.get("content", "")
    if value and names.secret(name) and names.random_looking(value):
        ledger.everywhere(value, "text")
