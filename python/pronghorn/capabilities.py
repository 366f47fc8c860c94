"""Whether an experiment's origins and clients can honour what it asks for: asked before anything is
measured."""

from collections.abc import Callable, Iterable, Sequence

from pronghorn import clients, origins
from pronghorn.errors import InputError
from pronghorn.knobs import effective
from pronghorn.model import background, load, recorded_site
from pronghorn.model import events as server_events
from pronghorn.model.arm import S2N, Arm
from pronghorn.model.artifacts import ARRIVALS, FLIGHT, PCAPNG, QLOG
from pronghorn.model.browser import BrowserSettings
from pronghorn.model.experiment import Experiment
from pronghorn.model.knobs import OUR_CLIENT, OUR_ORIGIN, QUIC, Knobs, able_ends, ends, lacking
from pronghorn.model.path import DIRECT
from pronghorn.model.recorded_site import RecordedSite
from pronghorn.model.trial import Cell

_Refusal = Callable[[Arm], str | None]

_MOST_SEGMENTS = 65535
"""Of an initial window, as the engine takes it."""

_OF_BENCHES = (PCAPNG, FLIGHT, ARRIVALS)
_OF_ORIGINS = {QLOG: "builtin"}
"""Artifacts that no client has to support: those of every bench, and those of an origin, by its name."""


def check(experiment: Experiment) -> None:
    """InputError for the first arm or knob of an arm which one of the experiment's origins, clients or paths
    can't honour, or the first artifact or setting of a browser which none of its clients can, naming who can;
    HostError where this host lacks an origin or a client."""
    its_origins = [(name, origins.of(experiment, name)) for name in experiment.origins]
    its_clients = [(name, clients.of(experiment, name)) for name in experiment.clients]
    for arm in experiment.arms:
        _check_stack(experiment, arm)
        for name, origin in its_origins:
            _check(arm, "origin", name, origin.refusal, _able(arm, [*origins.ORIGINS.items(), *its_origins]))
        for name, client in its_clients:
            _check(arm, "client", name, client.refusal, _able(arm, [*clients.CLIENTS.items(), *its_clients]))
    _check_events(experiment, its_origins)
    _check_clock(experiment, [name for name, client in its_clients if client.is_browser])
    _check_live_loads(experiment)
    _check_replays(experiment)
    _check_idle_knobs(experiment)
    for cell in experiment.cells():
        for arm in experiment.arms:
            _check_knobs(experiment, cell, arm)
    for artifact in experiment.artifacts:
        if artifact in _OF_BENCHES or _OF_ORIGINS.get(artifact) in experiment.origins:
            continue
        if not any(artifact in client.artifacts for _, client in its_clients):
            able = [name for name, client in clients.CLIENTS.items() if artifact in client.artifacts]
            raise InputError(
                f"artifact '{artifact}': no client of the experiment ({', '.join(experiment.clients)}) "
                f"writes it. {_who('client', able, 'left')}"
            )
    if experiment.browser != BrowserSettings() and not any(client.is_browser for _, client in its_clients):
        able = [name for name, client in clients.CLIENTS.items() if client.is_browser]
        raise InputError(
            f"key 'browser': no client of the experiment ({', '.join(experiment.clients)}) is a browser. "
            f"{_who('client', able, 'heeded')}"
        )
    for name, client in its_clients:
        if experiment.authority is not None and not client.takes_authority:
            raise InputError(
                f"client '{name}' trusts only the system's certificate authorities, so it can't use key "
                "'authority'. Leave out the key or the client."
            )
    for _, origin in its_origins:
        origin.require()
    for _, client in its_clients:
        client.require()


def _check_events(experiment: Experiment, its_origins: Sequence[tuple[str, origins.Origin]]) -> None:
    """Each event must be one that every origin takes, and each load must have an origin that is as before."""
    if not experiment.events:
        return
    for do in dict.fromkeys(one.do for one in experiment.events):
        for name, origin in its_origins:
            if (reason := origin.event_refusal(do)) is None:
                continue
            able = [known for known, other in origins.ORIGINS.items() if other.event_refusal(do) is None]
            raise InputError(
                f"key '{server_events.KEY}': origin '{name}' can't do '{do}': {reason}. "
                f"{_who('origin', able, 'done')}"
            )
    if experiment.in_guests:
        raise InputError(
            f"key '{server_events.KEY}': a guest's clock stands still between two requests to its engine, "
            'so no event would be on time. Measure in real time: clock = "real".'
        )
    if experiment.kept:
        raise InputError(
            f"key '{server_events.KEY}': with kept state a load would begin at a server that an earlier "
            'load has changed. Write state = "fresh".'
        )


