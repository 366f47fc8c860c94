"""Requests over HTTP/2, one after the other on a connection."""

import h2.config
import h2.connection
import h2.events
import h2.exceptions
from h2.settings import SettingCodes

from pronghorn.check.facts import Answer
from pronghorn.check.probes.request import Growing, Request
from pronghorn.check.probes.tls import TlsStream

_SETTINGS = {
    "max_concurrent_streams": SettingCodes.MAX_CONCURRENT_STREAMS,
    "initial_window_size": SettingCodes.INITIAL_WINDOW_SIZE,
    "max_header_list_size": SettingCodes.MAX_HEADER_LIST_SIZE,
}


class GoneAway(ConnectionError):
    """The server ends the connection without a fault, as it does when it is reloaded; what it still sends, h2
    does not read."""

    def __init__(self) -> None:
        super().__init__("HTTP/2: the server ended the connection (GOAWAY) before its response")


class Http2:
    """One connection. `settings` has what the server's SETTINGS frame names, by name."""

    def __init__(self, stream: TlsStream) -> None:
        self._stream = stream
        self._h2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding=None))
        self._begun = False
        self.settings: dict[str, int] | None = None

    async def ask(self, request: Request, growing: Growing) -> Answer:
        """The response; ConnectionError if the connection or the stream ends before its head."""
        if not self._begun:
            self._h2.initiate_connection()
            self._begun = True
        number = self._h2.get_next_available_stream_id()
        self._h2.send_headers(number, request.with_pseudo_headers, end_stream=True)
        await self._stream.send(self._h2.data_to_send())
        ended = ""
        while not growing.enough and not ended:
            data = await self._stream.receive()
            try:
                events = self._h2.receive_data(data) if data else []
            except h2.exceptions.ProtocolError as error:
                raise ConnectionError(f"HTTP/2: {error}") from None
            for event in events:
                ended = self._heard(event, number, growing) or ended
            if not data:
                ended = "the connection ended without a response"
            await self._stream.send(self._h2.data_to_send())
        if not growing.status:
            raise ConnectionError(f"HTTP/2: {ended}")
        return growing.answer()

    def _heard(self, event: h2.events.Event, number: int, growing: Growing) -> str:
        """Takes an event; why the request is over without an end, if it is."""
        if isinstance(event, h2.events.RemoteSettingsChanged) and self.settings is None:
            changed = {code: change.new_value for code, change in event.changed_settings.items()}
            self.settings = {
                name: changed[code] for name, code in _SETTINGS.items() if changed.get(code) is not None
            }
        elif isinstance(event, h2.events.ConnectionTerminated):
            if event.error_code == 0 and not growing.status:
                raise GoneAway
            return f"the server ended the connection (error {event.error_code})"
        elif getattr(event, "stream_id", None) != number:
            pass
        elif isinstance(event, h2.events.ResponseReceived):
            growing.head([(bytes(name), bytes(value)) for name, value in event.headers])
        elif isinstance(event, h2.events.DataReceived):
            growing.body(event.data)
            self._h2.acknowledge_received_data(event.flow_controlled_length, number)
        elif isinstance(event, h2.events.StreamEnded):
            growing.ended = True
        elif isinstance(event, h2.events.StreamReset):
            return f"the server reset the stream (error {event.error_code})"
        return ""
