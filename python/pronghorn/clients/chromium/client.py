"""The client `chromium`: what it can honour, what this host must have, and how a visit is opened."""

import os
import sys

from pronghorn.browser.job import Job
from pronghorn.clients.base import Visit
from pronghorn.clients.chromium import program
from pronghorn.clients.chromium.session import ChromiumSession, start
from pronghorn.clients.chromium.switches import standing, switches
from pronghorn.engine import Engine
from pronghorn.errors import HostError
from pronghorn.model.arm import Arm
from pronghorn.model.artifacts import FILMSTRIP, HAR, NETLOG, SCREENSHOT
from pronghorn.model.expense import Expense


class Chromium:
    """Chromium by Playwright, in a process inside the client's host."""

    warms_up = True
    expense = Expense(start_s=2.2, start_cpu_s=1.8, load_cpu_s=0.5, waiting_cores=0.1)
    artifacts: tuple[str, ...] = (HAR, NETLOG, SCREENSHOT, FILMSTRIP)
    takes_authority = False
    is_browser = True
    replays = True

    def refusal(self, arm: Arm) -> str | None:
        """It honours every arm over TLS."""
        return "browsers speak HTTP/2 only over TLS, and pages are loaded over TLS" if arm.clear else None

    def require(self) -> None:
        """HostError where this host has no browser that would do, or no Playwright."""
        program.version(program.locate())
        try:
            import playwright  # noqa: F401
        except ImportError as error:
            raise HostError(
                f"Playwright, which drives the browser, is missing: {error}",
                hint=f"{sys.executable} -m pip install playwright",
            ) from error

    async def open(self, engine: Engine, visit: Visit) -> ChromiumSession:
        """A browser with a fresh profile, warmed up at an empty page; ClientFailed where it does not come
        up."""
        job = Job(
            executable=str(program.locate()),
            switches=switches(visit),
            url=_url(visit),
            limit_s=visit.limit_s,
            width=visit.browser.width,
            height=visit.browser.height,
            cpu_slowdown=visit.browser.cpu_slowdown,
            cache=visit.browser.cache,
            artifacts={name: str(file) for name in self.artifacts if (file := visit.artifacts.file(name))},
            alone=visit.certificates is not None,
            tolerate=visit.tolerate,
            recorded=list(visit.placed.replay.hosts) if visit.placed else (),
        )
        return await start(engine, visit, job)

    def identity(self) -> dict[str, str]:
        """The browser's version, whether its own sandbox is on, and the switches that it always gets."""
        return {
            "version": program.version(program.locate()),
            "sandbox": "off on a bench, where the client's host has root only"
            if os.geteuid()
            else "off: it runs as root",
            "switches": " ".join(standing()),
        }


def _url(visit: Visit) -> str:
    port = "" if visit.port == 443 else f":{visit.port}"
    return f"https://{visit.host_name}{port}{visit.document}"
