"""The kernel tells of a host's TCP connections, and by which congestion control they send."""

import asyncio
import sys
from pathlib import Path

import pytest

from .benches import bench
from .links import both_ways, link

pytestmark = [pytest.mark.needs("engine", "namespaces"), pytest.mark.beside]

PORT = 443

# Takes a connection, over IPv4 or a socket of IPv6 that has both, and keeps it.
SERVER = """\
import socket, time
ear = socket.create_server(("::", 443), family=socket.AF_INET6, dualstack_ipv6=True)
connection, _ = ear.accept()
time.sleep(60)
"""

# Opens a connection and, once the file `go` says something, closes its way there.
CLIENT = """\
import socket, sys, time
connection = socket.create_connection((sys.argv[1], 443))
while not open("go").read(): time.sleep(0.01)
connection.shutdown(socket.SHUT_WR)
time.sleep(60)
"""


def test_connections_are_told_with_their_state_and_congestion_control(tmp_path: Path) -> None:
    go = tmp_path / "go"
    go.write_text("")

    async def work() -> None:
        async with bench(tmp_path) as one:
            _, server = await one.open(both_ways(link(1)), congestion_control="reno")

            async def spawn(host: str, script: str, *arguments: str) -> int:
                argv = [sys.executable, "-I", "-S", "-c", script, *arguments]
                ok = await one.engine.request("spawn", host=host, argv=argv, directory=str(tmp_path))
                return int(ok["process"])

            async def reach(host: str, state: str) -> dict[str, object]:
                while True:
                    connections = (await one.engine.request("sockets", host=host))["tcp"]
                    if [connection["state"] for connection in connections] == [state]:
                        return dict(connections[0])
                    await asyncio.sleep(0.01)

            process = await spawn("server", SERVER)
            bound = await one.engine.request(
                "listening", host="server", port=PORT, tcp=True, udp=False, process=process, timeout_s=30.0
            )
            assert bound["listening"]
            assert (await one.engine.request("sockets", host="server"))["tcp"] == [], "none listens only"
            await spawn("client", CLIENT, server)
            async with asyncio.timeout(30):
                near = await reach("client", "established")
                far = await reach("server", "established")
                assert (near["peer_port"], far["local_port"]) == (PORT, PORT)
                assert near["local_port"] == far["peer_port"]
                assert {near["tcp_congestion_control"], far["tcp_congestion_control"]} == {"reno"}
                go.write_text("yes")
                await reach("client", "fin-wait-2")
                await reach("server", "close-wait")

    asyncio.run(work())
