"""nginx with the module autoquic on this machine's loopback, asked by curl."""

import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pronghorn.certificates import HOST_NAME, Certificates
from pronghorn.origins import programs

from .. import peers
from . import answers
from .ports import free_port

LIMIT_S = 30.0

H3_RETRIES = ("--max-time", "10", "--retry", "4", "--retry-all-errors")
"""curl's options by which it asks again for what was left unread; an answer may take seconds on a host that
others keep busy."""

LOG_FORMAT = (
    '{"path": "$request_uri", "protocol": "$server_protocol", "status": $status, "bytes": $body_bytes_sent, '
    '"duration_s": $request_time, "decision": "$autoquic_decision", "reason": "$autoquic_reason", '
    '"arm": "$autoquic_arm", "propensity": "$autoquic_propensity", "gain": "$autoquic_gain"}'
)
"""The lab's line of the access log, with what the gateway decided."""

_CONFIGURATION = """\
load_module MODULE;
worker_processes 1;
daemon off;
pid nginx.pid;
user root;
error_log stderr notice;
events { }
http {
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    log_format lab escape=json 'FORMAT';
    access_log access.log lab;
    autoquic_zone clients:8m;
    autoquic_policy policy.toml;
    DIRECTIVES
    server {
        listen ADDRESS:PORT quic reuseport;
        listen ADDRESS:PORT ssl;
        http2 on;
        ssl_certificate CHAIN;
        ssl_certificate_key KEY;
        root ROOT;
        LOCATIONS
        location = /status { autoquic off; access_log off; autoquic_status; }
    }
    MORE
}
"""


def policy(ratio: float, **steering: float) -> str:
    """A policy in which h3's load time is `ratio` of h2's on every network, surely so. `steering`: its table,
    without a holdout or long leases unless that says so."""
    row = f"[{ratio}, {ratio}]"
    rows = f"ratio = [{row}, {row}]\nsd = [[0.01, 0.01], [0.01, 0.01]]\n"
    table = {"holdout": 0.0, "lease_most_s": 300, **steering}
    return (
        'format = 1\nabout = "a test\'s"\nmargin = 0.03\n'
        "[axes]\nrtt_ms = [1, 300]\nloss = [0, 0.15]\nrate_mbit = [1, 1000]\n"
        "[noise]\nresponse = 0.35\nbetween_clients = 0.05\nsurface = 0.05\n"
        "[steering]\n"
        + "".join(f"{name} = {value}\n" for name, value in table.items())
        + "".join(f'[[prior]]\ntcp = "cubic"\nrate_mbit = {rate}\n{rows}' for rate in (1, 1000))
    )


