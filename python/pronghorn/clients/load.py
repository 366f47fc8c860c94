"""The engine's load generator as a client: many requests over many connections, measured as a whole."""

from collections.abc import Awaitable, Callable

from pronghorn import __version__
from pronghorn.clients.base import Visit
from pronghorn.engine import Engine
from pronghorn.foreign import line
from pronghorn.load.spec import Arrivals, Control, Extent, LoadSpec, Protocol, Session, Target, Tls
from pronghorn.model.arm import RESUMED, Arm
from pronghorn.model.expense import NOTHING
from pronghorn.model.load import LoadSettings
from pronghorn.model.load_report import LoadReport
from pronghorn.model.trial import Connection, CpuTime, PageLoad

CUT, CONNECTIONS, REQUESTS, COUNTS = "cut", "connections", "requests", "counts"
"""Why a load failed: its limit ended it, no more connections could be made, some of its requests failed, or
its own counts don't add up."""

MADE = (CUT, CONNECTIONS, REQUESTS)
"""The failures of loads that ran anyway: their rate is the one that they reached."""

_GRACE_S = 30.0

_ROUNDING_S = 1e-3

_PROTOCOLS: dict[str, Protocol] = {"h1": "h1", "h2": "h2", "h3": "h3"}


class Load:
    """The load generator."""

    warms_up = False
    expense = NOTHING
    artifacts: tuple[str, ...] = ()
    takes_authority = True
    is_browser = False
    replays = False

    def refusal(self, arm: Arm) -> str | None:
        """It speaks the protocol that it is told to, and has no cache."""
        if arm.discovery != "forced":
            return "it speaks only the protocol that the arm names, and discovers no other"
        return "it has no cache" if arm.warm else None

    def require(self) -> None:
        """It comes with the engine."""

    async def open(self, engine: Engine, visit: Visit) -> "LoadSession":
        """Nothing needs to be started."""
        return LoadSession(engine, visit)

    def identity(self) -> dict[str, str]:
        """The version is the engine's."""
        return {"version": __version__}


class LoadSession:
    """Loads, each of which opens connections of its own."""

    def __init__(self, engine: Engine, visit: Visit) -> None:
        self._engine = engine
        self._visit = visit

    async def prepare(self) -> None:
        """A load gains the sessions that its arm asks for itself, unmeasured, one for each connection."""

    async def load(self) -> PageLoad:
        """One load; an engine that has not cut it half a minute after its limit is given up."""
        visit = self._visit
        asked = spec(visit, settings_of(visit))
        patience_s = (asked.limit_s or visit.limit_s) + _GRACE_S
        ok = await self._engine.request("generate", patience_s=patience_s, spec=asked.to_engine())
        return told(LoadReport.model_validate(ok), visit.arm, asked)

    async def load_while(self, act: Callable[[], Awaitable[None]]) -> PageLoad:
        """One load during which `act` is done, which begins with it; the report tells when requests failed.
        Whatever `act` raises ends the load."""
        visit = self._visit
        asked = spec(visit, settings_of(visit)).model_copy(update={"failure_times": True})
        patience_s = (asked.limit_s or visit.limit_s) + _GRACE_S
        await self._engine.request("generate_start", spec=asked.to_engine())
        try:
            await act()
        except Exception:
            await self._engine.request("generate_stop", wait=False, patience_s=patience_s)
            raise
        ok = await self._engine.request("generate_stop", wait=True, patience_s=patience_s)
        return told(LoadReport.model_validate(ok), visit.arm, asked)

    async def close(self) -> None:
        """Nothing of it goes on."""


async def warm_up(engine: Engine, visit: Visit, path: str, limit_s: float) -> None:
    """One request for `path` over the visit's arm; how it is answered doesn't matter."""
    once = spec(visit, LoadSettings(requests=1, document=path)).model_copy(update={"limit_s": limit_s})
    await engine.request("generate", patience_s=limit_s + _GRACE_S, spec=once.to_engine())


def settings_of(visit: Visit) -> LoadSettings:
    """What the visit's load is to be."""
    if visit.load is None:
        raise ValueError("a load without settings")
    return visit.load


def spec(visit: Visit, settings: LoadSettings) -> LoadSpec:
    """What the engine is asked for: the settings, at the visit's origin, over its arm. Nothing but the load's
    limit cuts a handshake: another attempt would spare TCP the time-outs that losses have cost it."""
    arm = visit.arm
    scheme, port = ("http", visit.clear_port) if arm.clear else ("https", visit.port)
    document = settings.document or visit.document
    target = Target(
        url=f"{scheme}://{visit.host_name}:{port}{document}",
        headers=(("user-agent", f"pronghorn/{__version__}"),),
    )
    limit_s = settings.limit_s or visit.limit_s
    arrivals = None
    if settings.rate is not None:
        arrivals = Arrivals(rate_per_s=settings.rate, distribution=settings.distribution, seed=visit.seed)
    return LoadSpec(
        targets=(target,),
        protocol=_PROTOCOLS[arm.protocol],
        address=visit.address,
        port=port,
        tls=Tls(
            version="1.2" if arm.tls_version == "1.2" else "1.3",
            ca=str(visit.authority) if visit.authority else None,
        ),
        session=_session(arm),
        congestion_control=Control(**arm.controls),
        knobs=visit.knobs.of_client(arm),
        connections=settings.connections,
        streams=settings.streams,
        threads=settings.threads,
        stop=Extent(**settings.stop()),
        limit_s=limit_s,
        connect_timeout_s=limit_s,
        warm_up=Extent(**before) if (before := settings.warmed_up()) else None,
        connect=settings.connect,
        arrivals=arrivals,
    )


