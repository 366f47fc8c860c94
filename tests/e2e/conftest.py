"""What the end-to-end tests share."""

from pathlib import Path

import pytest

from pronghorn import certificates
from pronghorn.certificates import Certificates


@pytest.fixture(scope="session")
def identity(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """An authority and an origin's certificate."""
    return certificates.make(tmp_path_factory.mktemp("identity"))


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of one short document."""
    root = tmp_path_factory.mktemp("tiny")
    document = '<!doctype html><link rel="icon" href="data:,"><title>Tiny</title>'
    (root / "index.html").write_text(document.ljust(612), encoding="utf-8")
    return root
