"""Alt-Svc, read as RFC 7838 §3 says."""

import re
from dataclasses import dataclass

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_EMPTY = re.compile(r"[\s,]*")
"""Elements of a list without content, which recipients ignore (RFC 9110 §5.6.1.2)."""

_ONE = re.compile(rf"\s*({_TOKEN})=({_QUOTED})((?:\s*;\s*{_TOKEN}=(?:{_TOKEN}|{_QUOTED}))*)\s*(?:,|$)")
_PARAMETER = re.compile(rf"\s*;\s*({_TOKEN})=({_TOKEN}|{_QUOTED})")
_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]*):([0-9]{1,5})")
_DAY_S = 86400
_MOST_DIGITS = 18


@dataclass(frozen=True)
class Alternative:
    """One alternative service; an empty host is the origin's own. It holds for `max_age_s`."""

    protocol: str
    host: str
    port: int
    max_age_s: int


@dataclass(frozen=True)
class AltSvc:
    """What a response's Alt-Svc says. `clear` makes clients forget all of them; `fault` is the text from
    where it can't be read, so that clients ignore the field."""

    alternatives: tuple[Alternative, ...] = ()
    clear: bool = False
    fault: str | None = None

    def of(self, protocol: str) -> list[Alternative]:
        """Those for a protocol."""
        return [each for each in self.alternatives if each.protocol == protocol]


def parse(values: list[str]) -> AltSvc | None:
    """A response's Alt-Svc, whose fields are joined; None without one."""
    if not values:
        return None
    text = ", ".join(value.strip() for value in values)
    if any(value.strip() == "clear" for value in values):
        return AltSvc(clear=True, fault=None if text == "clear" else text)
    found: list[Alternative] = []
    at = _EMPTY.match(text).end()  # type: ignore[union-attr]  # it matches everywhere
    while at < len(text):
        one = _ONE.match(text, at)
        authority = _AUTHORITY.fullmatch(_unquoted(one[2])) if one else None
        if one is None or authority is None or not 0 < int(authority[2]) < 65536:
            return AltSvc(tuple(found), fault=text[at:])
        age = dict(_PARAMETER.findall(one[3])).get("ma", str(_DAY_S)).strip('"')
        if not age.isdecimal() or len(age) > _MOST_DIGITS:
            return AltSvc(tuple(found), fault=text[at:])
        protocol = re.sub(r"%([0-9A-Fa-f]{2})", lambda hexed: chr(int(hexed[1], 16)), one[1])
        found.append(Alternative(protocol, authority[1].strip("[]").lower(), int(authority[2]), int(age)))
        at = _EMPTY.match(text, one.end()).end()  # type: ignore[union-attr]
    return AltSvc(tuple(found))


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])
