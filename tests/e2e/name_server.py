"""A name server on loopback that knows the records of one zone."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import cast

import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.rrset

Records = Mapping[tuple[str, str], list[str]]
"""The records in zone-file form by their names and types."""


class _Server(asyncio.DatagramProtocol):
    def __init__(self, records: Records) -> None:
        self._records = {
            (dns.name.from_text(name), kind): [
                dns.rrset.from_text(f"{name}.", 60, "IN", kind, each) for each in data
            ]
            for (name, kind), data in records.items()
        }

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keeps what it answers by."""
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """Answers a query."""
        query = dns.message.from_wire(data)
        asked = query.question[0]
        answer = dns.message.make_response(query, recursion_available=True)
        answer.flags |= dns.flags.AA
        found = self._records.get((asked.name, dns.rdatatype.to_text(asked.rdtype)))
        if found is not None:
            answer.answer.extend(found)  # one by one: dnspython shuffles what is in one set
        elif not any(name == asked.name for name, _ in self._records):
            answer.set_rcode(dns.rcode.NXDOMAIN)
        self._transport.sendto(answer.to_wire(), addr)


@asynccontextmanager
async def answering(records: Records) -> AsyncIterator[tuple[str, int]]:
    """Its address and port."""
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(lambda: _Server(records), local_addr=("127.0.0.1", 0))
    try:
        yield "127.0.0.1", transport.get_extra_info("sockname")[1]
    finally:
        transport.close()
