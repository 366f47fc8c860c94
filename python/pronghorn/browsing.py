"""The system's Chromium at one URL, with a profile of its own that is gone afterwards."""

import contextlib
import os
import signal
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

from cryptography import x509

from pronghorn.browser.browser import sandboxed
from pronghorn.clients.chromium import program
from pronghorn.clients.chromium.switches import speaking, standing, trusting
from pronghorn.errors import HostError, InputError
from pronghorn.host.temporary_folders import work_folder
from pronghorn.load.spec import Protocol

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")
_HTTPS = 443
_GRACE_S = 5.0


def browse(url: str, protocol: Protocol | None, trusted: Path | None, *, dump: bool = False) -> int:
    """Opens `url` and waits for the browser's end; its exit status. It speaks `protocol`, None: as it finds
    out itself, and takes the first certificate of the file `trusted` whoever signed it. With `dump` it has no
    window and prints the page. InputError and HostError where it can't."""
    if not dump and not any(os.environ.get(name) for name in _DISPLAYS):
        raise HostError("there is no display for a window.", hint="Print the page instead: --dump-dom")
    executable = program.locate()
    with work_folder() as profile:
        return _watched([str(executable), *switches(url, protocol, trusted, profile, dump=dump), url])


def switches(
    url: str, protocol: Protocol | None, trusted: Path | None, profile: Path, *, dump: bool
) -> list[str]:
    """The browser's command line."""
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname:
        raise InputError(f"{url}: a browser speaks HTTP/2 and HTTP/3 over TLS alone.", hint="Write https://…")
    try:
        port = parts.port or _HTTPS
    except ValueError:
        raise InputError(f"{url}: its port is not from 1 to 65535.") from None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return [
        *standing(),
        f"--user-data-dir={profile}",
        # 'serve' listens there, and not on ::1.
        "--host-resolver-rules=MAP localhost 127.0.0.1",
        *speaking(protocol, f"{host}:{port}", host if trusted else None),
        *([trusting([_certificate(trusted)])] if trusted else []),
        *(["--headless=new", "--dump-dom"] if dump else []),
        *([] if sandboxed() else ["--no-sandbox"]),
    ]


def _certificate(file: Path) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificates(file.read_bytes())[0]
    except OSError as error:
        raise InputError(
            f"--trust: {file}: {error.strerror}.", hint="'pronghorn serve' prints the file while it runs."
        ) from error
    except ValueError:
        raise InputError(f"--trust: {file}: no certificate in PEM.") from None


def _watched(argv: list[str]) -> int:
    """Runs the browser; it ends with us."""
    try:
        browser = subprocess.Popen(argv, start_new_session=True, stderr=subprocess.DEVNULL)
    except OSError as error:
        raise HostError(f"{argv[0]}: can't be run: {error.strerror}.", hint=program.MEND) from error
    try:
        return browser.wait()
    finally:
        # Its helpers are of its group.
        _end(browser, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            browser.wait(_GRACE_S)
        _end(browser, signal.SIGKILL)
        browser.wait()


def _end(browser: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(browser.pid, number)