class Gateway:
    """An nginx with the module, in `folder`; `text` is its configuration."""

    def __init__(self, folder: Path, identity: Certificates, port: int, text: str) -> None:
        self.folder = folder
        self.port = port
        self.text = text
        self._identity = identity
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def errors(self) -> str:
        """The error log so far."""
        return (self.folder / "stderr").read_text(encoding="utf-8", errors="replace")

    @property
    def authority(self) -> Path:
        """The certificate of who has signed the origin's."""
        return self._identity.authority

    def argv(self, *more: str) -> list[str]:
        """The command that starts nginx in `folder`."""
        return [*programs.find("nginx").argv, "-p", ".", "-c", "nginx.conf", "-e", "stderr", *more]

    def write(self, text: str | None = None, policy_text: str | None = None) -> None:
        """Writes a new configuration, a new policy, or both."""
        if text is not None:
            self.text = text
            (self.folder / "nginx.conf").write_text(text, encoding="utf-8")
        if policy_text is not None:
            (self.folder / "policy.toml").write_text(policy_text, encoding="utf-8")

    def tested(self) -> "subprocess.CompletedProcess[str]":
        """`nginx -t`: status and what it says (stderr)."""
        return subprocess.run(self.argv("-t"), cwd=self.folder, capture_output=True, text=True, check=False)

    def start(self) -> None:
        """Starts nginx, and waits until it answers: its master listens before there is a worker."""
        with (self.folder / "stderr").open("wb") as errors:
            self._process = subprocess.Popen(self.argv(), cwd=self.folder, stderr=errors)
        until("nginx listens and has its workers", lambda: self._listens() and self._has_workers())

    def stop(self) -> None:
        """Ends it as a person does who can't wait."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=LIMIT_S)

    def reload(self) -> None:
        """Tells it to read its configuration again, and waits until that is in force or refused."""
        old, refused = self.workers(), self.errors.count("[emerg]")
        self.signal(signal.SIGHUP)
        until(
            "the reload is done",
            lambda: self.errors.count("[emerg]") > refused or (self.workers() and not self.workers() & old),
        )

    def signal(self, number: signal.Signals) -> None:
        """Sends a signal to the master."""
        assert self._process is not None
        self._process.send_signal(number)

    def workers(self) -> set[int]:
        """The workers' process IDs."""
        assert self._process is not None
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        return set(map(int, children.read_text().split()))

    def kill_workers(self) -> None:
        """Kills every worker, and waits for others in their places."""
        old = self.workers()
        for worker in old:
            os.kill(worker, signal.SIGKILL)
        until("nginx has new workers", lambda: self._has_workers() and not self.workers() & old)
        until("nginx answers", self._listens)

    def curl(self, *options: str, path: str = "/", host: str = HOST_NAME) -> list[answers.Answer]:
        """What curl gets; `path` once, unless `options` hold more addresses. Over h3 it may ask again: nginx
        1.26.3, with the module or without, leaves 2 of 1000 of curl's requests unread."""
        again = H3_RETRIES if {"--http3-only", "--alt-svc"} & {*options} else ()
        done = subprocess.run(
            [*self.curl_argv(), *again, *options, self.url(path, host)],
            cwd=self.folder,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, f"{done.stderr.decode()}\nnginx:\n{self._doing()}\n{self.errors[-2000:]}"
        return answers.parse(done.stdout)

    def _doing(self) -> str:
        """What the kernel tells of nginx's processes: what each waits for, and the CPU time that it had."""
        assert self._process is not None
        told = []
        for process in sorted({self._process.pid, *self.workers()}):
            files = [Path(f"/proc/{process}/{name}") for name in ("stat", "wchan", "syscall", "stack")]
            told += [file.read_text(encoding="ascii").strip() for file in files if file.exists()]
        return "\n".join(told)

    def curl_argv(self, address: str = "127.0.0.1") -> list[str]:
        """curl, which knows the host's name and its authority, and writes headers before bodies."""
        return [
            str(peers.find("curl")),
            "--silent",
            "--show-error",
            "--include",
            "--cacert",
            str(self.authority),
            "--resolve",
            f"{HOST_NAME}:{self.port}:{address}",
        ]

    def url(self, path: str = "/", host: str = HOST_NAME) -> str:
        """The address of a path."""
        return f"https://{host}:{self.port}{path}"

    def status(self) -> dict[str, Any]:
        """The status page."""
        (answer,) = self.curl("--http1.1", path="/status")
        assert answer.status == 200, answer
        found = json.loads(answer.body)
        assert isinstance(found, dict)
        return found

    def log(self, requests: int) -> list[dict[str, Any]]:
        """The access log, once it has so many requests, without those that nginx never read in whole."""
        file = self.folder / "access.log"

        def lines() -> list[str]:
            found = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
            return [line for line in found if not line.startswith('{"path": "",')]

        until(f"{requests} requests are logged", lambda: len(lines()) >= requests)
        return [json.loads(line) for line in lines()]

    def _has_workers(self) -> bool:
        """Whether there are as many as the configuration says."""
        (told,) = re.findall(r"^worker_processes (\d+);", self.text, re.MULTILINE)
        return len(self.workers()) == int(told)

    def _listens(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.errors
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


@contextmanager
def gateway(
    folder: Path,
    identity: Certificates,
    *,
    policy_text: str,
    directives: str = "autoquic on;",
    locations: str = "",
    more: str = "",
    address: str = "127.0.0.1",
    start: bool = True,
) -> Iterator[Gateway]:
    """An nginx whose blocks http (`directives`, `more`) and server (`locations`) hold what is said here, on
    an address of this machine. PORT stands for its port in all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    root = folder / "root"
    root.mkdir(exist_ok=True)
    (root / "index.html").write_text("<!doctype html>")
    (root / "big.bin").write_bytes(bytes(200_000))
    # nginx takes '$' in most paths for a variable, and has no quoting for it.
    (folder / "origin.pem").symlink_to(identity.chain)
    (folder / "origin.key").symlink_to(identity.key)
    port = free_port()
    values = {
        "MODULE": str(peers.autoquic()),
        "FORMAT": LOG_FORMAT,
        "DIRECTIVES": directives,
        "LOCATIONS": locations,
        "MORE": more,
        "CHAIN": "origin.pem",
        "KEY": "origin.key",
        "ROOT": "root",
        "ADDRESS": address,
        "PORT": str(port),
    }
    text = _CONFIGURATION
    for name, value in values.items():
        text = text.replace(name, value)
    one = Gateway(folder, identity, port, text)
    one.write(text, policy_text)
    try:
        if start:
            one.start()
        yield one
    finally:
        one.stop()


def until(what: str, holds: Callable[[], Any]) -> None:
    """Waits until something holds; fails where it doesn't within the limit."""
    end = time.monotonic() + LIMIT_S
    while not holds():
        assert time.monotonic() < end, f"not within {LIMIT_S:.0f} s: {what}"
        time.sleep(0.01)


def alternative(said: Sequence[answers.Answer]) -> list[str | None]:
    """What each response says by Alt-Svc."""
    return [answer.headers.get("alt-svc") for answer in said]
