"""A person's own configuration of a server: a text with placeholders that a trial fills in."""

import re
from collections.abc import Mapping
from pathlib import Path

from pronghorn import reading
from pronghorn.errors import InputError, unknown
from pronghorn.model.address import bracketed
from pronghorn.origins.base import OriginSetup

PLACEHOLDERS = {
    "PRONGHORN_ADDRESS": "the address to listen on, of IPv6 in brackets",
    "PRONGHORN_CERTIFICATE": "the certificate chain, a PEM file",
    "PRONGHORN_CLEAR_PORT": "the port to listen on without TLS",
    "PRONGHORN_FOLDER": "an empty folder for whatever the server writes, removed after the trial",
    "PRONGHORN_HEADERS": "the headers of every response, in the configuration's own syntax",
    "PRONGHORN_KEY": "the certificate's key, a PEM file (PKCS#8)",
    "PRONGHORN_LOG": "the file for the access log by which the origin proves what it served",
    "PRONGHORN_PORT": "the port to listen on, TCP and UDP",
    "PRONGHORN_ROOT": "the site's folder; / is /index.html",
}
"""What may stand in a configuration as `${NAME}`, and what it becomes."""

MOST_BYTES = 16 * 2**20
"""Of a configuration."""

_PLACEHOLDER = re.compile(r"\$\{(PRONGHORN_\w*)\}")


def read(file: Path) -> str:
    """The text of a configuration; InputError where it can't be read or has a placeholder that is none."""
    try:
        text = reading.text(file, MOST_BYTES, "a server's configuration")
    except reading.Unreadable as error:
        raise InputError(f"{file}: can't be read as a server's configuration: {error}.") from error
    check(text, str(file))
    return text


def check(text: str, where: str) -> None:
    """InputError where a configuration, whose file is `where`, has a placeholder that is none."""
    for number, line in enumerate(text.splitlines(), start=1):
        for found in _PLACEHOLDER.finditer(line):
            if found[1] not in PLACEHOLDERS:
                raise InputError(f"{where}:{number}: {unknown('placeholder', found[1], PLACEHOLDERS)}")


def uses(text: str, name: str) -> bool:
    """Whether a placeholder stands in a configuration."""
    return any(found[1] == name for found in _PLACEHOLDER.finditer(text))


def values(setup: OriginSetup, log: Path, headers: str) -> dict[str, str]:
    """What the placeholders become on a bench. `headers` are the setup's, as the server writes them."""
    return {
        "PRONGHORN_ADDRESS": bracketed(setup.address),
        "PRONGHORN_CERTIFICATE": str(setup.certificates.chain),
        "PRONGHORN_CLEAR_PORT": str(setup.clear_port),
        "PRONGHORN_FOLDER": str(setup.folder),
        "PRONGHORN_HEADERS": headers,
        "PRONGHORN_KEY": str(setup.certificates.key),
        "PRONGHORN_LOG": str(log),
        "PRONGHORN_PORT": str(setup.port),
        "PRONGHORN_ROOT": str(setup.root),
    }


def fill(text: str, values: Mapping[str, str]) -> str:
    """A configuration with its placeholders replaced; other `${…}` stay as they are."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)
