"""Serves its folder over HTTPS. Arguments: address, port, certificate chain, key."""

import ssl
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

address, port, chain, key = sys.argv[1:]
server = ThreadingHTTPServer((address, int(port)), SimpleHTTPRequestHandler)
tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
tls.load_cert_chain(chain, key)
server.socket = tls.wrap_socket(server.socket, server_side=True)
server.serve_forever()
