#!/usr/bin/env python3
"""What a lost second flight costs over HTTP/3: the load generator beside ngtcp2's (h2load), both behind a
proxy that delays datagrams by 25 ms each way and, once the server has answered, loses the client's for some
time. One request of nginx on one connection, in pairs that take turns; the ratio of the times until the
response is complete.

Both probe at times that double, so what a loss of just one length costs is a matter of luck. Each pair has
another length: they are spread evenly, by their logarithms, over the octave around the one that is named."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import load_lab
from load_clients import Ours, Task, h2load_with_http3
from load_lab import BEHIND, CLIENT_ADDRESS, NGINX, PORTS, SERVER_ADDRESS, Lab
from rich.console import Console
from rich.table import Table

PAIRS = 12
LOST_S = (0.3, 1.0, 2.0, 4.0)
AT_MOST = 1.1
DELAY_S = 0.025


class Proxy(asyncio.DatagramProtocol):
    """Passes datagrams on, each client's by a socket of its own."""

    def __init__(self, lost_s: float) -> None:
        self._lost_s = lost_s
        self._clients: dict[tuple[str, int], Client] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def connection_made(self, transport: Any) -> None:
        """The socket for the clients."""
        self._transport: asyncio.DatagramTransport = transport

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """One of a client's."""
        if addr not in self._clients:
            self._clients[addr] = Client(self._transport, addr, self._lost_s)
            task = asyncio.get_running_loop().create_task(self._clients[addr].serve())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        self._clients[addr].sends(data)


class Client(asyncio.DatagramProtocol):
    """What one client sends, and the server's datagrams for it. Its second flight is lost: all that it sends
    for some time from the first datagram after an answer on."""

    def __init__(self, transport: asyncio.DatagramTransport, client: tuple[str, int], lost_s: float) -> None:
        self._transport, self._client, self._lost_s = transport, client, lost_s
        self._sent: asyncio.Queue[bytes] = asyncio.Queue()
        self._answered = False
        self._lost_until: float | None = None

    def sends(self, data: bytes) -> None:
        """A datagram of the client's."""
        loop = asyncio.get_running_loop()
        if self._answered and self._lost_until is None:
            self._lost_until = loop.time() + self._lost_s
        if self._lost_until is None or loop.time() >= self._lost_until:
            loop.call_later(DELAY_S, self._sent.put_nowait, data)

    async def serve(self) -> None:
        """Hands on what the client sends."""
        address = (SERVER_ADDRESS, PORTS[NGINX])
        server, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            lambda: self, remote_addr=address
        )
        while True:
            server.sendto(await self._sent.get())

    def datagram_received(self, data: bytes, _: tuple[str, int]) -> None:
        """One of the server's."""
        asyncio.get_running_loop().call_later(DELAY_S, self._answers, data)

    def _answers(self, data: bytes) -> None:
        self._answered = True
        self._transport.sendto(data, self._client)


async def serve(lost_s: float) -> None:
    """Passes datagrams on until it is ended."""
    address = (CLIENT_ADDRESS, PORTS[BEHIND])
    await asyncio.get_running_loop().create_datagram_endpoint(lambda: Proxy(lost_s), local_addr=address)
    print("ready", flush=True)
    await asyncio.Event().wait()


@contextmanager
def proxy(lab: Lab, lost_s: float) -> Iterator[None]:
    """A proxy on the client's host."""
    argv = lab.in_client([sys.executable, str(Path(__file__).resolve()), str(lost_s)])
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        try:
            if process.stdout is None or not process.stdout.readline():
                raise SystemExit("the proxy did not start")
            yield
        finally:
            process.terminate()


def lengths(lost_s: float) -> list[float]:
    """How long the loss of each pair is."""
    return [lost_s * 2 ** ((pair + 0.5) / PAIRS - 0.5) for pair in range(PAIRS)]


def main() -> None:
    """All times, and the table. Exit status 1 where a ratio is beyond its limit."""
    console = Console(width=100)
    theirs = h2load_with_http3()
    if theirs is None:
        raise SystemExit("no h2load with HTTP/3; make it: scripts/peers h2load")
    task = Task("h3", BEHIND, requests=1, connections=1, streams=1)
    table = Table("lost for", "pronghorn", "h2load", "ratio of the means", f"≤ {AT_MOST}")
    missed = False
    with load_lab.standing() as lab:
        for lost_s in LOST_S:
            ours, others = 0.0, 0.0
            for length_s in lengths(lost_s):
                with proxy(lab, length_s):
                    ours += Ours()(lab, task).window_s
                    others += theirs(lab, task).window_s
            ratio = ours / others
            missed = missed or ratio > AT_MOST
            means = [f"{total / PAIRS:.2f} s" for total in (ours, others)]
            table.add_row(
                f"{min(lengths(lost_s)):.2f} to {max(lengths(lost_s)):.2f} s",
                *means,
                f"{ratio:.2f}",
                "met" if ratio <= AT_MOST else "missed",
            )
    console.print(table)
    raise SystemExit(int(missed))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(serve(float(sys.argv[1])))
    else:
        main()
