"""A person's own configuration is filled in, and what it can't mean is told by line."""

from pathlib import Path

import pytest

from pronghorn.certificates import Certificates
from pronghorn.errors import InputError
from pronghorn.model.arm import parse
from pronghorn.origins import OriginSetup, template


def setup(folder: Path) -> OriginSetup:
    return OriginSetup(
        root=Path("/a site"),
        certificates=Certificates(
            Path("/run/authority.pem"), Path("/run/origin.pem"), Path("/run/origin.key")
        ),
        arm=parse("h3"),
        headers={"cache-control": "no-store"},
        folder=folder,
        address="198.18.0.2",
        port=443,
    )


def test_every_placeholder_is_filled_in_and_other_variables_stay(tmp_path: Path) -> None:
    text = " ".join(f"${{{name}}}" for name in template.PLACEHOLDERS) + " ${HOME} $uri"
    filled = template.fill(text, template.values(setup(tmp_path), tmp_path / "log", "HEADERS"))
    assert filled == (
        f"198.18.0.2 /run/origin.pem 80 {tmp_path} HEADERS /run/origin.key {tmp_path}/log 443 /a site "
        "${HOME} $uri"
    )


def test_an_address_of_ipv6_stands_in_brackets(tmp_path: Path) -> None:
    six = setup(tmp_path)._replace(address="fd70::2")
    values = template.values(six, tmp_path / "log", "")
    assert template.fill("listen ${PRONGHORN_ADDRESS}:${PRONGHORN_PORT};", values) == "listen [fd70::2]:443;"


def test_a_placeholder_that_is_none_is_told_with_its_line_and_the_nearest(tmp_path: Path) -> None:
    file = tmp_path / "own.conf"
    file.write_text("first\nlisten ${PRONGHORN_PORTS};\n")
    with pytest.raises(InputError) as refused:
        template.read(file)
    assert f"{file}:2:" in refused.value.message
    assert "did you mean 'PRONGHORN_PORT'?" in refused.value.message


def test_a_configuration_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        template.read(tmp_path / "nowhere.conf")
    (tmp_path / "binary.conf").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(InputError, match="not UTF-8"):
        template.read(tmp_path / "binary.conf")


def test_whether_a_placeholder_is_used_is_told() -> None:
    assert template.uses("log ${PRONGHORN_LOG};", "PRONGHORN_LOG")
    assert not template.uses("log ${PRONGHORN_LOGS} $PRONGHORN_LOG;", "PRONGHORN_LOG")
