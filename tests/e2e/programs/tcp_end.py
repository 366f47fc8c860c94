"""One end of a TCP connection that tells what congestion control its socket runs, and whether it may run
another. Arguments: `accept` or `connect`, the address, the port."""

import errno
import socket
import sys

role, address, port = sys.argv[1], sys.argv[2], int(sys.argv[3])


def congestion_control(end: socket.socket) -> str:
    return end.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).split(b"\0")[0].decode()


def refusal(end: socket.socket, name: str) -> str:
    try:
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return "taken"


if role == "accept":
    listener = socket.create_server((address, port))
    print("ready", flush=True)
    end, _ = listener.accept()
else:
    end = socket.create_connection((address, port))
    print("ready", flush=True)
print(congestion_control(end))
before = congestion_control(end)
for other in ("cubic", "reno", "bbr"):
    if other != before:
        print(refusal(end, other))
print(congestion_control(end))
end.sendall(b"x")
end.recv(1)
