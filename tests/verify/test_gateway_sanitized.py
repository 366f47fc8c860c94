"""The gateway's own tests with the module built with AddressSanitizer and UndefinedBehaviorSanitizer, which
watch over nginx's memory as well: no report."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.needs("nginx", "autoquic", "curl-http3")

ROOT = Path(__file__).parents[2]


def test_the_gateways_tests_pass_under_the_sanitizers_without_a_report(tmp_path: Path) -> None:
    argv = [str(ROOT / "scripts" / "autoquic"), "--sanitized"]
    built = subprocess.run(argv, capture_output=True, text=True, check=True)
    nginx, module = built.stdout.split()
    environment = {
        **os.environ,
        "PRONGHORN_NGINX": nginx,
        "PRONGHORN_AUTOQUIC": module,
        # nginx leaves to its end what it would only free then.
        "ASAN_OPTIONS": f"detect_leaks=0:abort_on_error=1:log_path={tmp_path}/asan",
        "UBSAN_OPTIONS": f"print_stacktrace=1:abort_on_error=1:log_path={tmp_path}/ubsan",
    }
    tests = sorted((ROOT / "tests" / "e2e").glob("test_gateway*.py"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *tests],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    reports = [report.read_text(errors="replace") for report in tmp_path.glob("*san.*")]
    assert not reports, reports[0]
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout
