"""Sends bytes over TLS as they are, and prints what comes back: it waits long for the first answer, then
until the server closes or is silent for 3 s. Fails if the server stays silent. Arguments: address, port,
host name, certificate authority, the bytes as a JSON string in Latin-1."""

import json
import socket
import ssl
import sys

PATIENCE_S, SILENCE_S = 30, 3

address, port, name, authority, request = sys.argv[1:]

tls = ssl.create_default_context(cafile=authority)
tls.set_alpn_protocols(["http/1.1"])
with (
    socket.create_connection((address, int(port))) as plain,
    tls.wrap_socket(plain, server_hostname=name) as secured,
):
    secured.sendall(json.loads(request).encode("latin-1"))
    secured.settimeout(PATIENCE_S)
    heard = False
    try:
        while some := secured.recv(65536):
            sys.stdout.buffer.write(some)
            heard = True
            secured.settimeout(SILENCE_S)
    except TimeoutError:
        if not heard:
            raise
    except (ssl.SSLError, ConnectionResetError):
        pass
