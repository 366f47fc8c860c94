"""What a congestion control is called: its algorithm, with the implementation and version that ran it.

A name alone means different things in different stacks: the kernel's `bbr` and quinn's are two programs, and
a kernel may have been built with a later version of BBR under the same name."""

import re
from collections.abc import Mapping
from typing import Any

from pronghorn.model.arm import QUINN, S2N

BBR_VERSION = "tcp_bbr"
"""The key of the manifest's host for the version that the kernel's module tells of itself, null where it
tells none: Linux's own, BBR v1, has none; Google's later ones do (MODULE_VERSION in tcp_bbr.c)."""

_RELEASE = re.compile(r"\d+\.\d+")
_BBR = re.compile(r"BBR v\d+")


def of_kernel(name: str, host: Mapping[str, Any]) -> str:
    """A control of TCP's by its name; `host` is the manifest's."""
    release = _RELEASE.match(str(host.get("kernel", "")))
    linux = f"Linux {release[0]}" if release else "Linux"
    if name != "bbr":
        return f"{name} ({linux})"
    return f"{name} ({linux}, BBR v{host.get(BBR_VERSION) or 1})"


def of_quic(name: str, stack: str, libraries: Mapping[str, str]) -> str:
    """A controller of one of our QUIC stacks by its name; `libraries` are the engine's."""
    library, version = {QUINN: ("quinn-proto", "0.11"), S2N: ("s2n-quic", "1.72")}[stack]
    program = f"{library} {libraries.get(library, version)}"
    bbr = {"bbr": ", experimental BBR v1", "bbr2": ", BBR v2"}.get(name, "")
    return f"{name} ({program}{bbr})"


def algorithm(label: str) -> str:
    """What runs, whoever implements it: equal where two labels mean the same algorithm. Linux's Reno is New
    Reno (RFC 6582); BBR is told apart by its version."""
    name = label.partition(" (")[0]
    version = _BBR.search(label)
    if name == "bbr" and version:
        return version[0]
    return "newreno" if name == "reno" else name
