#!/usr/bin/env python3
"""The built-in origin by itself, on an address of this machine: says its ports in one line of JSON and serves
until SIGINT or the end of standard input."""

import argparse
import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

from pronghorn.engine import Engine


def arguments() -> argparse.Namespace:
    """What is to be served, and where."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path, help="the site's folder")
    parser.add_argument("--certificate", type=Path, required=True, help="PEM file of the chain")
    parser.add_argument("--key", type=Path, required=True, help="PEM file of its key")
    parser.add_argument("--address", default="127.0.0.1", help="IP on which it listens")
    parser.add_argument("--port", type=int, help="TCP's and UDP's; any that is free")
    parser.add_argument("--clear-port", type=int, help="TCP's in the clear; none: nothing is")
    parser.add_argument("--tcp", default="cubic", help="TCP's congestion control")
    parser.add_argument("--quic", default="cubic", help="QUIC's congestion control")
    parser.add_argument("--header", action="append", default=[], metavar="NAME:VALUE")
    parser.add_argument(
        "--origin",
        type=json.loads,
        default={},
        help="more of the origin's request, as JSON; its log is counts unless that says otherwise",
    )
    return parser.parse_args()


def say(**what: Any) -> None:
    """One line, at once."""
    print(json.dumps(what), flush=True)


async def stopped() -> None:
    """Until it is asked to end."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    loop.add_reader(sys.stdin, lambda: stop.set() if not sys.stdin.buffer.read1() else None)
    await stop.wait()
    loop.remove_reader(sys.stdin)


async def serve(asked: argparse.Namespace) -> None:
    """Serves until it is asked to end."""
    headers = dict(header.split(":", 1) for header in asked.header)
    engine = await Engine.start()
    try:
        await engine.request("open", path=None, seed=1, tcp_congestion_control=asked.tcp)
        ok = await engine.request(
            "origin",
            root=str(asked.root.absolute()),
            certificate=str(asked.certificate.absolute()),
            key=str(asked.key.absolute()),
            address=asked.address,
            port=asked.port,
            clear_port=asked.clear_port,
            congestion_control={"tcp": asked.tcp, "quic": asked.quic},
            headers={name: value.strip() for name, value in headers.items()},
            **{"log": "counts"} | asked.origin,
        )
        say(port=ok["port"], clear_port=ok["clear_port"], engine=engine.pid)
        await stopped()
    finally:
        await engine.stop()


if __name__ == "__main__":
    asyncio.run(serve(arguments()))
