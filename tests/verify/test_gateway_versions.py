"""The gateway's own tests with the module built for each older nginx that can be fetched; with the newest
they are in `make test`."""

import shlex
from pathlib import Path

import pytest

from pronghorn.origins import programs

from . import gateway_tests

OLDER = programs.WANTED["nginx"].known[:-1]


@pytest.mark.needs("curl-http3", *(f"nginx@{version}" for version in OLDER))
@pytest.mark.parametrize("version", OLDER)
def test_the_gateways_tests_pass_with_each_version_of_nginx(version: str, tmp_path: Path) -> None:
    *loader, program = programs.find("nginx", version).argv
    nginx = tmp_path / "nginx"
    # `test_gateway_configuration` looks for the program in quotes.
    nginx.write_text(f"#!/bin/sh\nexec {shlex.join(loader)} '{program}' \"$@\"\n")
    nginx.chmod(0o755)
    [module] = gateway_tests.built(f"nginx@{version}")
    gateway_tests.pass_with(nginx, Path(module), {})
