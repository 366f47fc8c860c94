"""Secrets in URLs: in parameters by their names, and tokens in paths."""

import re
from collections.abc import Callable
from urllib.parse import unquote_plus

from pronghorn.redaction import names
from pronghorn.redaction.ledger import JWT, Ledger

KIND = "url"
"""What the ledger counts them as."""

_PARAMETER = re.compile(r"(?<=[?&;])(?P<name>[^=&;?#\s]{1,256})=(?P<value>[^&;#\s]+)")
_OF_PATH = re.compile(r"(?<=;)(?P<name>[^=&;?#/\s]{1,256})=(?P<value>[^&;#?/\s]+)")
_FRAGMENT = re.compile(r"(?<=[#&])(?P<name>[^=&;?#\s]{1,256})=(?P<value>[^&;#\s]+)")
_USER = re.compile(r"^(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)(?P<user>[^/?#@\s]+)@")


def find(url: str, ledger: Ledger) -> None:
    """Enters the secrets of a URL that are secrets everywhere."""

    def enter(name: str, value: str) -> str:
        plain = unquote_plus(value)
        if names.everywhere(name, plain):
            ledger.everywhere(value, KIND)
        return value

    _each(url, enter)
    for token in JWT.findall(url):
        ledger.everywhere(token, "token")
    if user := _USER.match(url):
        for part in user["user"].split(":"):
            if len(part) >= names.SHORTEST_PASSWORD:
                ledger.everywhere(part, KIND)


def redacted(url: str, ledger: Ledger) -> str:
    """A URL with stand-ins for its secrets, and without a user."""
    url = _USER.sub(lambda found: found["scheme"], url)
    return _each(url, lambda _, value: ledger.stand_in(value, KIND))


def _each(url: str, change: Callable[[str, str], str]) -> str:
    """The URL with each secret parameter's value changed."""

    def changed(found: re.Match[str]) -> str:
        name, value = found["name"], found["value"]
        if not names.secret(unquote_plus(name)):
            return found[0]
        return f"{name}={change(unquote_plus(name), value)}"

    bare, hash_mark, fragment = url.partition("#")
    path, mark, query = bare.partition("?")
    path = _OF_PATH.sub(changed, path)
    query = _PARAMETER.sub(changed, mark + query)
    return path + query + _FRAGMENT.sub(changed, hash_mark + fragment)
