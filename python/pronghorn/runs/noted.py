"""What a manifest notes, as its readers take it: an entry of another form is left out, and the rest stays."""

from functools import cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from pronghorn.model import bounds
from pronghorn.model.bounds import Count, Moment, Number, Several, Text, Whole

PREFLIGHT = "preflight"
"""The key of what the loads before the first trial recorded."""

_Word = Text | None
_Figure = Text | bool | Whole | Number | None
_Table = Annotated[dict[Text, Any], Several]
_Texts = Annotated[list[Text], Several]
_Tables = Annotated[dict[Text, _Table], Several]


class _Entry(BaseModel):
    """A table of which so much is looked at."""

    model_config = ConfigDict(extra="allow", strict=True)


class _Arm(_Entry):
    origins: dict[Text, dict[Text, _Figure | list[_Figure]]] = {}


class _Warning(_Entry):
    code: Text
    text: Text
    remedy: Text


class _Probe(_Entry):
    direction: Text
    quantity: Text
    unit: Text
    verdict: Text
    measured: Number | None = None
    asked: Number | None = None


class _Calibration(_Entry):
    path: Text
    passed: bool
    fault: _Word = None
    rows: list[_Probe] = []


class _Setting(_Entry):
    setting: Text
    unit: _Word
    by_arm: dict[Text, _Figure | list[_Figure]]
    equal: bool | None
    effect: Text
    remedy: _Word


class _Fairness(_Entry):
    cell: dict[Text, Text]
    rows: list[_Setting]
    unequalled: list[Text]


class _Chain(_Entry):
    chain_bytes: Count
    first_flight_bytes: Count


class _Host(_Entry):
    cores: Count | None = None
    load_average: Number | None = None


class _Preflight(_Entry):
    origin: Text
    client: Text
    arm: Text
    reason: _Word
    detail: _Word


class _Session(_Entry):
    commit: _Word = None
    started: _Word = None
    host: _Host | None = None


_FORMS: dict[str, Any] = {
    **dict.fromkeys(
        ("program", "commit", "engine", "started", "ended", "name", "experiment", "isolation"), _Word
    ),
    **dict.fromkeys(("isolation_reason", "label"), _Word),
    **dict.fromkeys(("command_line", "offloads", "explanations"), _Texts),
    **dict.fromkeys(("sysctls", "bench_sysctls"), dict[Text, _Figure]),
    **dict.fromkeys(("libraries", "path_sources"), dict[Text, Text]),
    **dict.fromkeys(("origins", "clients"), _Tables),
    **dict.fromkeys(("jobs", "trials"), Count | None),
    "paths": dict[Text, _Table | None],
    "seed": Whole,
    "fair": bool,
    "host": _Host | None,
    "arms": dict[Text, _Arm],
    "warnings": Annotated[list[_Warning], Several],
    "fairness": Annotated[list[_Fairness], Several],
    "calibration": Annotated[list[_Calibration], Several],
    "preflight": Annotated[list[_Preflight], Several],
    "certificate": _Chain | None,
    "overhead_s": dict[Text, Moment | None] | None,
    "discards": dict[Text, Count],
    "resumed": Annotated[list[_Session], Several],
}


@cache
def _form(key: str) -> TypeAdapter[Any]:
    return TypeAdapter(_FORMS[key])


def usable(notes: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Of a manifest's entries those that have the form that their readers take, and of each other one what is
    wrong with it. Keys of a newer version are kept."""
    faults = []
    kept = {}
    for key, value in notes.items():
        try:
            if key in _FORMS:
                _form(key).validate_python(value)
            kept[key] = value
        except ValidationError as error:
            faults.append(f"{key}: {bounds.wrong(error)}")
    return kept, faults
