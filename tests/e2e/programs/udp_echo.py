"""Sends each datagram back to where it came from, and writes its number. Arguments: the port."""

import socket
import sys

echo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
echo.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
echo.bind(("0.0.0.0", int(sys.argv[1])))
print("ready", flush=True)
while True:
    datagram, sender = echo.recvfrom(2048)
    print(int.from_bytes(datagram[:8], "big"), flush=True)
    echo.sendto(datagram, sender)
