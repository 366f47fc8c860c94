"""What to load, as which device, and the browser's switches."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography import x509

from pronghorn import reading
from pronghorn.clients.chromium.switches import NO_PORT, standing, trusting
from pronghorn.errors import InputError, unknown

_MOST_PEM = 2**20


@dataclass(frozen=True)
class Settings:
    """`width` and `height` of the viewport in CSS pixels; `device` is one of Playwright's, which has a
    viewport of its own. The page has `limit_s` to reach its load event. `resolve` maps a host, or
    `host:port`, to an address with or without a port; with any, all other names stay unknown. `trust` is a
    file of certificates that servers may show."""

    width: int = 1366
    height: int = 768
    device: str | None = None
    limit_s: float = 60.0
    scroll: bool = True
    resolve: tuple[tuple[str, str], ...] = ()
    trust: Path | None = None

    def switches(self) -> list[str]:
        """Chromium's command line. InputError where `trust` holds no certificates."""
        return [*standing(), *self._names(), *self._trusted()]

    def context(self, known: dict[str, Any]) -> dict[str, Any]:
        """Playwright's options of a browser context; `known` are its devices. InputError where `device` is
        none."""
        if self.device is None:
            return {"viewport": {"width": self.width, "height": self.height}}
        if self.device not in known:
            raise InputError(f"--device: {unknown('device', self.device, known)}")
        described = dict(known[self.device])
        described.pop("default_browser_type", None)
        return described

    def _names(self) -> list[str]:
        if not self.resolve:
            return []
        rules = [f"MAP {host} {address}" for host, address in self.resolve]
        return [f"--host-resolver-rules={', '.join(rules)}, MAP * ~NOTFOUND"]

    def _trusted(self) -> list[str]:
        if self.trust is None:
            return []
        try:
            certificates = x509.load_pem_x509_certificates(
                reading.content(self.trust, _MOST_PEM, "certificates")
            )
        except reading.Unreadable as error:
            raise InputError(f"{self.trust}: {error}.") from None
        except ValueError:
            raise InputError(
                f"{self.trust}: this holds no certificate in PEM.",
                hint="Name the certificate that the server shows: --trust FILE.pem",
            ) from None
        hosts = [f"{host.partition(':')[0]}:{NO_PORT}" for host, _ in self.resolve]
        quic = [f"--origin-to-force-quic-on={','.join(hosts)}"] if hosts else []
        return [trusting(certificates), *quic]


def devices(playwright: Any) -> dict[str, Any]:
    """Playwright's devices, by name."""
    return dict(playwright.devices)
