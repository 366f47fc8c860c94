"""Secrets in URLs: in parameters by their names, and tokens in paths."""

from urllib.parse import unquote_plus

from pronghorn.redaction import names, pairs
from pronghorn.redaction.ledger import JWT, Ledger

KIND = "url"
"""What the ledger counts them as."""


def find(url: str, ledger: Ledger) -> None:
    """Enters the secrets of a URL that are secrets everywhere."""

    def enter(name: str, value: str) -> str:
        plain = unquote_plus(value)
        if names.everywhere(name, plain):
            ledger.everywhere(value, KIND)
        return value

    pairs.in_url(url, enter)
    for token in JWT.findall(url):
        ledger.everywhere(token, "token")


def redacted(url: str, ledger: Ledger) -> str:
    """A URL with stand-ins for its secrets, and without a user."""
    url = pairs.USER.sub(lambda found: found["scheme"], url)
    return pairs.in_url(url, lambda _, value: ledger.stand_in(value, KIND))
