"""Fetches `/` over HTTPS, prints its length. Arguments: address, port, host name, certificate authority."""

import socket
import ssl
import sys

address, port, name, authority = sys.argv[1:]
tls = ssl.create_default_context(cafile=authority)
with (
    socket.create_connection((address, int(port))) as plain,
    tls.wrap_socket(plain, server_hostname=name) as secured,
):
    secured.sendall(f"GET / HTTP/1.0\r\nHost: {name}\r\n\r\n".encode())
    print(len(b"".join(iter(lambda: secured.recv(65536), b""))))
