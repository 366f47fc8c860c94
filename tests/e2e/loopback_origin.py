"""The built-in origin on this machine's loopback, for programs that are started as a person starts them."""

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pronghorn.certificates import Certificates
from pronghorn.engine import locate

from .benches import CONTROLS


class LoopbackOrigin:
    """An engine that serves; `port` is TCP's and UDP's, on `clear_port` it serves without TLS."""

    def __init__(self, engine: "subprocess.Popen[str]") -> None:
        self._engine = engine
        self._asked = 0
        self.port = 0
        self.clear_port = 0

    def request(self, op: str, **parameters: Any) -> dict[str, Any]:
        """The `ok` of one request."""
        self._asked += 1
        assert self._engine.stdin is not None
        assert self._engine.stdout is not None
        self._engine.stdin.write(json.dumps({"id": self._asked, "op": op, **parameters}) + "\n")
        self._engine.stdin.flush()
        answer = json.loads(self._engine.stdout.readline())
        assert "ok" in answer, answer
        return dict(answer["ok"] or {})

    def served(self) -> Counter[tuple[str, str, int]]:
        """How often it has answered so: by protocol, path and status."""
        requests = self.request("origin_log")["requests"]
        return Counter((one["protocol"], one["path"], one["status"]) for one in requests)


@contextmanager
def serving(root: Path, identity: Certificates, **more: Any) -> Iterator[LoopbackOrigin]:
    """An origin of the folder `root`, until the context ends."""
    with subprocess.Popen(
        [locate()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as engine:
        try:
            origin = LoopbackOrigin(engine)
            origin.request("open", path=None, seed=1, tcp_congestion_control="cubic")
            ok = origin.request(
                "origin",
                root=str(root),
                port=None,
                clear_port=0,
                certificate=str(identity.chain),
                key=str(identity.key),
                congestion_control=CONTROLS,
                **more,
            )
            origin.port, origin.clear_port = ok["port"], ok["clear_port"]
            yield origin
        finally:
            engine.kill()
