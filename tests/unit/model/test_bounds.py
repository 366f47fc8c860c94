"""One set of bounds for what comes from outside: what is beyond it is refused with its name, its value and
what is allowed."""

import json
from pathlib import Path
from typing import Any

import pytest

from pronghorn.clients import result
from pronghorn.engine import EngineError, record
from pronghorn.model import bounds, foreign
from pronghorn.model.trial import Counters, PageLoad, RunHeader
from pronghorn.runs import journal
from pronghorn.runs.journal import Journal

from ..runs.recorded import HEADER, trial


def load(**changed: Any) -> bytes:
    """A client's own result, as JSON with what Python calls NaN and infinity."""
    resource = {"path": "/", "protocol": "h2", "status": 200}
    return json.dumps({"outcome": "ok", "load_s": 0.5, "resources": [resource], **changed}).encode()


def deep(levels: int) -> list[Any]:
    return [deep(levels - 1)] if levels else []


def short(**changed: Any) -> bytes:
    told = {"ok": True, "load_s": 0.5, "protocol": "h2", "requests": [{"path": "/", "status": 200}]}
    return json.dumps(told | changed).encode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (load(load_s=-1.0), "load_s is -1.0: it should be greater than or equal to 0.000000001"),
        (load(load_s=0), "load_s is 0: it should be greater than or equal to 0.000000001"),
        (load(load_s=1e12), "load_s is 1000000000000.0: it should be less than or equal to 316224000"),
        (load(load_s=float("nan")), "it is no JSON: expected value at line 1 column"),
        (b'{"outcome":"ok","load_s":1e999}', "load_s is inf: figures are finite and within ±1e+18"),
        (load(requests=10**30), f"requests is {10**30}: whole numbers lie within ±{2**64 - 1}"),
        (load(requests=2**60), f"requests is {2**60}: it should be less than or equal to {2**53 - 1}"),
        (load(requests=-1), "requests is -1: it should be greater than or equal to 0"),
        (load(vitals={"lcp_s": -1e300}), "vitals.lcp_s is -1e+300: figures are finite and within ±1e+18"),
        (load(vitals={"lcp_s": -1e3}), "vitals.lcp_s is -1000.0: it should be greater than or equal to 0"),
        (load(vitals=[1]), "vitals is a list: it should be a valid dictionary or instance of Vitals"),
        (load(own={"score": 1e200}), "own.score is 1e+200: figures are finite and within ±1e+18"),
        (load(resources=[{"path": "/", "status": 70_000}]), "resources.0.status is 70000: it should be less"),
        (load(detail="x" * (2**20 + 1)), "detail has 1048577 characters: 1048576 at most are allowed"),
        (
            load(resources=[{"path": "/"}] * 100_001),
            "resources has 100001 entries: 100000 at most are allowed",
        ),
        (b"[" * 300_000, "it is nested too deep at line 1 column 202; 64 levels are allowed"),
        (load(own=deep(70)), "nested deeper than 64 levels"),
        (load(detail="\ud800"), "it is no JSON: "),
        (b"\xff\xfe{}", "it is no JSON: "),
        (b"[]", "it is no table, but a list"),
        (b"null", "it is no table, but null"),
        (short(load_s=-1), "load_s is -1: it should be greater than or equal to 0.000000001"),
        (short(requests=[{"path": "/", "bytes": -1}]), "requests.0.bytes is -1: it should be greater than"),
        (short(vitals={}), "vitals is no key of it"),
        (b'{"load_s":1}', "ok is missing"),
    ],
    ids=lambda value: "" if isinstance(value, bytes) else value[:40],
)
def test_a_result_beyond_the_bounds_names_field_value_and_what_is_allowed(
    tmp_path: Path, content: bytes, said: str
) -> None:
    (file := tmp_path / "result.json").write_bytes(content)
    with pytest.raises(ValueError) as caught:
        result.read(file)
    assert str(caught.value).startswith(f"the result is not as specified: {said}")
    assert len(str(caught.value)) < 300


