"""An application behind a server that answers with the request's headers as it got them, and refuses unsafe
requests that are marked as early (RFC 8470)."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class _Echo(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answers with the headers."""
        early = self.command == "POST" and self.headers.get("early-data") == "1"
        self.rfile.read(int(self.headers.get("content-length", "0")))
        headers: dict[str, list[str]] = {}
        for name, value in self.headers.items():
            headers.setdefault(name, []).append(value)
        body = json.dumps({"headers": headers}).encode()
        self.send_response(425 if early else 200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def answering() -> Iterator[int]:
    """The application, on a port of this machine's loopback."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Echo)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
