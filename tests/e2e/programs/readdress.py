"""Gives the host's path device another address instead of the one that it has, after a while.

Arguments: the device, the old address, the new one, seconds to wait. Speaks rtnetlink(7), as a client's
system does when it joins another network.
"""

import socket
import struct
import sys
import time

RTM_NEWADDR, RTM_DELADDR, RTM_NEWROUTE = 20, 21, 24
REQUEST_ACK, CREATE_REPLACE = 0x05, 0x500
IFA_ADDRESS, IFA_LOCAL = 1, 2
RTA_DST, RTA_OIF, RTA_PREFSRC = 1, 4, 7
NETWORK, PREFIX = "198.18.0.0", 15


def attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(value), kind) + value


def ask(link: socket.socket, kind: int, flags: int, body: bytes) -> None:
    link.send(struct.pack("=IHHII", 16 + len(body), kind, REQUEST_ACK | flags, 1, 0) + body)
    status = struct.unpack_from("=i", link.recv(4096), 16)[0]
    if status:
        raise OSError(-status, f"rtnetlink message {kind}")


def address_of(index: int, address: str) -> bytes:
    packed = socket.inet_aton(address)
    head = struct.pack("=BBBBI", socket.AF_INET, 32, 0, 0, index)
    return head + attribute(IFA_LOCAL, packed) + attribute(IFA_ADDRESS, packed)


def main() -> None:
    device, old, new, seconds = sys.argv[1:]
    index = socket.if_nametoindex(device)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as link:
        print("ready", flush=True)
        time.sleep(float(seconds))
        ask(link, RTM_NEWADDR, CREATE_REPLACE, address_of(index, new))
        # Of the main table (254), by an administrator (4), in the device's network (253), unicast (1).
        route = struct.pack("=BBBBBBBBI", socket.AF_INET, PREFIX, 0, 0, 254, 4, 253, 1, 0)
        route += attribute(RTA_DST, socket.inet_aton(NETWORK)) + attribute(RTA_OIF, struct.pack("=I", index))
        ask(link, RTM_NEWROUTE, CREATE_REPLACE, route + attribute(RTA_PREFSRC, socket.inet_aton(new)))
        ask(link, RTM_DELADDR, 0, address_of(index, old))


main()
