"""The journal: on disk, never doubled, and readable after whatever befell it."""

import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pronghorn.errors import HostError
from pronghorn.model.trial import OriginRequest, Trial
from pronghorn.runs import journal
from pronghorn.runs.journal import Journal

from .recorded import HEADER, trial


def written(directory: Path, count: int) -> list[Trial]:
    trials = [trial(block) for block in range(count)]
    with Journal(directory, HEADER) as record:
        for one in trials:
            record.append(one)
    return trials


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_what_was_written_is_read(tmp_path: Path) -> None:
    trials = written(tmp_path, 3)
    assert journal.read(tmp_path) == journal.Contents(HEADER, trials, [])


def test_a_trial_of_which_no_reader_would_take_the_line_is_recorded_as_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "MOST_LINE", 20_000)
    requests = [OriginRequest(path=f"/{number}", protocol="h2") for number in range(1000)]
    large = trial(0).model_copy(update={"origin_log": requests})
    crowded = trial(1).model_copy(
        update={"origin_log": requests, "status": "contaminated", "reason": "starved", "detail": "x"}
    )
    with Journal(tmp_path, HEADER) as record:
        recorded = [record.append(one) for one in (large, crowded, trial(2))]

    assert journal.read(tmp_path) == journal.Contents(HEADER, recorded, [])
    assert [(one.status, one.reason, one.origin_log) for one in recorded] == [
        ("failed", "too-large", []),
        ("contaminated", "starved", []),
        ("ok", None, []),
    ]


def test_appending_again_writes_no_second_header(tmp_path: Path) -> None:
    written(tmp_path, 1)
    with Journal(tmp_path, HEADER) as record:
        record.append(trial(1))
    lines = (tmp_path / journal.JOURNAL).read_text(encoding="utf-8").splitlines()
    assert [line.startswith('{"type":"run"') for line in lines] == [True, False, False]


@pytest.mark.parametrize("lost", [1, 20, 300])
def test_a_cut_off_last_line_is_dropped_and_the_rest_used(tmp_path: Path, lost: int) -> None:
    trials = written(tmp_path, 3)
    path = tmp_path / journal.JOURNAL
    os.truncate(path, path.stat().st_size - lost)
    contents = journal.read(tmp_path)
    kept = 3 if lost == 1 else 2
    assert contents.trials == trials[:kept]
    with Journal(tmp_path, HEADER) as record:
        record.append(trial(9))
    assert journal.read(tmp_path).trials == [*trials[:kept], trial(9)]


def test_corrupt_lines_are_set_aside_with_a_warning_each(tmp_path: Path) -> None:
    trials = written(tmp_path, 3)
    path = tmp_path / journal.JOURNAL
    lines = path.read_bytes().splitlines()
    path.write_bytes(
        b"\n".join([lines[0], lines[1], b"\xff\x00 rubbish", b'{"type":"trial"}', lines[2], lines[3], b""])
    )
    contents = journal.read(tmp_path)
    assert contents.trials == trials
    assert [warning.partition(": ")[0].rpartition(", ")[2] for warning in contents.warnings] == [
        "line 3",
        "line 4",
    ]
    assert (tmp_path / journal.CORRUPT).read_bytes() == b'\xff\x00 rubbish\n{"type":"trial"}\n'
    assert journal.read(tmp_path) == journal.Contents(HEADER, trials, [])


def test_a_trial_recorded_twice_counts_once(tmp_path: Path) -> None:
    written(tmp_path, 1)
    with Journal(tmp_path, HEADER) as record:
        record.append(trial(0))
    contents = journal.read(tmp_path)
    assert contents.trials == [trial(0)]
    assert len(contents.warnings) == 1


def test_a_lost_header_is_put_back(tmp_path: Path) -> None:
    trials = written(tmp_path, 2)
    path = tmp_path / journal.JOURNAL
    path.write_bytes(path.read_bytes().partition(b"\n")[2])
    assert journal.read(tmp_path).header is None
    journal.restore_header(tmp_path, HEADER)
    assert journal.read(tmp_path) == journal.Contents(HEADER, trials, [])


def test_a_full_disk_is_a_host_error_that_loses_nothing_recorded(tmp_path: Path) -> None:
    trials = written(tmp_path, 2)
    size = (tmp_path / journal.JOURNAL).stat().st_size
    with Journal(tmp_path, HEADER) as record:
        with file_size_limit(size + 10), pytest.raises(HostError) as caught:
            record.append(trial(2))
        assert caught.value.exit_status == 3
        assert "--resume" in str(caught.value.hint)
        assert journal.read(tmp_path) == journal.Contents(HEADER, trials, [])
        record.append(trial(2))
    assert journal.read(tmp_path).trials == [*trials, trial(2)]


def test_a_device_without_space_is_a_host_error_with_the_mend(tmp_path: Path) -> None:
    (tmp_path / journal.JOURNAL).symlink_to("/dev/full")
    with pytest.raises(HostError, match="No space left on device") as caught:
        Journal(tmp_path, HEADER)
    assert "Free some space" in str(caught.value.hint)


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    journal.replace(path, b"old")
    with file_size_limit(100), pytest.raises(HostError):
        journal.replace(path, b"new" * 1000)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
