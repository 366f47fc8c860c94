"""Secrets in what is posted: forms (URL-encoded and multipart) and JSON."""

import re
from collections.abc import Callable
from urllib.parse import unquote_plus

from pronghorn.redaction import names
from pronghorn.redaction.ledger import JWT, Ledger

KIND = "form"

_FORM = re.compile(r"(?:(?<=^)|(?<=&))(?P<name>[^=&\s]{1,256})=(?P<value>[^&\r\n]+)")
_PART = re.compile(r"content-disposition:[^\r\n]{0,500}", re.IGNORECASE)
_PART_NAME = re.compile(r"\bname=\"?([^\";]{1,256})")
_HEAD_END = re.compile(r"\r?\n\r?\n")
_LINE_END = re.compile(r"[\r\n]")
_MOST_HEAD = 2000
_JSON = re.compile(
    r"(?P<head>\"(?P<name>[^\"\\]{1,256})\"\s*:\s*)(?P<value>\"(?:[^\"\\]|\\.){0,4096}+\"|-?\d[\d.eE+-]*)",
    re.DOTALL,
)


def find(body: str, ledger: Ledger) -> None:
    """Enters the secrets of a request's body that are secrets everywhere."""

    def enter(name: str, value: str) -> str:
        if names.everywhere(name, unquote_plus(value)):
            ledger.everywhere(value, KIND)
        return value

    _each(body, enter)
    for token in JWT.findall(body):
        ledger.everywhere(token, "token")


def redacted(body: str, ledger: Ledger) -> str:
    """The body with stand-ins for the secret fields' values."""
    return _each(body, lambda _, value: ledger.stand_in(value, KIND))


def _each(body: str, change: Callable[[str, str], str]) -> str:
    def form(found: re.Match[str]) -> str:
        name = unquote_plus(found["name"])
        return f"{found['name']}={change(name, found['value'])}" if names.secret(name) else found[0]

    def table(found: re.Match[str]) -> str:
        name, value = found["name"], found["value"]
        if not names.secret(name) or value == '""':
            return found[0]
        if value.startswith('"'):
            return f'{found["head"]}"{change(name, value[1:-1])}"'
        return found["head"] + change(name, value)

    stripped = body.lstrip()
    if stripped.startswith(("{", "[")):
        return _JSON.sub(table, body)
    if "content-disposition:" in body[:4096].lower():
        return _multipart(body, change)
    return _FORM.sub(form, body)


def _multipart(body: str, change: Callable[[str, str], str]) -> str:
    """Parts' values, each from the blank line after its head to its line's end (RFC 7578)."""
    kept, at = [], 0
    for found in _PART.finditer(body):
        name = _PART_NAME.search(found[0])
        end = _HEAD_END.search(body, found.end(), found.end() + _MOST_HEAD)
        if name is None or end is None or end.end() < at or not names.secret(name[1]):
            continue
        line = _LINE_END.search(body, end.end())
        stop = line.start() if line else len(body)
        kept += [body[at : end.end()], change(name[1], body[end.end() : stop])]
        at = stop
    return "".join([*kept, body[at:]])