def _check_stack(experiment: Experiment, arm: Arm) -> None:
    """A stack that an arm names is that of both ends, so both must be ours; s2n-quic lacks some of quinn's
    abilities."""
    if arm.stack_asked is None:
        return
    for kind, names, ours in (
        ("origin", experiment.origins, OUR_ORIGIN),
        ("client", experiment.clients, OUR_CLIENT),
    ):
        for name in names:
            if name != ours:
                raise InputError(
                    f"arm '{arm.name}': {kind} '{name}' has a QUIC stack of its own. An arm's stack is that "
                    f"of both ends, so it needs origin '{OUR_ORIGIN}' and client '{OUR_CLIENT}'."
                )
    if arm.stack != S2N:
        return
    if QLOG in experiment.artifacts:
        raise InputError(
            f"arm '{arm.name}': s2n-quic leaves no qlog. Leave out artifact '{QLOG}' or the arm."
        )
    for path in experiment.paths:
        if path.spec is not None and path.spec.handover is not None:
            raise InputError(
                f"arm '{arm.name}': path '{path.name}' moves the client to another address (handover), and "
                "s2n-quic's client can't follow. Leave out the path or the arm."
            )


def _check_clock(experiment: Experiment, browsers: Sequence[str]) -> None:
    """In virtual time nothing is reached that isn't in the guest."""
    if not experiment.in_guests:
        return
    what = None
    if experiment.live:
        what = "a guest can't reach a live server"
    elif browsers:
        what = f"client '{browsers[0]}' is driven through pipes from outside, which a guest doesn't have"
    elif any(path.name == DIRECT for path in experiment.paths):
        what = f"on path '{DIRECT}' only the CPU limits loads, and computing takes no time in virtual time"
    if what is not None:
        raise InputError(f"key 'clock': {what}.", hint='Measure in real time: clock = "real".')


def _check_replays(experiment: Experiment) -> None:
    """A recorded site needs a bench's addresses, and a client that finds its hosts."""
    if not experiment.recorded_sites:
        return
    archive = experiment.recorded_sites[0]
    for name in experiment.clients:
        if not clients.of(experiment, name).replays:
            able = [known for known, client in clients.CLIENTS.items() if client.replays]
            raise InputError(
                f"site '{archive}': client '{name}' loads from one host, and a recorded site has several. "
                f"{_who('client', able, 'loaded')}"
            )
    _check_priorities(experiment)
    for name in experiment.origins:
        reason = origins.of(experiment, name).replay_refusal()
        if reason is not None:
            able = [known for known, origin in origins.ORIGINS.items() if origin.replay_refusal() is None]
            raise InputError(
                f"site '{archive}': origin '{name}' can't serve it: {reason}. "
                f"{_who('origin', able, 'served')}"
            )
    for arm in experiment.arms:
        if arm.clear:
            raise InputError(
                f"site '{archive}': arm '{arm.name}' goes without TLS, and a recorded site is served over "
                "TLS alone. Leave out '+clear'."
            )
    if any(path.name == DIRECT for path in experiment.paths):
        raise InputError(
            f"site '{archive}': path '{DIRECT}' has one address, and the hosts of a recorded site need their "
            "own. Any emulated path has them."
        )
    if experiment.background is not None:
        raise InputError(
            f"key '{background.KEY}': no load can run beside a recorded site, whose hosts know nothing but "
            "what was recorded. Leave it out."
        )


def _check_priorities(experiment: Experiment) -> None:
    """A browser chooses its requests' priorities itself."""
    for site in experiment.recorded_sites:
        recorded = RecordedSite.of(site)
        for word in recorded.rewritings if recorded else ():
            for name in experiment.clients if word in recorded_site.PRIORITIES else ():
                if clients.of(experiment, name).is_browser:
                    raise InputError(
                        f"site '{site}': client '{name}' chooses its requests' priorities itself, so "
                        f"'+{word}' has no effect. Leave it out, or the client."
                    )


def _check_live_loads(experiment: Experiment) -> None:
    """Somebody's server is loaded by who says so on the command line, never by an experiment."""
    if not experiment.live:
        return
    if load.CLIENT in experiment.clients or experiment.background is not None:
        what = f"client '{load.CLIENT}'" if load.CLIENT in experiment.clients else f"key '{background.KEY}'"
        raise InputError(
            f"{what} makes loads on the lab's own origins: {', '.join(origins.ORIGINS)}. To load a live "
            "server: 'pronghorn load URL'."
        )


