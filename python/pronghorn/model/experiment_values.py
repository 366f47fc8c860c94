"""The values of an experiment's keys, each read and checked by itself; InputError where one is wrong."""

import re
from typing import Literal

from pronghorn.errors import unknown
from pronghorn.model import arm as arm_words
from pronghorn.model import sampling, units
from pronghorn.model.arm import Arm
from pronghorn.model.cell import GUEST, HOST
from pronghorn.model.experiment_reader import ExperimentReader

DEFAULT_REPEAT = 20
DEFAULT_LIMIT = "180s"
DEFAULT_MARGIN = "3%"
NO_PAUSE = "0s"
DEFAULT_CACHE_CONTROL = "no-store"
CACHEABLE = "max-age=86400"
"""The origin's Cache-Control if an arm keeps the cache of an earlier visit and the experiment sets none."""


State = Literal["fresh", "kept"]
STATES = ("fresh", "kept")
"""Whether each load has a bench, an origin and a client of its own, or all loads of an arm in a cell share
them."""

Preflight = Literal["on", "off", "warn"]
PREFLIGHTS: dict[Preflight, bool | str] = {"on": True, "off": False, "warn": "warn"}
"""What happens to a run whose arms fail in a load before the schedule, as written: it ends, there is no such
load, or it continues with a warning."""

Clock = Literal["real", "virtual", "both"]
CLOCKS: tuple[Clock, ...] = ("real", "virtual", "both")
"""Whether trials take real time, or run in guests whose clock skips idle time and counts no computing, or
each cell is measured both ways."""

KERNEL_NAME = r"[A-Za-z0-9][\w.-]{0,63}"
"""The names that a guest's kernel can have."""

ARTIFACTS = ("pcapng", "flight", "arrivals", "qlog", "har", "netlog", "screenshot", "filmstrip")
"""The artifacts that trials can write beside their line in the journal: the first two by the bench, the
others by clients, and `qlog` by the built-in origin too."""


def cache_control(reader: ExperimentReader, arm_list: tuple[Arm, ...]) -> str:
    """The origin's Cache-Control: nothing is stored, unless an arm keeps a cache."""
    warm = next((arm for arm in arm_list if arm.warm), None)
    text = reader.text("cache_control", CACHEABLE if warm else DEFAULT_CACHE_CONTROL)
    if not all(" " <= letter <= "~" for letter in text):
        raise reader.error("cache_control", f"{text!r} is no value of a header field.")
    if warm and "no-store" in text.lower():
        raise reader.error(
            "cache_control",
            f"{text!r} lets no cache store anything, but arm '{warm.name}' needs a warm one. Leave out "
            f"the key (the default is '{CACHEABLE}') or '+warm'.",
        )
    return text


def arms(reader: ExperimentReader) -> tuple[Arm, ...]:
    """The arms, none of them twice under two names."""
    parsed: list[Arm] = []
    for name in reader.names("arms"):
        try:
            arm = arm_words.parse(name)
        except arm_words.ArmError as error:
            raise reader.source.error(("arms",), str(error), element=name) from None
        for earlier in parsed:
            if earlier.identity == arm.identity:
                raise reader.source.error(
                    ("arms",),
                    f"{name!r} is listed twice: {earlier.name!r} is the same arm. A label distinguishes "
                    f"equal arms, such as '{name}#again'.",
                    element=name,
                )
        parsed.append(arm)
    return tuple(parsed)


def baseline(reader: ExperimentReader, arm_list: tuple[Arm, ...]) -> str:
    """The name of the arm that the others are compared with."""
    names = [arm.name for arm in arm_list]
    default = next((arm.name for arm in arm_list if arm.protocol == "h2"), names[0])
    name = reader.text("baseline", default)
    if name not in names:
        raise reader.source.error(("baseline",), unknown("arm", name, names))
    return name


def repeat(reader: ExperimentReader) -> int:
    """The number of blocks; the most of them where sampling ends when the answer is known."""
    found = sampling.parse(reader)
    if found is not None:
        return found.most
    return int(reader.whole("repeat", DEFAULT_REPEAT, least=1, most=sampling.MOST))


def state(reader: ExperimentReader) -> State:
    """Whether state is kept between loads."""
    name = reader.choice("state", "state", STATES, "fresh")
    return "kept" if name == "kept" else "fresh"


