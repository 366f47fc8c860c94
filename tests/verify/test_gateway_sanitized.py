"""The gateway's own tests with the module built with AddressSanitizer and UndefinedBehaviorSanitizer, which
watch over nginx's memory as well: no report."""

from pathlib import Path

import pytest

from pronghorn.origins import programs

from . import gateway_tests

pytestmark = pytest.mark.needs("nginx", "autoquic", "curl-http3")


def test_the_gateways_tests_pass_under_the_sanitizers_without_a_report(tmp_path: Path) -> None:
    nginx, module = gateway_tests.built("--sanitized", f"nginx@{programs.find('nginx').version}")
    options = {
        # nginx leaves to its end what it would only free then.
        "ASAN_OPTIONS": f"detect_leaks=0:abort_on_error=1:log_path={tmp_path}/asan",
        "UBSAN_OPTIONS": f"print_stacktrace=1:abort_on_error=1:log_path={tmp_path}/ubsan",
    }
    try:
        gateway_tests.pass_with(Path(nginx), Path(module), options)
    finally:
        reports = [report.read_text(errors="replace") for report in tmp_path.glob("*san.*")]
        assert not reports, reports[0]
