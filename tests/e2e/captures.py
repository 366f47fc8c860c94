"""Captures as tshark reads them: with no configuration and no key file of its own."""

import os
import struct
import subprocess
from pathlib import Path
from xml.etree import ElementTree

ENHANCED_PACKET, DECRYPTION_SECRETS = 6, 10
"""Types of blocks (draft-ietf-opsawg-pcapng §4)."""


class Capture:
    """A pcapng file; `home` is an empty folder, `options` are settings of Wireshark's."""

    def __init__(self, file: Path, home: Path, *options: str) -> None:
        self.file = file
        self._home = home
        self._options = [word for option in options for word in ("-o", option)]
        self._environment = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "LC_ALL": "C"}
        self._environment.pop("SSLKEYLOGFILE", None)

    def rows(self, shown: str, *fields: str) -> list[tuple[str, ...]]:
        """The fields of every packet that the display filter `shown` lets through, several values joined by
        commas."""
        wanted = [word for field in fields for word in ("-e", field)]
        found = self._tshark("-Y", shown, "-T", "fields", *wanted)
        return [tuple(line.split("\t")) for line in found.splitlines()]

    def count(self, shown: str) -> int:
        """How many packets the display filter lets through."""
        return len(self.rows(shown, "frame.number"))

    def values(self, shown: str, field: str) -> set[str]:
        """Every value that a field has in these packets."""
        return {value for (row,) in self.rows(shown, field) for value in row.split(",") if value}

    def pdml(self, shown: str) -> ElementTree.Element:
        """These packets with all their fields, in the order and nesting in which tshark found them."""
        return ElementTree.fromstring(self._tshark("-Y", shown, "-T", "pdml"))

    def only(self, shown: str) -> "Capture":
        """A capture of these packets alone, in which TCP's may be out of order."""
        file = self._home / f"{len(list(self._home.iterdir()))}.pcapng"
        self._tshark("-Y", shown, "-w", str(file))
        return Capture(file, self._home, "tcp.reassemble_out_of_order:TRUE")

    def blocks(self) -> list[int]:
        """The types of the file's blocks, in order."""
        content = self.file.read_bytes()
        found: list[int] = []
        place = 0
        while place < len(content):
            kind, length = struct.unpack_from("<II", content, place)
            found.append(kind)
            place += length
        return found

    def _tshark(self, *arguments: str) -> str:
        argv = ["tshark", "-n", "-r", str(self.file), "-o", "tls.keylog_file:", *self._options, *arguments]
        done = subprocess.run(
            argv, env=self._environment, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout
