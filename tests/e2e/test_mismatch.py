"""A server that doesn't speak what was asked for: nothing falls back in silence."""

from pathlib import Path

import pytest

from . import experiments, programme

pytestmark = [pytest.mark.needs("namespaces", "engine", "chromium", "caddy"), pytest.mark.beside]

WITHOUT_H2 = """\
{
	admin off
	auto_https off
	servers {
		protocols h1 h3
	}
}
https://:${PRONGHORN_PORT} {
	bind ${PRONGHORN_ADDRESS}
	tls "${PRONGHORN_CERTIFICATE}" "${PRONGHORN_KEY}"
	log {
		output file "${PRONGHORN_LOG}"
	}
	header {
		${PRONGHORN_HEADERS}
	}
	root "${PRONGHORN_ROOT}"
	file_server
}
"""


def test_a_browser_that_falls_back_to_http_1_fails_the_trial_with_reason_protocol(tmp_path: Path) -> None:
    (tmp_path / "Caddyfile").write_text(WITHOUT_H2, encoding="utf-8")
    experiment = experiments.write(tmp_path, arms=("h2", "h3"), repeat=1, sites=("tiny",))
    found = programme.load_every_arm(
        *(str(experiment), "--set=clients=chromium", "--set=origins=caddy:Caddyfile"),
        arms=("h2", "h3"),
        folder=tmp_path,
        enough=lambda found: any(trial.status == "failed" for trial in found.run.trials()),
    )
    judged = [trial for trial in found.loads if trial.status != "contaminated"]
    assert {(trial.arm, trial.status, trial.reason) for trial in judged} <= {
        ("h2", "failed", "protocol"),
        ("h3", "ok", None),
    }
    # More than one where a crowded host spoilt the other arm's trial, with which a block is repeated.
    fallen = [trial for trial in judged if trial.arm == "h2"]
    assert fallen
    for trial in fallen:
        assert trial.detail == "asked h2, but the client got / over h1"
        assert trial.page is not None and {one.protocol for one in trial.page.resources} == {"h1"}
        assert {request.protocol for request in trial.origin_log} == {"h1"}
    assert "did not measure what was asked for" in found.said