def told(report: LoadReport, arm: Arm, asked: LoadSpec) -> PageLoad:
    """A load as a trial records it. It failed where it was cut, where any of its requests failed, and where
    its counts don't close."""
    counts = report.requests
    reason, detail = _fault(report, asked)
    control = report.settings.get("congestion_control")
    return PageLoad(
        outcome="failed" if reason else "ok",
        reason=reason,
        detail=detail,
        load_s=report.window_s if report.finished and reason is None else None,
        requests=counts.succeeded,
        bytes=report.bytes.payload,
        failures=counts.failures,
        round_trips=_round_trips(arm, asked, report.in_window),
        cpu=CpuTime(),
        processes_cpu_s=report.cpu_s.total,
        connections=[
            Connection(
                protocol=report.protocol,
                tls_version=report.tls.version if report.tls else None,
                cipher=report.tls.cipher if report.tls else None,
                congestion_control=str(control) if control is not None else None,
                resumed=report.connections.resumed > 0 if report.connections.established else None,
                early_data="accepted" if report.connections.early_data_accepted else None,
                settings=report.settings,
            )
        ],
        report=report,
    )


def requests_per_second(page: PageLoad, settings: LoadSettings, limit_s: float) -> float:
    """What a load made in the time that it had; nothing of one of which there is no report. Of one that did
    not finish that time is the whole that was asked for, or that its limit left after the warm-up, even where
    it gave up before: to end early is not to be faster."""
    report = page.report
    if report is None:
        return 0.0
    if report.finished:
        return report.requests_per_second
    if settings.duration_s is not None:
        return report.in_window / max(settings.duration_s, report.window_s)
    if isinstance(settings.warm_up, int) and report.requests.failed.get(CUT):
        return report.requests.succeeded / report.window_s
    return report.requests.succeeded / (limit_s - settings.warm_up_s)


def unclosed(report: LoadReport) -> str | None:
    """How a report's counts don't close, as a sentence's end; None where they do."""
    counts = report.requests
    if counts.planned != counts.sent + counts.unsent:
        return f"{counts.planned} planned, but {counts.sent} sent and {counts.unsent} not"
    if counts.sent != counts.succeeded + counts.failures:
        return f"{counts.sent} sent, but {counts.succeeded} succeeded and {counts.failures} failed"
    return None


def _session(arm: Arm) -> Session:
    if arm.early_data:
        return "0rtt"
    return "resumed" if RESUMED in arm.options else "cold"


def _fault(report: LoadReport, asked: LoadSpec) -> tuple[str | None, str | None]:
    counts = report.requests
    if (wrong := unclosed(report)) is not None:
        return COUNTS, f"the load's counts don't add up: {wrong}"
    kinds = ", ".join(f"{kind} {number}" for kind, number in sorted(counts.failed.items()) if number)
    done = f"{counts.succeeded} of {counts.planned} requests had succeeded" + (f" ({kinds})" if kinds else "")
    if not report.finished and _gave_up(report, asked):
        why = ", ".join(f"{kind} {number}" for kind, number in sorted(report.connections.failed.items()))
        return CONNECTIONS, f"no more connections could be made ({why}) after {done}{_first(report)}"
    if not report.finished:
        return CUT, f"stopped at its limit of {asked.limit_s:g} s after {done}"
    if counts.failures:
        return REQUESTS, f"{counts.failures} of {counts.sent} requests failed ({kinds}){_first(report)}"
    if not counts.succeeded:
        return REQUESTS, "no request succeeded"
    return None, None


def _gave_up(report: LoadReport, asked: LoadSpec) -> bool:
    """Whether a load ended before its limit, since no connection could be had for the rest of it."""
    had_s = (asked.limit_s or 0.0) - (asked.warm_up.duration_s or 0.0 if asked.warm_up else 0.0)
    ended_early = not report.requests.failed.get(CUT) and report.window_s < had_s - _ROUNDING_S
    return ended_early and any(report.connections.failed.values())


def _first(report: LoadReport) -> str:
    return next((f"; the first: {line(failure.detail)}" for failure in report.failures), "")


def _round_trips(arm: Arm, asked: LoadSpec, in_window: int) -> float:
    """The fewest that a load's window takes: a connection's set-up, unless that was before, and as many more
    as requests that ended in it have to follow one another."""
    if asked.warm_up is not None or asked.arrivals is not None:
        return 1
    set_up = 1 if arm.over_quic or arm.clear else 3 if arm.tls_version == "1.2" else 2
    if arm.early_data:
        set_up = 0 if arm.over_quic else 1
    if arm.tls_version == "1.2" and arm.prepared:
        set_up = 2
    at_once = asked.connections * (1 if asked.connect == "each" else asked.streams)
    rounds = -(-in_window // at_once)
    return rounds * (set_up + 1) if asked.connect == "each" else set_up + rounds