def test_what_a_message_shows_of_a_value_is_short_and_plain() -> None:
    assert bounds.shown("\x1b[2J\ud800é") == r"'\x1b[2J\ud800\xe9'"
    assert bounds.shown("x" * 1000) == "'" + "x" * 58 + "… (1002 characters)"
    assert bounds.shown([1] * 1000) == "a list"


def test_the_engines_answers_are_held_to_the_same_bounds() -> None:
    with pytest.raises(EngineError, match=r"down\.packets_in is -1: it should be greater than or equal to 0"):
        record(Counters, {"down": {"packets_in": -1}})
    with pytest.raises(EngineError, match=r"newer.x is 1e\+300|x is 1e\+300: figures are finite"):
        record(Counters, {"newer": {"x": 1e300}})


def test_what_a_newer_program_tells_is_kept_within_the_bounds() -> None:
    told = {"outcome": "ok", "newer": {"list": [1, 2.5, "x", None, True]}}
    assert PageLoad.model_validate(told).model_dump(exclude_unset=True) == told
    header = RunHeader(program="x", seed=2**63, experiment="e", newer=[1])  # type: ignore[call-arg]
    assert RunHeader.model_validate_json(header.model_dump_json()) == header


def test_a_load_of_almost_no_time_and_of_years_is_within_the_bounds() -> None:
    for load_s in (bounds.LEAST_S, 1e-6, 3.0, bounds.MOST_SECONDS):
        assert result.parse(load(load_s=load_s)).load_s == load_s


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"type":"trial","cell":' + b"[" * 300_000, "nested too deep"),
        (b"[" * 300_000, "nested too deep"),
        (b"\x00" * 100, "not readable (cut off or corrupt)"),
        (b"\xef\xbb\xbf{}", "not readable (cut off or corrupt)"),
        (b'"\\ud800"', "not readable (cut off or corrupt)"),
        (b"17", "no record"),
        (b"{}", "no trial's record (cell is missing)"),
    ],
    ids=range(7),
)
def test_a_line_that_is_no_record_is_set_aside_with_its_reason(
    tmp_path: Path, line: bytes, said: str
) -> None:
    with Journal(tmp_path, HEADER) as record_:
        record_.append(trial(0))
    file = tmp_path / journal.JOURNAL
    file.write_bytes(file.read_bytes() + line + b"\r\n")
    contents = journal.read(tmp_path)
    assert (contents.header, contents.trials) == (HEADER, [trial(0)])
    assert contents.warnings == [
        f"{file}, line 3: {said}; moved to {journal.CORRUPT}, and its trial is measured again."
    ]
    assert (tmp_path / journal.CORRUPT).read_bytes() == line + b"\r\n"


def test_a_line_without_end_is_set_aside_in_bounded_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "MOST_LINE", 5000)
    with Journal(tmp_path, HEADER) as record_:
        record_.append(trial(0))
    file = tmp_path / journal.JOURNAL
    endless = b'{"type":"trial"' + b" " * 3_000_000
    with Journal(tmp_path, HEADER) as record_:
        file.write_bytes(file.read_bytes() + endless + b"\n")
        record_.append(trial(1))
    contents = journal.read(tmp_path)
    assert contents.trials == [trial(0), trial(1)]
    assert "line 3: longer than" in contents.warnings[0]
    assert (tmp_path / journal.CORRUPT).read_bytes() == endless + b"\n"


def test_a_success_without_a_time_is_no_record(tmp_path: Path) -> None:
    with Journal(tmp_path, HEADER) as record_:
        record_.append(trial(0))
    file = tmp_path / journal.JOURNAL
    file.write_text(
        file.read_text(encoding="utf-8").replace('"load_s":1.5', '"load_s":null'), encoding="utf-8"
    )
    (warning,) = journal.read(tmp_path).warnings
    assert "its status is ok, but metrics.load_s is null" in warning


def test_json_from_outside_has_no_constants_that_json_lacks() -> None:
    for text in ("NaN", "Infinity", "-Infinity", "[1,]", "{'a':1}", ""):
        with pytest.raises(foreign.Malformed):
            foreign.json(text)
    with pytest.raises(foreign.Malformed, match="longer than 3 bytes"):
        foreign.json("[1,2]", most_bytes=3)
    assert foreign.json('{"a":1,"a":2}') == {"a": 2}
