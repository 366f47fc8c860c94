"""One request over HTTP/1.1."""

import h11

from pronghorn.check.facts import Answer
from pronghorn.check.probes.request import Growing, Request
from pronghorn.check.probes.tls import TlsStream

_MOST_HEAD_BYTES = 256 * 1024


async def ask(stream: TlsStream, request: Request, growing: Growing) -> Answer:
    """The response; ConnectionError if the server ends the connection before its head, or breaks the
    protocol."""
    connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MOST_HEAD_BYTES)
    headers = [("host", request.authority), *request.headers]
    try:
        asked = h11.Request(method=request.method, target=request.path, headers=headers)
    except h11.LocalProtocolError as error:
        raise ConnectionError(f"HTTP/1.1: {error}") from None
    sent = (connection.send(asked) or b"") + (connection.send(h11.EndOfMessage()) or b"")
    await stream.send(sent)
    try:
        while not growing.enough:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                connection.receive_data(await stream.receive())
            elif isinstance(event, h11.Response):
                growing.head(list(event.headers), event.status_code)
            elif isinstance(event, h11.Data):
                growing.body(bytes(event.data))
            elif isinstance(event, h11.EndOfMessage):
                growing.ended = True
            elif isinstance(event, h11.ConnectionClosed):
                break
    except h11.ProtocolError as error:
        if not growing.status:
            raise ConnectionError(f"HTTP/1.1: {error}") from None
    if not growing.status:
        raise ConnectionError("HTTP/1.1: the connection ended without a response")
    return growing.answer()
