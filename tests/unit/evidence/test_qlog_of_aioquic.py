"""A qlog as another stack writes it: aioquic's, of two ends in one process, whose time is an argument."""

import json
from pathlib import Path

import pytest
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import HandshakeCompleted, StreamDataReceived
from aioquic.quic.logger import QuicLogger

from pronghorn import certificates
from pronghorn.evidence import qlog
from pronghorn.traps import judge

_DELAY_S = 0.03
_CONTENT = bytes(1_200_000)
_SERVER, _CLIENT = ("192.0.2.1", 443), ("192.0.2.2", 50_000)


def _log(folder: Path, window: int, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The client's log of a stream that the server fills, over a path of this delay each way."""
    (folder / "identity").mkdir()
    own = certificates.make(folder / "identity")
    logger = QuicLogger()
    here = QuicConfiguration(is_client=True, alpn_protocols=["x"], server_name=certificates.HOST_NAME)
    here.quic_logger = logger
    here.max_stream_data = window
    here.load_verify_locations(cafile=str(own.authority))
    there = QuicConfiguration(is_client=False, alpn_protocols=["x"])
    there.load_cert_chain(own.chain, own.key)
    now = 1000.0
    monkeypatch.setattr("aioquic.quic.logger.time.time", lambda: now)
    client = QuicConnection(configuration=here)
    client.connect(_SERVER, now=now)
    server = QuicConnection(
        configuration=there, original_destination_connection_id=client.original_destination_connection_id
    )
    ends = {True: server, False: client}
    under_way: list[tuple[float, bool, bytes]] = []
    opened = ended = False
    while not ended:
        for up, one in ((True, client), (False, server)):
            if up or opened:
                under_way += [(now + _DELAY_S, up, data) for data, _ in one.datagrams_to_send(now=now)]
        timers = [timer for one in ends.values() if (timer := one.get_timer()) is not None]
        now = max(min([*timers, *(at for at, _, _ in under_way)]), now)
        due = [one for one in under_way if one[0] <= now]
        under_way = [one for one in under_way if one[0] > now]
        for _, up, data in due:
            opened = True
            ends[up].receive_datagram(data, _CLIENT if up else _SERVER, now=now)
        for one in ends.values():
            if (timer := one.get_timer()) is not None and timer <= now:
                one.handle_timer(now=now)
            while (event := one.next_event()) is not None:
                if isinstance(event, HandshakeCompleted) and one is client:
                    client.send_stream_data(0, b"x", end_stream=True)
                elif isinstance(event, StreamDataReceived) and one is server:
                    server.send_stream_data(0, _CONTENT, end_stream=True)
                elif isinstance(event, StreamDataReceived):
                    ended |= event.end_stream
    file = folder / "aioquic.qlog"
    file.write_text(json.dumps(logger.to_dict()), encoding="utf-8")
    return file


def test_a_log_of_aioquics_is_read_and_nothing_is_found_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = qlog.facts(_log(tmp_path, 128 * 1024, monkeypatch))
    (visit,) = found.visits
    assert visit.round_trip_s == pytest.approx(2 * _DELAY_S, rel=0.05)
    assert visit.flow is not None
    assert visit.flow.windows[0] == 128 * 1024
    assert (visit.flow.lost, visit.flow.blocked, visit.flow.largest) == (0, False, 1200)
    assert visit.flow.sizes.sum() == pytest.approx(len(_CONTENT), rel=0.05)
    assert judge(found).findings == ()
