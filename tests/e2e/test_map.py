"""A tiny break-even map over real paths: interrupted, resumed, and told."""

import json
import signal
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pronghorn.model.trial import TrialKey

from . import programme, reading
from .killing import wait_until
from .programme import Run

pytestmark = [pytest.mark.needs("namespaces", "chromium"), pytest.mark.beside]

RANGES = ["--rtt", "5ms..40ms", "--loss", "0..2%", "--rate", "20Mbit"]
TERMS = ["--site", "tiny", *RANGES, "--budget", "36", "--seed", "1"]


def recorded(folder: Path) -> set[tuple[str, TrialKey]]:
    """The trials on record, each with the batch that it is of; a last line may be cut off."""
    found = set()
    for journal in folder.glob("batches/*/trials.jsonl"):
        content = journal.read_text(encoding="utf-8")
        lines = content[: content.rfind("\n") + 1].splitlines()
        found |= {(journal.parent.name, trial.key) for trial in programme.parse(lines)}
    return found


def test_a_map_that_was_interrupted_goes_on_and_loses_nothing(tmp_path: Path) -> None:
    out = tmp_path / "map"
    started = programme.start("map", *TERMS, "--out", "map", folder=tmp_path)
    wait_until(lambda: "a trial on record", lambda: recorded(out))
    time.sleep(0.1)
    started.process.send_signal(signal.SIGINT)
    interrupted = started.ended()
    before = recorded(out)

    result = programme.run("map", "--resume", "map", "--json", folder=tmp_path)

    assert interrupted.status == 130, interrupted.stderr
    assert "pronghorn map --resume map" in interrupted.stderr
    assert result.status == 0, result.stderr
    assert before <= recorded(out)
    for batch in sorted(out.glob("batches/*")):
        assert programme.doubled(Run(batch).trials()) == []
    data = json.loads(result.stdout)
    assert data == json.loads((out / "map.json").read_bytes())
    # Five alike points can decide all of so small a map: in one of 25 runs they did.
    further = {"budget": [2], "decided": []}[data["stopped"]]
    assert [one["batch"] for one in data["points"]] == [1, 1, 1, 1, 1, *further]
    assert data["trials"] == 2 * sum(len(one["blocks"]) for one in data["points"])
    assert sum(data["regions"].values()) == pytest.approx(1, abs=1e-3)
    assert data["sentences"][0].startswith("On tiny, HTTP/3 ")
    assert ElementTree.parse(out / "map.svg").getroot().get("aria-label") == " ".join(data["sentences"])
    assert data["sentences"][0] in (out / "map.html").read_text(encoding="utf-8")
    with reading.reader() as reader, reader.opened(out / "map.html", width=reading.PHONE) as page:
        reading.unfold(page)
        assert reading.faults(page) == []
        leads_to = page.get_by_role("link", name="The report of the run").first.get_attribute("href") or ""
    assert 'href="../../map.html"' in (out / leads_to).read_text(encoding="utf-8")
