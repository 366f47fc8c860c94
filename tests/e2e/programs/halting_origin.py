"""An origin over HTTP/1.1 that sends its answer in three parts, with so many seconds before the second and
the third (the argument): an interim response and half of the head, the rest of the head, the body."""

import os
import ssl
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

halt_s = float(sys.argv[1])

BODY = b"<!doctype html><link rel=icon href=data:,><title>Halting</title>"
HEAD = (
    b"HTTP/1.1 103 Early Hints\r\nx-interim: 1\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: text/html\r\n",
    b"content-length: %d\r\n\r\n" % len(BODY),
)


class Handler(BaseHTTPRequestHandler):
    """One answer for every path."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answers part by part."""
        for place, part in enumerate((*HEAD, BODY)):
            time.sleep(halt_s if place else 0)
            self.wfile.write(part)
            self.wfile.flush()


tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
tls.load_cert_chain(os.environ["PRONGHORN_CERTIFICATE"], os.environ["PRONGHORN_KEY"])
tls.set_alpn_protocols(["http/1.1"])
where = (os.environ["PRONGHORN_ADDRESS"], int(os.environ["PRONGHORN_PORT"]))
server = ThreadingHTTPServer(where, Handler)
server.socket = tls.wrap_socket(server.socket, server_side=True)
server.serve_forever()
