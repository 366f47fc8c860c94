"""The gateway's end-to-end tests with an nginx and a module that aren't the ones they run with else."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]


def built(*arguments: str) -> list[str]:
    """What `scripts/autoquic` says that it built."""
    argv = [str(ROOT / "scripts" / "autoquic"), *arguments]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()


def pass_with(nginx: Path, module: Path, more: Mapping[str, str]) -> None:
    """All of them pass, none left out, with a program `nginx` (one word), a `module`, and `more` variables in
    their environment."""
    environment = {**os.environ, "PRONGHORN_NGINX": str(nginx), "PRONGHORN_AUTOQUIC": str(module), **more}
    tests = sorted((ROOT / "tests" / "e2e").glob("test_gateway*.py"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *tests],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout
