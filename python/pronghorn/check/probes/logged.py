"""What aioquic's qlog says of a connection."""

from typing import Any

from aioquic.quic.logger import QuicLogger


class Log(QuicLogger):
    """The qlog of one connection."""

    @property
    def closed(self) -> bool:
        """Whether the server ended the connection, and not this client."""
        received = (frame for data in self._logged("packet_received") for frame in data["frames"])
        return any(frame["frame_type"] == "connection_close" for frame in received)

    @property
    def retried(self) -> bool:
        """Whether the server demanded a Retry."""
        return any(each["header"]["packet_type"] == "retry" for each in self._logged("packet_received"))

    @property
    def parameters(self) -> dict[str, int] | None:
        """The server's transport parameters, by qlog's names; flags are 1."""
        for data in self._logged("parameters_set"):
            if data.get("owner") == "remote":
                return {name: int(value) for name, value in data.items() if isinstance(value, int | bool)}
        return None

    @property
    def handshake_bytes(self) -> int:
        """How many bytes of TLS messages came in Initial and Handshake packets, retransmissions apart."""
        ends = {"initial": 0, "handshake": 0}
        for data in self._logged("packet_received"):
            kind = data["header"]["packet_type"]
            for frame in data["frames"] if kind in ends else ():
                if frame["frame_type"] == "crypto":
                    ends[kind] = max(ends[kind], frame["offset"] + frame["length"])
        return sum(ends.values())

    def _logged(self, event: str) -> list[dict[str, Any]]:
        traces = self.to_dict()["traces"]
        return [
            each["data"]
            for trace in traces
            for each in trace["events"]
            if each["name"] == f"transport:{event}"
        ]
