"""Secrets in what is posted: forms (URL-encoded and multipart) and JSON."""

from urllib.parse import unquote_plus

from pronghorn.redaction import names, pairs
from pronghorn.redaction.ledger import JWT, Ledger

KIND = "form"


def find(body: str, ledger: Ledger) -> None:
    """Enters the secrets of a request's body that are secrets everywhere."""

    def enter(name: str, value: str) -> str:
        if names.everywhere(name, unquote_plus(value)):
            ledger.everywhere(value, KIND)
        return value

    pairs.in_posted(body, enter)
    for token in JWT.findall(body):
        ledger.everywhere(token, "token")


def redacted(body: str, ledger: Ledger) -> str:
    """The body with stand-ins for the secret fields' values."""
    return pairs.in_posted(body, lambda _, value: ledger.stand_in(value, KIND))
