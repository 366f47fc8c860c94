"""Fetches `/` over HTTPS once somebody listens, prints its length. Arguments: address, port, host name,
certificate authority."""

import socket
import ssl
import sys
import time

LIMIT_S = 60.0

address, port, name, authority = sys.argv[1:]


def connected() -> socket.socket:
    """A connection to the server, which may be slow to listen."""
    until = time.monotonic() + LIMIT_S
    while True:
        try:
            return socket.create_connection((address, int(port)))
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


tls = ssl.create_default_context(cafile=authority)
with (
    connected() as plain,
    tls.wrap_socket(plain, server_hostname=name) as secured,
):
    secured.sendall(f"GET / HTTP/1.0\r\nHost: {name}\r\n\r\n".encode())
    print(len(b"".join(iter(lambda: secured.recv(65536), b""))))
