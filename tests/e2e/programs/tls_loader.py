"""A client over HTTP/1.1 that loads the document alone and tells its version of TLS and its cipher."""

import http.client
import json
import os
import socket
import ssl
import time
from pathlib import Path

ADDRESS, PORT = os.environ["PRONGHORN_ADDRESS"], int(os.environ["PRONGHORN_PORT"])
HOST, PATH = os.environ["PRONGHORN_HOST"], os.environ["PRONGHORN_DOCUMENT"]

context = ssl.create_default_context(cafile=os.environ["PRONGHORN_AUTHORITY"])
start = time.perf_counter()
connection = http.client.HTTPSConnection(HOST, PORT, context=context)
secured = context.wrap_socket(socket.create_connection((ADDRESS, PORT)), server_hostname=HOST)
connected_s = time.perf_counter() - start
connection.sock = secured
connection.request("GET", PATH)
answer = connection.getresponse()
body = answer.read()
load_s = time.perf_counter() - start
cipher = secured.cipher()
told = {
    "protocol": "h1",
    "start_s": 0.0,
    "connected_s": connected_s,
    "secured_s": connected_s,
    "tls_version": secured.version(),
    "cipher": cipher[0] if cipher else None,
}
resource = {"path": PATH, "kind": "document", "protocol": "h1", "status": answer.status, "bytes": len(body)}
page = {
    "outcome": "ok",
    "load_s": load_s,
    "requests": 1,
    "bytes": len(body),
    "round_trips": 3,
    "connections": [told],
    "resources": [{**resource, "connection": 0}],
}
Path(os.environ["PRONGHORN_RESULT"]).write_text(json.dumps(page), encoding="utf-8")
