"""A disk that runs full and a journal with a spoilt line cost no trial that stands on the disk."""

from pathlib import Path

import pytest

from pronghorn.model.trial import Trial

from . import experiments, programme
from .killing import whole_trials
from .programme import Run

pytestmark = pytest.mark.beside

ARMS = ("h2", "h3")
BLOCKS = 12

# What is on the tiny disk is copied to where the test can see it, when the disk is full and when all is done.
_TINY_DISK = """\
mount -t tmpfs -o size=48k tmpfs disk || exit 99
"$@" --out disk/found; first=$?
cp -r disk/found full
[ $first = 3 ] || exit $first
mount -o remount,size=16m disk || exit 99
"$PYTHON" -m pronghorn run --resume disk/found; second=$?
cp -r disk/found mended
exit $second
"""


@pytest.mark.needs("root", "namespaces")
def test_a_full_disk_ends_the_run_with_3_and_a_larger_one_resumes_it(tmp_path: Path) -> None:
    experiment = experiments.write(tmp_path, arms=ARMS, repeat=BLOCKS)
    (tmp_path / "disk").mkdir()

    result = programme.run(
        *("run", str(experiment)),
        folder=tmp_path,
        prefix=("unshare", "--mount", "sh", "-c", _TINY_DISK, "sh"),
        env=programme.environment(PYTHON=programme.COMMAND[0]),
    )

    programme.assert_ended(result)
    assert "No space left on device" in result.stderr
    assert "--resume disk/found" in result.stderr
    saved, mended = whole_trials(Run(tmp_path / "full")), Run(tmp_path / "mended").trials()
    assert 0 < len(saved) < len(mended)
    assert saved <= {trial.key for trial in mended}
    assert programme.doubled(mended) == []
    assert programme.missing(mended, arms=ARMS, blocks=BLOCKS, cells=1) == 0


@pytest.mark.needs("namespaces")
def test_a_spoilt_line_is_kept_aside_and_its_trial_measured_again(tmp_path: Path) -> None:
    experiment = experiments.write(tmp_path, arms=ARMS, repeat=5)
    programme.assert_ended(programme.run("run", str(experiment), "--out", "found", folder=tmp_path))
    run = Run(tmp_path / "found")
    journal = run.directory / "trials.jsonl"
    lines = journal.read_text(encoding="utf-8").splitlines()
    whole = run.trials()
    place = first_that_counts(whole)
    line = lines[place + 1]
    spoilt = line[:200] + "\ufffd" + line[201:250]
    journal.write_text("\n".join([*lines[: place + 1], spoilt, *lines[place + 2 :]]) + "\n", encoding="utf-8")
    for name in ("summary.json", "report.html", "trials.parquet"):
        (run.directory / name).unlink()

    result = programme.run("run", "--resume", "found", folder=tmp_path)

    programme.assert_ended(result)
    assert f"line {place + 2}" in result.stderr
    assert spoilt in (run.directory / "trials.corrupt.jsonl").read_text(encoding="utf-8")
    assert {trial.key for trial in whole} <= {trial.key for trial in run.trials()}
    assert programme.doubled(run.trials()) == []
    assert [trial for trial in run.trials() if trial.key != whole[place].key][: len(whole) - 1] == [
        trial for trial in whole if trial.key != whole[place].key
    ]
    assert (run.directory / "report.html").exists()


def first_that_counts(trials: list[Trial]) -> int:
    """The place of the first trial but those of attempts which a busy host contaminated."""
    contaminated = {(trial.block, trial.attempt) for trial in trials if trial.status == "contaminated"}
    counts = [(trial.block, trial.attempt) not in contaminated for trial in trials]
    return counts.index(True)
