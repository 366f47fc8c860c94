"""Two commands: the application, then, once it listens on its port of loopback, the server in front of it,
which takes this process's place. Arguments: the port, and each command as a JSON list."""

import json
import os
import socket
import subprocess
import sys
import time


def main() -> None:
    """The process that started it ends both."""
    port, behind, front = int(sys.argv[1]), json.loads(sys.argv[2]), json.loads(sys.argv[3])
    application = subprocess.Popen(behind)
    while application.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            os.execvp(front[0], front)
        except ConnectionRefusedError:
            time.sleep(0.01)
    sys.exit("the application ended before it listened")


main()
