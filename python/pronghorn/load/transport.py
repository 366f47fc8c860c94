"""Over what is loaded: protocol, TLS, session, congestion control and knobs; what can't be is refused."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pronghorn.errors import InputError, unknown
from pronghorn.load.spec import Control, Protocol, Session, Tls
from pronghorn.model import arm as arms
from pronghorn.model.arm import Arm
from pronghorn.model.experiment_knobs import read_knob
from pronghorn.model.experiment_reader import ExperimentReader
from pronghorn.model.knobs import KNOBS, Knobs, Value, impossible, lacking
from pronghorn.model.path.words import toml_value
from pronghorn.model.source import Source

VERSIONS: dict[str, Protocol] = {"1.1": "h1", "2": "h2", "3": "h3"}
"""HTTP's versions, each with its name among the arms."""

SPOKEN = {"h1": "HTTP/1.1", "h2": "HTTP/2", "h3": "HTTP/3"}

_BENCH = "docs/experiments.md, [knobs], in an experiment over an emulated path"


class Wanted(NamedTuple):
    """The words of the command line. None: as the default is. `hosts_control`: whether TCP's congestion
    control is left to the host where none is asked for. `unix_socket`: it is no TCP."""

    http: str | None = None
    tls: str | None = None
    ca: str | None = None
    insecure: bool = False
    certificate: str | None = None
    key: str | None = None
    resume: bool = False
    early: bool = False
    control: str | None = None
    knobs: Sequence[str] = ()
    hosts_control: bool = False
    unix_socket: bool = False


class Transport(NamedTuple):
    """What they ask for. `offered` are the knobs under the names of the engine's protocol, `asked` under
    those of the command line."""

    protocol: Protocol
    tls: Tls
    session: Session
    control: Control
    offered: dict[str, Value]
    asked: dict[str, Value]


def read(wanted: Wanted, scheme: str) -> Transport:
    """The transport for URLs of `scheme`; InputError where a word is wrong or asks for what can't be."""
    protocol = _protocol(wanted.http, scheme)
    _refuse_in_the_clear(wanted, scheme)
    version = wanted.tls or "1.3"
    if version not in ("1.2", "1.3"):
        raise InputError("--tls: " + unknown("version of TLS", version, ("1.2", "1.3")))
    if version == "1.2" and protocol == "h3":
        raise InputError("--tls 1.2: QUIC has no TLS 1.2 (RFC 9001 §4.2); --http 1.1 and 2 have it.")
    if version == "1.2" and wanted.early:
        raise InputError("--tls 1.2: it has no 0-RTT data; leave out --tls or --0rtt.")
    if wanted.ca is not None and wanted.insecure:
        raise InputError(
            "--ca and --insecure exclude each other: one trusts a single authority, the other any "
            "certificate."
        )
    if (wanted.certificate is None) != (wanted.key is None):
        raise InputError("--cert and --key belong together: a certificate, and its private key, both PEM.")
    control, arm = _control(wanted, protocol, version)
    if wanted.unix_socket:
        if wanted.control is not None:
            raise InputError("--cc: a Unix socket has no congestion control. Leave it out.")
        control = Control(tcp=None, quic=control.quic)
    knobs = _knobs(wanted.knobs, arm)
    return Transport(
        protocol,
        Tls(
            version="1.2" if version == "1.2" else "1.3",
            ca=wanted.ca,
            insecure=wanted.insecure,
            certificate=wanted.certificate,
            key=wanted.key,
        ),
        "0rtt" if wanted.early else "resumed" if wanted.resume else "cold",
        control,
        knobs.of_client(arm),
        knobs.asked(),
    )


def _protocol(version: str | None, scheme: str) -> Protocol:
    if version is None:
        return "h2" if scheme == "https" else "h1"
    if version not in VERSIONS:
        raise InputError("--http: " + unknown("version of HTTP", version, VERSIONS))
    protocol = VERSIONS[version]
    if protocol == "h3" and scheme == "http":
        raise InputError("--http 3: HTTP/3 is never in the clear (RFC 9114 §3.1); write https://.")
    return protocol


def _refuse_in_the_clear(wanted: Wanted, scheme: str) -> None:
    if scheme == "https":
        return
    for flag, asked in (
        ("--tls", wanted.tls),
        ("--ca", wanted.ca),
        ("--insecure", wanted.insecure),
        ("--cert", wanted.certificate),
        ("--key", wanted.key),
        ("--resume", wanted.resume),
        ("--0rtt", wanted.early),
    ):
        if asked:
            raise InputError(f"{flag}: http:// is in the clear, without TLS; leave it out or write https://.")


def _control(wanted: Wanted, protocol: Protocol, version: str) -> tuple[Control, Arm]:
    known = arms.PROTOCOLS[protocol]
    if wanted.control is not None and wanted.control not in known:
        kind = f"congestion control of {SPOKEN[protocol]}"
        raise InputError("--cc: " + unknown(kind, wanted.control, known))
    name = wanted.control or arms.DEFAULT_CONGESTION_CONTROL
    arm = arms.parse(f"{protocol}@{name}{'+tls12' if version == '1.2' else ''}")
    if wanted.control is None and wanted.hosts_control and protocol != "h3":
        if any(word.startswith("pacing=") for word in wanted.knobs):
            raise InputError("--knob pacing: the path sets congestion control here. Write --cc NAME as well.")
        return Control(tcp=None), arm
    return Control(**arm.controls), arm


def _knobs(words: Sequence[str], arm: Arm) -> Knobs:
    table: dict[str, Any] = {}
    source = Source("--knob", "")
    for word in words:
        name, separator, text = word.partition("=")
        name = name.strip()
        if not separator or not name:
            raise InputError(f"--knob {word}: write KEY=VALUE, such as stream_window=64KiB.")
        if name in table:
            raise InputError(f"--knob {word}: {name!r} is set twice.")
        table[name] = toml_value(text)
        source.overrides[(name,)] = f"--knob {word}"
    reader = ExperimentReader(table, source)
    found = {name: read_knob(reader, name) for name in table}
    for name, value in found.items():
        why = lacking(arm, name, value) or impossible(arm, name, value)
        if why is not None:
            raise reader.error(name, f"{why}.")
        if not Knobs.model_validate({name: value}).of_client(arm) and _somebody_must(name, value):
            raise reader.error(
                name, f"a {KNOBS[name].words} of {SPOKEN[arm.protocol]} is a setting of the hosts: {_BENCH}."
            )
    return Knobs.model_validate(found)


def _somebody_must(name: str, value: Value) -> bool:
    return not (name == "offloads" and value)


def settings(asked: dict[str, Value]) -> str:
    """The knobs in words: `stream_window=65536, pacing=true`."""
    return ", ".join(f"{name}={_shown(value)}" for name, value in asked.items())


def _shown(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
