"""A skimmed journal says what the whole one says, and gives single trials whole."""

import json
from pathlib import Path

import pytest

from pronghorn.model.trial import PageLoad, RunHeader, Trial
from pronghorn.report import html
from pronghorn.runs import journal
from pronghorn.runs.journal import Journal
from pronghorn.runs.skim import skim

from ..analysis.pages import loaded, page, resource
from ..analysis.reported import MANIFEST, summary
from ..analysis.synthetic import Behaviour, cell, run

HEADER = RunHeader(program="test", seed=1, experiment="e")


def trials() -> list[Trial]:
    """A run with counters, and one whose requests are told, over several protocols."""
    counted = run({cell("lte-poor"): {"h2": Behaviour(1.0, fails=0.2), "h3~https": Behaviour(0.9)}})
    both = page([resource(0, "h2"), resource(1, "h3")], vitals={"lcp_s": 0.4})
    one = page([resource(0)], vitals={"lcp_s": 0.5})
    told: list[tuple[str, PageLoad | None]] = [("h2", one), ("h3~https", both)]
    return counted + [
        loaded(arm, block, 0.6 + block / 100, of, path="lan").model_copy(update={"warnings": ["odd"]})
        for arm, of in told
        for block in range(5)
    ]


def written(folder: Path, recorded: list[Trial]) -> list[Trial]:
    with Journal(folder, HEADER) as record:
        for one in recorded:
            record.append(one)
    return recorded


def test_summary_and_report_are_those_of_the_whole_journal(tmp_path: Path) -> None:
    written(tmp_path, [with_protocols(one) for one in trials()])
    arms = ["h2", "h3~https"]
    whole, skimmed = journal.read(tmp_path), skim(tmp_path)
    expected = summary(whole.trials, arms=arms)
    assert (skimmed.header, skimmed.warnings) == (whole.header, [])
    assert summary(list(skimmed.trials), arms=arms, requests=skimmed.requests) == expected
    assert any("over h2, " in note for found in expected.cells for note in found.notes)
    text = html.document(expected, whole.trials, MANIFEST)
    assert html.document(expected, skimmed.trials, MANIFEST, whole=skimmed.whole) == text
    assert "Waterfalls" in text


def with_protocols(one: Trial) -> Trial:
    """As the program records it: the metrics have the protocols of the page's requests."""
    seen = [each.protocol for each in one.page.resources if each.protocol] if one.page else []
    protocols = {name: seen.count(name) for name in sorted(set(seen))}
    return one.model_copy(update={"metrics": one.metrics.model_copy(update={"protocols": protocols})})


def test_a_journal_may_be_written_with_white_space(tmp_path: Path) -> None:
    written(tmp_path, trials())
    told = [one.page is not None and one.page.tells_requests for one in skim(tmp_path).trials]
    file = tmp_path / journal.JOURNAL
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    spaced = [one.page is not None and one.page.tells_requests for one in skim(tmp_path).trials]
    assert spaced == told
    assert True in told


def test_a_trial_is_had_whole_with_its_requests(tmp_path: Path) -> None:
    recorded = written(tmp_path, trials())
    skimmed = skim(tmp_path)
    assert not any(one.page.resources for one in skimmed.trials if one.page is not None)
    assert [one.page is None or one.page.tells_requests for one in skimmed.trials] == [True] * len(recorded)
    assert [skimmed.whole(one) for one in skimmed.trials] == recorded


def test_the_trials_of_a_cell_share_it(tmp_path: Path) -> None:
    written(tmp_path, trials())
    assert len({id(one.cell) for one in skim(tmp_path).trials}) == 2


@pytest.mark.parametrize("broken", [b"{", b'{"type":"trial"}\n', b"[]\n", b'{"type":"run"}\n'])
def test_lines_that_cannot_be_used_are_set_aside_as_by_reading(tmp_path: Path, broken: bytes) -> None:
    recorded = written(tmp_path, trials()[:3])
    file = tmp_path / journal.JOURNAL
    file.write_bytes(file.read_bytes() + broken)
    skimmed = skim(tmp_path)
    assert [one.key for one in skimmed.trials] == [one.key for one in recorded]
    (warning,) = skimmed.warnings
    assert "line 5" in warning
    assert (tmp_path / journal.CORRUPT).read_bytes().rstrip(b"\n") == broken.rstrip(b"\n")
    assert skim(tmp_path).warnings == []


def test_a_record_that_stands_there_already_counts_once(tmp_path: Path) -> None:
    recorded = written(tmp_path, trials()[:2])
    with Journal(tmp_path, HEADER) as record:
        record.append(recorded[0])
    skimmed = skim(tmp_path)
    assert [one.key for one in skimmed.trials] == [one.key for one in recorded]
    assert len(skimmed.warnings) == 1


def test_a_folder_without_a_journal_has_no_trials(tmp_path: Path) -> None:
    assert skim(tmp_path).trials == []