def pause(reader: ExperimentReader) -> str:
    """What lies between the loads of a client whose state is kept, as written."""
    value = reader.table.get("pause", NO_PAUSE)
    if "pause" in reader and state(reader) != "kept":
        raise reader.error("pause", 'a pause separates the loads of one client, so it needs state = "kept".')
    try:
        units.time_ns(value)
    except units.UnitError as error:
        raise reader.error("pause", f"{error}.") from None
    return str(value)


def artifacts(reader: ExperimentReader) -> tuple[str, ...]:
    """What trials leave."""
    names = reader.known("artifacts", "artifact", ARTIFACTS, ())
    if names and state(reader) == "kept":
        raise reader.error(
            "artifacts",
            "artifacts are written when a bench closes, and a kept bench closes after many loads. They "
            'need state = "fresh".',
        )
    return names


def preflight(reader: ExperimentReader) -> Preflight:
    """Whether each arm is loaded once before the schedule, and whether a failure ends the run."""
    value = reader.table.get("preflight", True)
    for name, written in PREFLIGHTS.items():
        if value == written and isinstance(value, (bool, str)):
            return name
    raise reader.error("preflight", f'{value!r} is none of true, false and "warn".')


def clock(reader: ExperimentReader) -> Clock:
    """Which clock the trials have."""
    value = reader.text("clock", "real")
    for known in CLOCKS:
        if value == known:
            return known
    raise reader.source.error(("clock",), unknown("clock", value, CLOCKS))


def kernels(reader: ExperimentReader) -> tuple[str, ...]:
    """The versions of the guests' kernels, none where the newest that is built is meant."""
    names = reader.names("kernels", ())
    if names and clock(reader) == "real":
        raise reader.error(
            "kernels",
            "trials in real time run on this machine's own kernel, so kernels can be chosen for guests "
            'only. Write clock = "virtual", or clock = "both" to measure on this machine as well.',
        )
    for name in names:
        if re.fullmatch(KERNEL_NAME, name) is None or name in (HOST, GUEST, "newest"):
            raise reader.error(
                "kernels",
                f"{name!r} is no version of a kernel. Write one such as \"6.12\". 'pronghorn guest' "
                "lists the kernels that are built.",
                element=name,
            )
    return names


def limit(reader: ExperimentReader) -> str:
    """How long a load may last, as written."""
    value = reader.table.get("limit", DEFAULT_LIMIT)
    try:
        if units.time_ns(value) == 0:
            raise units.UnitError(f"{value!r}: a limit must be greater than zero")
    except units.UnitError as error:
        raise reader.source.error(("limit",), f"{error}.") from None
    return str(value)


def margin(reader: ExperimentReader) -> str:
    """The equivalence margin, as written."""
    value = reader.table.get("margin", DEFAULT_MARGIN)
    try:
        if units.share(value) >= 1:
            raise units.UnitError(f"{value!r}: a margin must be less than 100%")
    except units.UnitError as error:
        raise reader.source.error(("margin",), f"{error}.") from None
    return str(value)


def margin_time(reader: ExperimentReader) -> str | None:
    """The equivalence margin of differences of times, as written; None where there is none."""
    value = reader.table.get("margin_time")
    if value is None:
        return None
    try:
        units.mean_time_ns(value)
    except units.UnitError as error:
        raise reader.error("margin_time", f"{error}.") from None
    return str(value)


MOST_TOLERATED = 100
"""How many patterns of requests that may fail an experiment may list."""

_MOST_PATTERN = 2048


def tolerate(reader: ExperimentReader) -> tuple[str, ...]:
    """Globs, over path and query, of the requests that may fail; `*` is any run of characters."""
    patterns = reader.names("tolerate", ()) if reader.table.get("tolerate") != [] else ()
    if len(patterns) > MOST_TOLERATED:
        raise reader.error("tolerate", f"{len(patterns)} patterns; at most {MOST_TOLERATED} are allowed.")
    for pattern in patterns:
        if not pattern.startswith(("/", "*")):
            raise reader.error(
                "tolerate",
                f"{pattern!r} matches no request: a path begins with '/'. '*' stands for any characters, "
                'such as "/collect*".',
                element=pattern,
            )
        if len(pattern) > _MOST_PATTERN:
            raise reader.error(
                "tolerate",
                f"{pattern[:40]!r}… has {len(pattern)} characters; at most {_MOST_PATTERN} are allowed.",
            )
    return patterns
