"""The file of a trial's arrivals as it is read."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pronghorn.model import arrivals
from pronghorn.model.arrivals import Unreadable
from tests.made_arrivals import single_loss, told, write


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "arrivals.json.gz"
    write(file, single_loss("tcp"), single_loss("quic"), base_s=100.0)
    found = arrivals.read(file)
    assert [one.protocol for one in found.connections] == ["h2", "h3"]
    assert found.since(100.5) == pytest.approx(-0.5)
    packets = found.connections[0].packets
    assert np.isnan(packets.arrived_s[2])
    assert packets.fate[2] == "loss"
    assert packets.again.tolist() == [False] * 6 + [True]
    assert [one.path for one in found.connections[0].streams] == ["/a", "/b"]
    assert found.connections[1].client_port == 50000


def test_bytes_over_tcp_wait_for_other_streams_and_over_quic_for_their_own_alone(tmp_path: Path) -> None:
    file = tmp_path / "arrivals.json.gz"
    write(file, single_loss("tcp"), single_loss("quic"))
    tcp, quic = (one.pieces for one in arrivals.read(file).connections)
    assert tcp.stream.tolist() == quic.stream.tolist() == [0, 4, 0, 4]
    assert tcp.head_of_line_s == pytest.approx([0, 0.089, 0, 0.087])
    assert quic.head_of_line_s == pytest.approx([0, 0, 0, 0])
    assert tcp.own_wait_s == pytest.approx([0, 0, 0.088, 0])
    assert quic.own_wait_s == pytest.approx([0, 0, 0.088, 0])


def _broken(change: Any) -> bytes:
    file = told(single_loss("tcp"))
    change(file)
    return gzip.compress(json.dumps(file).encode())


def _set(*keys: Any) -> Any:
    def change(file: Any) -> None:
        for key in keys[:-2]:
            file = file[key]
        file[keys[-2]] = keys[-1]

    return change


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{}", "no gzip file that is whole"),
        (_broken(_set("version", 1))[:-9], "no gzip file that is whole"),
        (gzip.compress(b"{"), "holds no arrivals: Invalid JSON"),
        (_broken(_set("version", 2)), "holds no arrivals: version is 2: it should be 1"),
        (
            _broken(_set("connections", 0, "packets", "bytes", [1])),
            "columns of different lengths: direction 7",
        ),
        (
            _broken(_set("connections", 0, "packets", "sent_s", "soon")),
            "connections.0.packets.sent_s is 'soon': must be a list of numbers",
        ),
        (
            _broken(_set("connections", 0, "pieces", "packet", [0, 1, 2, 7])),
            "names packet 7, but has 7, numbered from 0",
        ),
    ],
    ids=["text", "cut off", "no JSON", "version", "columns", "numbers", "packet"],
)
def test_a_file_that_holds_no_arrivals_says_where(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "arrivals.json.gz"
    file.write_bytes(content)
    with pytest.raises(Unreadable) as raised:
        arrivals.read(file, "artifacts/one/arrivals.json.gz")
    assert str(raised.value).startswith("artifacts/one/arrivals.json.gz ")
    assert said in str(raised.value)


def test_a_file_that_is_gone_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="can't be read: no such file"):
        arrivals.read(tmp_path / "none.json.gz")
