"""What the kernel says of connections while they are there."""

import asyncio

from pronghorn.evidence.tcp import Watch


async def _watched(*, elsewhere: bool) -> int | None:
    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(hold, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        watch = Watch("127.0.0.1", 1 if elsewhere else port)
        async with watch:
            await asyncio.sleep(0.1)
        writer.close()
        await writer.wait_closed()
    return watch.disordered


def test_a_connection_over_loopback_has_nothing_out_of_order() -> None:
    assert asyncio.run(_watched(elsewhere=False)) == 0


def test_where_no_connection_was_seen_nothing_is_known() -> None:
    assert asyncio.run(_watched(elsewhere=True)) is None
