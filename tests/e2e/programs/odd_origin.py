"""An origin over HTTP/1.1 with one setting of its own, for the arm whose label is `odd`. Arguments:
`control`, `curve` or `tls`, and the value: a congestion control of TCP's (other arms: CUBIC, whatever the
machine's default), an elliptic curve, or the newest version of TLS."""

import functools
import os
import socket
import ssl
import sys
import time
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

setting, value = sys.argv[1:]
odd = os.environ["PRONGHORN_ARM"].endswith("#odd")


class Handler(SimpleHTTPRequestHandler):
    """Files, over connections that the client ends and this end keeps, for the kernel to tell of them."""

    protocol_version = "HTTP/1.1"

    def finish(self) -> None:
        """Nothing is closed while anybody may look."""
        time.sleep(60)


tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
tls.load_cert_chain(os.environ["PRONGHORN_CERTIFICATE"], os.environ["PRONGHORN_KEY"])
tls.set_alpn_protocols(["http/1.1"])
if odd and setting == "curve":
    tls.set_ecdh_curve(value)
if odd and setting == "tls":
    tls.maximum_version = ssl.TLSVersion[value]
where = (os.environ["PRONGHORN_ADDRESS"], int(os.environ["PRONGHORN_PORT"]))
server = ThreadingHTTPServer(where, functools.partial(Handler, directory=os.environ["PRONGHORN_ROOT"]))
if setting == "control":
    server.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, value.encode() if odd else b"cubic")
server.socket = tls.wrap_socket(server.socket, server_side=True)
server.serve_forever()
