"""Values beside names that hold secrets: in URLs, forms (URL-encoded and multipart) and JSON, and in such
texts that are values themselves."""

import json
import re
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import quote_plus, unquote_plus

from pronghorn.redaction import names

Change = Callable[[str, str], str]
"""Of a name and its value as it is spelt: another value."""

_DEEPEST = 2
"""Texts within values within a text."""

USER = re.compile(r"^(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*+://)(?P<user>[^/?#@\s]++)@")
"""A URL's beginning that has a user."""

_PARAMETER = re.compile(r"(?<=[?&;])(?P<name>[^=&;?#\s]{1,256})=(?P<value>[^&;#\s]+)")
_OF_PATH = re.compile(r"(?<=;)(?P<name>[^=&;?#/\s]{1,256})=(?P<value>[^&;#?/\s]+)")
_FRAGMENT = re.compile(r"(?<=[#?&])(?P<name>[^=&;?#\s]{1,256})=(?P<value>[^&;#\s]+)")
_OF_URL = re.compile(r"[/?#]")
_FORM = re.compile(r"(?:(?<=^)|(?<=&))(?P<name>[^=&\s]{1,256})=(?P<value>[^&\r\n]+)")
_PART = re.compile(r"content-disposition:[^\r\n]{0,500}", re.IGNORECASE)
_PART_NAME = re.compile(r"\bname=\"?([^\";]{1,256})")
_HEAD_END = re.compile(r"\r?\n\r?\n")
_LINE_END = re.compile(r"[\r\n]")
_MOST_HEAD = 2000
# A quote ends the string before the next name begins, so no text is gone through twice.
_JSON = re.compile(
    r"(?P<head>\"(?P<name>[^\"\\]{1,256})\"\s*+:\s*+)(?P<value>\"(?:[^\"\\]|\\.)*+\"|-?\d[\d.eE+-]*+)",
    re.DOTALL,
)


class _Spelling(NamedTuple):
    """How a text is written as a value: what stands for each of its characters, and how to read and write
    it."""

    tokens: re.Pattern[str]
    read: Callable[[str], str]
    write: Callable[[str], str]


def in_url(url: str, change: Change, deepest: int = _DEEPEST) -> str:
    """The URL with its user and each secret parameter's value changed."""

    def changed(found: re.Match[str]) -> str:
        return f"{found['name']}={_encoded(found, change, deepest)}"

    def other_user(found: re.Match[str]) -> str:
        parts = [change("password", part) if part else "" for part in found["user"].split(":")]
        return f"{found['scheme']}{':'.join(parts)}@"

    bare, hash_mark, fragment = USER.sub(other_user, url).partition("#")
    path, mark, query = bare.partition("?")
    path = _OF_PATH.sub(changed, path)
    query = _PARAMETER.sub(changed, mark + query)
    return path + query + _FRAGMENT.sub(changed, hash_mark + fragment)


def in_posted(body: str, change: Change, deepest: int = _DEEPEST) -> str:
    """What was posted with each secret field's value changed."""
    if body.lstrip().startswith(("{", "[")):
        return _JSON.sub(lambda found: found["head"] + _of_json(found, change, deepest), body)
    if "content-disposition:" in body[:4096].lower():
        return _multipart(body, change)
    return _FORM.sub(lambda found: f"{found['name']}={_encoded(found, change, deepest)}", body)


def _encoded(found: re.Match[str], change: Change, deepest: int) -> str:
    """The value of a parameter or of a form's field."""
    name = unquote_plus(found["name"])
    if names.secret(name):
        return change(name, found["value"])
    return _nested(found["value"], _PERCENT, change, deepest)


def _of_json(found: re.Match[str], change: Change, deepest: int) -> str:
    name, value = found["name"], found["value"]
    if not value.startswith('"'):
        return change(name, value) if names.secret(name) else value
    inner = value[1:-1]
    if inner and names.secret(name):
        return f'"{change(name, inner)}"'
    return f'"{_nested(inner, _ESCAPED, change, deepest)}"'


def _nested(value: str, spelling: _Spelling, change: Change, deepest: int) -> str:
    """A value of a name that says nothing, which may be a URL, a form or JSON. What isn't changed stays spelt
    as it was."""
    plain = spelling.read(value) if deepest else ""
    head, equals, _ = plain.partition("=")
    if plain.lstrip().startswith(("{", "[")):
        other = in_posted(plain, change, deepest - 1)
    elif "://" in head or (equals and _OF_URL.search(head)):
        other = in_url(plain, change, deepest - 1)
    elif equals:
        other = in_posted(plain, change, deepest - 1)
    else:
        return value
    if other == plain:
        return value
    tokens = spelling.tokens.findall(value)
    if not len(tokens) == len(plain) == len(other):
        return spelling.write(other)
    return "".join(token if one == two else two for token, one, two in zip(tokens, plain, other, strict=True))


def _multipart(body: str, change: Change) -> str:
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


def _unescaped(value: str) -> str:
    try:
        return str(json.loads(f'"{value}"', strict=False))
    except ValueError:
        return value


# Each byte is a character, as in the texts of bodies.
_PERCENT = _Spelling(
    re.compile(r"%[0-9A-Fa-f]{2}|.", re.DOTALL),
    lambda value: unquote_plus(value, "latin-1"),
    lambda plain: quote_plus(plain, encoding="latin-1", errors="replace"),
)
_ESCAPED = _Spelling(
    re.compile(r"\\u[0-9A-Fa-f]{4}|\\.|.", re.DOTALL), _unescaped, lambda plain: json.dumps(plain)[1:-1]
)
