"""A test that needs a capability which the host lacks is accounted for outside CI, and fails in CI."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
LACKING = """
import pytest

from . import conftest

conftest.CAPABILITIES["namespaces"] = lambda: "be root"

@pytest.mark.needs("namespaces")
def test_a_path(): ...

def test_arithmetic(): ...
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A package of tests with our conftest.py and the modules that stand beside it."""
    found = tmp_path / "tests"
    found.mkdir()
    for module in TESTS.glob("*.py"):
        (found / module.name).write_text(module.read_text())
    (found / "test_it.py").write_text(LACKING)
    (found / "pytest.ini").write_text("[pytest]\nmarkers = needs: a capability\n")
    return found


def run(suite: Path, *arguments: str, ci: bool = False) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("CI", "PYTEST_ADDOPTS", "PRONGHORN_DURATIONS")
    }
    if ci:
        environment["CI"] = "true"
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=suite,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("processes", ["0", "2"])
def test_outside_ci_it_is_not_run_and_the_summary_counts_it_with_the_mend(
    suite: Path, processes: str
) -> None:
    done = run(suite, "--numprocesses", processes)
    assert done.returncode == 0
    assert "NOT RUN: 1 test(s), for this host lacks namespaces; mend: be root" in done.stdout
    assert "1 passed, 1 skipped" in done.stdout


def test_in_ci_it_fails_with_the_mend(suite: Path) -> None:
    done = run(suite, ci=True)
    assert done.returncode == 1
    assert "this host lacks namespaces, which CI must have; mend: be root" in done.stdout
    assert "1 passed, 1 error" in done.stdout


def test_an_unknown_capability_fails_and_names_the_known_ones(suite: Path) -> None:
    (suite / "test_it.py").write_text("import pytest\n\n@pytest.mark.needs('magic')\ndef test_it(): ...\n")
    done = run(suite)
    assert done.returncode == 1
    known = re.search(r"needs 'magic', which is none of (.+)", done.stdout)
    assert known is not None
    assert {"engine", "namespaces", "root"} <= set(known[1].split(", "))


def test_long_tests_are_run_only_where_they_are_named(suite: Path) -> None:
    (suite / "verify").mkdir()
    (suite / "verify" / "test_long.py").write_text("def test_long(): ...\n")
    assert "test_long.py" not in run(suite, "-v").stdout
    assert "verify/test_long.py::test_long PASSED" in run(suite, "-v", "verify").stdout
