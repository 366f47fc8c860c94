"""site.toml: what is said of a whole archive. People may edit it."""

import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from pronghorn.model import bounds, units
from pronghorn.model.browser import MOST_PIXELS
from pronghorn.model.source import Source
from pronghorn.model.toml_text import inline
from pronghorn.sites.archive import limits
from pronghorn.sites.archive.exchange import Protocol, Url, Word

FORMAT = 1
"""The format that is read and written."""

Words = Annotated[str, Field(max_length=1000)]
Pixels = Annotated[int, Field(ge=1, le=MOST_PIXELS)]


def _delay(text: str) -> str:
    units.time_ns(text)
    return text


def _moment(text: str) -> str:
    moment = datetime.datetime.fromisoformat(text)
    if moment.utcoffset() != datetime.timedelta(0):
        raise ValueError("write a time in UTC, such as 2026-11-26T14:00:00Z")
    return text


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Device(_Table):
    """What the page was loaded as: the `name` of a device of Playwright's, `width` and `height` of the
    viewport in CSS pixels, `scale` in device pixels per CSS pixel. Only what is known is set."""

    name: Words | None = None
    width: Pixels | None = None
    height: Pixels | None = None
    scale: Annotated[float, Field(gt=0, le=10)] | None = None
    mobile: bool | None = None
    user_agent: Words | None = None


class Host(_Table):
    """A host. `protocols`: those it was seen with or advertised. `group`: hosts of the same number shared an
    address; None: not known. `rtt_s` is the round trip as recorded, by the handshake of TCP; `delay` a round
    trip that is to be added, with its unit."""

    first_party: bool
    protocols: tuple[Protocol, ...] = ()
    group: Annotated[int, Field(ge=1, le=limits.MOST_HOSTS)] | None = None
    rtt_s: bounds.Seconds | None = None
    delay: Annotated[Word, AfterValidator(_delay)] | None = None

    @property
    def delay_ns(self) -> int:
        """The round trip to be added, in nanoseconds."""
        return units.time_ns(self.delay) if self.delay is not None else 0


class Made(_Table):
    """What the source lacked and the importer made up: `bodies` of seeded bytes, `bytes` in all, and the
    bodies of which not even the size was known (`sizes`); `recoded` bodies had been decoded."""

    bodies: bounds.Count = 0
    bytes: bounds.Count = 0
    sizes: bounds.Count = 0
    recoded: bounds.Count = 0


class Site(_Table):
    """The page and the circumstances of its recording.

    `recorded` is a time in UTC, `by` names the program and the browser with their versions, `page` is the
    URL that was asked for, `load_s` when its load event came, in seconds from its start. `left_out` counts
    by reason what was not taken over, `redacted` by kind the secrets that were replaced, `repaired` by
    kind what had to be put right."""

    format: Literal[1] = 1
    recorded: Annotated[Word, AfterValidator(_moment)]
    by: Words
    page: Url
    load_s: bounds.Seconds | None = None
    device: Device = Device()
    hosts: Annotated[dict[str, Host], Field(max_length=limits.MOST_HOSTS)]
    made: Made = Made()
    left_out: bounds.Counts = {}
    redacted: bounds.Counts = {}
    repaired: bounds.Counts = {}

    def to_toml(self) -> str:
        """The text of site.toml."""
        table = self.model_dump(mode="json", exclude_none=True)
        hosts = table.pop("hosts")
        sections = {name: value for name, value in table.items() if isinstance(value, dict)}
        lines = [f"{name} = {inline(value)}" for name, value in table.items() if name not in sections]
        sections |= {f"hosts.{inline(name)}": host for name, host in sorted(hosts.items())}
        for name, section in sections.items():
            if section:
                lines += ["", f"[{name}]"]
                lines += [f"{_key(key)} = {inline(value)}" for key, value in section.items()]
        return "\n".join(lines) + "\n"


def parse(source: Source) -> Site:
    """site.toml; InputError, with line and key, where something is wrong in it."""
    table = source.table()
    source.refuse_unknown((), table, tuple(Site.model_fields))
    told = table.get("format")
    if told != FORMAT or isinstance(told, bool):
        raise source.error(
            ("format",),
            f"{bounds.shown(told)} is no format that this version reads; it reads {FORMAT}.",
            hint="Record or import the site again, or install a newer Pronghorn.",
        )
    _refuse_unknown(source, table)
    try:
        return Site.model_validate(table)
    except ValidationError as error:
        where = error.errors(include_url=False, include_context=False)[0]["loc"]
        keys = tuple(str(part) for part in where)
        raise source.error(keys, f"{bounds.wrong(error)}.") from None


def _refuse_unknown(source: Source, table: dict[str, Any]) -> None:
    parts: tuple[tuple[str, type[BaseModel]], ...] = (("device", Device), ("made", Made))
    for name, model in parts:
        if isinstance(part := table.get(name), dict):
            source.refuse_unknown((name,), part, tuple(model.model_fields))
    hosts = table.get("hosts")
    for name, host in hosts.items() if isinstance(hosts, dict) else ():
        if isinstance(host, dict):
            source.refuse_unknown(("hosts", name), host, tuple(Host.model_fields))


def _key(key: str) -> str:
    return key if key.isascii() and key.replace("_", "a").replace("-", "a").isalnum() else inline(key)
