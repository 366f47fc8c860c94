"""A client over HTTP/3 whose socket has a receive buffer of its own size, in bytes (the kernel has a least
one), from the end of its handshake on. Arguments: that size."""

import json
import os
import socket
import sys
import time
from pathlib import Path

from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import ConnectionTerminated, HandshakeCompleted

PATH = os.environ["PRONGHORN_DOCUMENT"]
SERVER = (os.environ["PRONGHORN_ADDRESS"], int(os.environ["PRONGHORN_PORT"]))
HOST = os.environ["PRONGHORN_HOST"]
UNTIL = time.monotonic() + float(os.environ["PRONGHORN_LIMIT_S"])


def fetch() -> tuple[int, int]:
    """The status of the document, and its bytes."""
    configuration = QuicConfiguration(is_client=True, alpn_protocols=H3_ALPN, server_name=HOST)
    configuration.load_verify_locations(cafile=os.environ["PRONGHORN_AUTHORITY"])
    quic = QuicConnection(configuration=configuration)
    http = H3Connection(quic)
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    quic.connect(SERVER, now=time.monotonic())
    status = size = 0
    while time.monotonic() < UNTIL:
        for data, address in quic.datagrams_to_send(now=time.monotonic()):
            udp.sendto(data, address)
        timer = quic.get_timer()
        udp.settimeout(min(1.0, max(0.001, (timer or 0.0) - time.monotonic())))
        try:
            quic.receive_datagram(*udp.recvfrom(65536), now=time.monotonic())
        except TimeoutError:
            quic.handle_timer(now=time.monotonic())
        while (event := quic.next_event()) is not None:
            if isinstance(event, ConnectionTerminated):
                raise SystemExit(f"the connection ended: {event.reason_phrase}")
            if isinstance(event, HandshakeCompleted):
                udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, int(sys.argv[1]))
                wanted = {"method": "GET", "scheme": "https", "authority": HOST, "path": PATH}
                headers = [(f":{name}".encode(), value.encode()) for name, value in wanted.items()]
                http.send_headers(quic.get_next_available_stream_id(), headers, end_stream=True)
            for told in http.handle_event(event):
                if isinstance(told, HeadersReceived):
                    status = int(dict(told.headers)[b":status"])
                if isinstance(told, DataReceived):
                    size += len(told.data)
                    if told.stream_ended:
                        return status, size
    raise SystemExit("not within the limit")


start = time.monotonic()
status, size = fetch()
result = {
    "ok": status == 200,
    "load_s": time.monotonic() - start,
    "protocol": "h3",
    "requests": [{"path": PATH, "status": status, "bytes": size}],
}
Path(os.environ["PRONGHORN_RESULT"]).write_text(json.dumps(result), encoding="utf-8")
