"""What this host's sockets had no room for."""

from pathlib import Path

import pytest

from pronghorn.evidence import visits


def test_drops_of_both_families_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snmp, snmp6 = tmp_path / "snmp", tmp_path / "snmp6"
    snmp.write_text("Udp: NoPorts RcvbufErrors\nUdp: 1 42\nUdpLite: RcvbufErrors\nUdpLite: 9\n")
    snmp6.write_text("Udp6InErrors 5\nUdp6RcvbufErrors                 3\n")
    monkeypatch.setattr(visits, "_SNMP", snmp)
    monkeypatch.setattr(visits, "_SNMP6", snmp6)
    assert visits._dropped() == 45
    snmp6.unlink()
    assert visits._dropped() == 42
    snmp.write_text("Udp: NoPorts\n")
    assert visits._dropped() == 0
