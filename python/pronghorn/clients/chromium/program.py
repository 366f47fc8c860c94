"""Where Chromium's program is on this host, and what it says of itself."""

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from pronghorn.environment import passed_on
from pronghorn.errors import HostError

OVERRIDE = "PRONGHORN_CHROMIUM"
MEND = (
    "as root: apt-get install chromium; or: python -m playwright install chromium; or name a browser's "
    f"program in {OVERRIDE}"
)

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_BEHIND_WRAPPERS = (
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/usr/lib/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
)
_PLAYWRIGHT = "chromium-*/chrome-linux*/chrome"
_WRAPPER_MOST_BYTES = 100_000
_PATIENCE_S = 20.0
_VERSION = re.compile(r"\b\d+(\.\d+){3}\b")
_SHOWN = 80


class SnapWrapper(HostError):
    """What is there only starts a snap, whose confinement keeps it out of a bench's namespaces."""


def locate() -> Path:
    """The program: as PRONGHORN_CHROMIUM says, the system's, or one that Playwright has installed; HostError
    with the mend where there is none.

    A distribution's wrapper adds switches of its own, so the program behind it is taken where its place is
    known."""
    override = os.environ.get(OVERRIDE)
    if override:
        if Path(override).is_file() and os.access(override, os.X_OK):
            return Path(override).absolute()
        raise HostError(
            f"{OVERRIDE}={override}: no program there.", hint=f"Unset {OVERRIDE} or name the browser's file."
        )
    snap = None
    for name in _NAMES:
        if (found := shutil.which(name)) is None:
            continue
        if is_snap(Path(found)):
            snap = found
            continue
        return _behind(Path(found).absolute())
    if (brought := _brought_by_playwright()) is not None:
        return brought
    if snap is not None:
        raise SnapWrapper(
            f"{snap} only starts a snap, whose confinement keeps it out of a bench's namespaces.",
            hint="python -m playwright install chromium; or install a browser that is not a snap, and "
            f"name its program in {OVERRIDE}",
        )
    raise HostError("there is no Chromium on this host.", hint=MEND)


def is_snap(program: Path) -> bool:
    """Whether a program is a snap's, or Ubuntu's script that starts one."""
    if program.resolve().name == "snap" or "/snap/" in str(program.resolve()):
        return True
    script = _script(program)
    return script is not None and "snap" in script


@cache
def version(program: Path) -> str:
    """What the program says of its version, such as `Chromium 140.0.7339.80`; HostError where it can't be
    run or is no browser."""
    try:
        done = subprocess.run(
            [program, "--version"],
            env=passed_on(),
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise HostError(f"{program} can't be run: {error}", hint=MEND) from error
    said = done.stdout.strip().partition(" built on")[0]
    if _VERSION.search(said) is None:
        raise HostError(
            f"{program} is not Chromium: it reports the version {said[:_SHOWN] or 'nothing'!r}.", hint=MEND
        )
    return said


def _behind(program: Path) -> Path:
    if _script(program) is None:
        return program
    return next((Path(place) for place in _BEHIND_WRAPPERS if os.access(place, os.X_OK)), program)


def _script(program: Path) -> str | None:
    """The text of a program that is a script, else None."""
    try:
        with program.open("rb") as file:
            content = file.read(_WRAPPER_MOST_BYTES)
    except OSError:
        return None
    return content.decode(errors="replace") if content.startswith(b"#!") else None


def _brought_by_playwright() -> Path | None:
    root = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    found = sorted(root.glob(_PLAYWRIGHT), key=lambda program: program.stat().st_mtime)
    return found[-1] if found else None