def _check(arm: Arm, kind: str, name: str, refusal: _Refusal, able: list[str]) -> None:
    reason = refusal(arm)
    if reason is not None:
        who = _who(kind, able, "honoured")
        raise InputError(f"arm '{arm.name}': {kind} '{name}' can't do it: {reason}. {who}")


def _check_knobs(experiment: Experiment, cell: Cell, arm: Arm) -> None:
    """What `fair` asks for isn't refused: what of it nobody honours is told (`fair.unequalled`)."""
    spec = experiment.path(cell.path).spec
    able = able_ends(emulated=spec is not None, origin=cell.origin, client=cell.client)
    knobs = experiment.knobs.of(arm)
    for name, value in knobs.asked().items():
        missing = ends(arm, name, value) - able
        knob = f"arm '{arm.name}': knob '{name}'"
        if "bench" in missing:
            raise InputError(
                f"{knob}: path '{cell.path}' can't do it: it has no hosts of its own. Any emulated path can."
            )
        for kind, chosen, who in (("origin", cell.origin, OUR_ORIGIN), ("client", cell.client, OUR_CLIENT)):
            if kind in missing:
                raise InputError(
                    f"{knob}: {kind} '{chosen}' has no such setting. {_who(kind, [who], 'honoured')}"
                )
    _check_datagrams(experiment, cell, arm)
    _check_segments(experiment, cell, arm)
    _check_shared_hosts(experiment, cell, arm)


def _check_idle_knobs(experiment: Experiment) -> None:
    """A knob for all arms must be one of somebody's, if only of the flows beside them."""
    crossed = any(path.spec is not None and path.spec.cross is not None for path in experiment.paths)
    for name, value in experiment.knobs.common.asked().items():
        if crossed and name in effective.OF_WHOLE_HOSTS:
            continue
        why = [lacking(arm, name, value) for arm in experiment.arms]
        if None not in why:
            raise InputError(f"knob '{name}' applies to no arm: {why[0]}. Leave it out of [knobs].")


def _check_datagrams(experiment: Experiment, cell: Cell, arm: Arm) -> None:
    """QUIC's datagrams must fit the path, and two of them the initial window."""
    knobs, spec = effective.of_arm(experiment, cell, arm), experiment.path(cell.path).spec
    if not arm.protocols & QUIC or knobs.initial_mtu is None:
        return
    if knobs.initial_window is not None and knobs.initial_window < 2 * knobs.initial_mtu:
        raise InputError(
            f"arm '{arm.name}': knob 'initial_window': {knobs.initial_window}B is less than two "
            f"datagrams of {knobs.initial_mtu}B (initial_mtu), the minimum of QUIC's window (RFC 9002 "
            "§7.2)."
        )
    if spec is not None and knobs.initial_mtu > spec.udp_payload_bytes:
        raise InputError(
            f"arm '{arm.name}': knob 'initial_mtu': path '{cell.path}' carries IP packets of "
            f"{spec.mtu_bytes} bytes, so its UDP payloads have at most {spec.udp_payload_bytes}B."
        )


def _check_segments(experiment: Experiment, cell: Cell, arm: Arm) -> None:
    segments = effective.of_bench(experiment, cell, arm).get("tcp", {}).get("initial_window_segments", 0)
    if segments > _MOST_SEGMENTS:
        raise InputError(
            f"arm '{arm.name}': knob 'initial_window': on path '{cell.path}' this is {segments} "
            f"segments, because its MTU is small. A route takes {_MOST_SEGMENTS} at most."
        )


def _check_shared_hosts(experiment: Experiment, cell: Cell, arm: Arm) -> None:
    """Other flows must find the same hosts in every arm."""
    spec = experiment.path(cell.path).spec
    if spec is None or spec.cross is None:
        return
    shared = effective.of_shared_hosts(experiment, spec).asked()
    for name, value in experiment.knobs.by_arm.get(arm.name, Knobs()).asked().items():
        if name in effective.OF_WHOLE_HOSTS and value != shared.get(name):
            raise InputError(
                f"arm '{arm.name}': knob '{name}': it also applies to the cross traffic of path "
                f"'{cell.path}', which would then differ between arms. Set it for all arms, in [knobs]."
            )


def _who(kind: str, able: list[str], done: str) -> str:
    return f"It can be {done} by {', '.join(able)}." if able else f"No {kind} can."


def _able(arm: Arm, candidates: Iterable[tuple[str, origins.Origin | clients.Client]]) -> list[str]:
    ours = (OUR_ORIGIN, OUR_CLIENT)
    asked = (each for each in candidates if arm.stack_asked is None or each[0] in ours)
    return list(dict.fromkeys(name for name, candidate in asked if candidate.refusal(arm) is None))
