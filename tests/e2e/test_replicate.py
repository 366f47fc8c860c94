"""A study is replicated with real packets: the smallest of its runs, once."""

import json
from pathlib import Path

import pytest

from pronghorn.model import study as studies

from . import programme
from .programme import Run

pytestmark = pytest.mark.needs("namespaces", "engine")

RUN = ("replicate", "cloudflare/controls", "--quick", "--blocks", "1")
ARMS = {"h2@bbr", "h3@cubic", "h3@newreno"}


def test_a_run_of_a_study_is_made_judged_and_put_on_a_page(tmp_path: Path) -> None:
    done = programme.run(*RUN, "--json", "--pages", "pages", folder=tmp_path)
    programme.assert_ended(done)
    [study] = json.loads(done.stdout)
    claims = {claim["claim"]: claim for claim in study["claims"]}
    assert list(claims) == [claim.text for claim in studies.read("cloudflare").claims]
    beats = claims["CUBIC beats New Reno on larger transfers with loss."]
    assert beats["state"] == "undecided"
    trials = Run(tmp_path / "runs/replications/cloudflare-controls-quick-1").trials()
    assert {trial.arm for trial in trials} == ARMS
    if all(trial.status == "ok" for trial in trials):
        [part] = beats["readings"][0]["parts"]
        assert part["ours"]["value"] > 0
        assert part["ours"]["reason"] == "needs more blocks (1 of at least 6)"
    page = (tmp_path / "pages" / "cloudflare.md").read_text(encoding="utf-8")
    assert "h3@cubic ÷ h3@newreno on 1 MB, 1 % lost" in page
    again = programme.run(*RUN, "--json", folder=tmp_path)
    assert json.loads(again.stdout) == json.loads(done.stdout)
