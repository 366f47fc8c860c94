"""Which headers, parameters and fields hold secrets, by their names."""

import re
from functools import lru_cache

_WORDS = frozenset(
    {
        "apikey",
        "assertion",
        "auth",
        "authentication",
        "authorization",
        "bearer",
        "cookie",
        "credential",
        "credentials",
        "csrf",
        "hmac",
        "jsessionid",
        "jwt",
        "otp",
        "pass",
        "passcode",
        "passphrase",
        "passwd",
        "password",
        "passwort",
        "phpsessid",
        "pwd",
        "samlrequest",
        "samlresponse",
        "secret",
        "secrets",
        "sess",
        "sessid",
        "session",
        "sessionid",
        "sid",
        "sig",
        "signature",
        "sso",
        "ticket",
        "token",
        "tokens",
        "xsrf",
    }
)
_ENDS = (
    "token",
    "secret",
    "password",
    "passwd",
    "apikey",
    "sessionid",
    "sessid",
    "signature",
    "accesskey",
    "accesskeyid",
    "privatekey",
    "secretkey",
    "authkey",
    "subscriptionkey",
    "licensekey",
    "functionskey",
)
_WEAK = frozenset({"key", "code", "state", "hash", "nonce", "ticket"})
"""Names that hold secrets at times, and often enough something else."""

_PASSWORD = re.compile(r"pass.*|.*(?:password|passwd|pwd|secrets?)", re.IGNORECASE)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_PUBLIC_HEADERS = re.compile(
    r"access-control-.*|content-.*|sec-(?!.*token).*|www-authenticate|proxy-authenticate|"
    r"authentication-results|(?:cache|surrogate|x-cache|x-surrogate|xkey).*",
    re.IGNORECASE,
)
SECRET_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})

SHORTEST = 8
"""Characters of a secret that is replaced wherever it occurs; a shorter one only where it was found."""

SHORTEST_PASSWORD = 6

_NONE = frozenset(
    {"undefined", "anonymous", "required", "disabled", "password", "passwort", "function", "optional"}
)
"""Values of such fields that are no secrets, and that pages are full of."""


@lru_cache(maxsize=4096)
def secret(name: str) -> bool:
    """Whether a parameter, field or cookie of this name holds a secret."""
    name = name[:256]
    words = [word.lower() for word in _PARTS.findall(name)]
    joined = "".join(words)
    return bool(words) and (
        any(word in _WORDS for word in words) or joined in _WORDS | _WEAK or joined.endswith(_ENDS)
    )


def strong(name: str) -> bool:
    """Whether a name holds secrets wherever it stands, in scripts too."""
    return secret(name) and name.lower() not in _WEAK


@lru_cache(maxsize=4096)
def secret_header(name: str) -> bool:
    """Whether a header of this name holds a secret."""
    if name.lower() in SECRET_HEADERS:
        return True
    if _PUBLIC_HEADERS.fullmatch(name):
        return False
    words = name.lower().replace("_", "-").split("-")
    return secret(name) and words not in (["nonce"], ["key"], ["code"], ["state"], ["hash"])


def everywhere(name: str, value: str) -> bool:
    """Whether the value of a name that holds secrets is one wherever it occurs, and not only beside it: it is
    long enough, and not a plain word that other texts may hold by chance."""
    if value.lower() in _NONE:
        return False
    if secret(name) and any(map(_PASSWORD.fullmatch, _PARTS.findall(name))):
        return len(value) >= SHORTEST_PASSWORD
    if len(value) < SHORTEST:
        return False
    return random_looking(value) or not (name.lower() in _WEAK or not secret(name))


def random_looking(value: str) -> bool:
    """Whether a text is more likely drawn than written: digits among letters, or letters of both cases, and
    no spaces."""
    if any(letter.isspace() for letter in value) or len(value) < SHORTEST:
        return False
    digits = any(letter.isdigit() for letter in value)
    letters = any(letter.isalpha() for letter in value)
    mixed = value[1:] != value[1:].lower() and value != value.upper()
    return (digits and (letters or len(value) >= 10)) or (mixed and letters and len(value) >= 16)
