"""One run of a load generator in the lab: `pronghorn-engine generate` or h2load, asked for the same requests,
with the CPU seconds of its whole process and of the server meanwhile, as the kernel counts them."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, NamedTuple, Protocol

from load_lab import BEHIND, CONTROL, LARGE, LARGE_BYTES, NGINX, PORTS, SMALL, SMALL_BYTES, Lab

from pronghorn import engine
from pronghorn.host import cpu_time
from pronghorn.load.spec import Control, Extent, LoadSpec, Target, Tls
from pronghorn.model.load_report import LoadReport

ROOT = Path(__file__).parents[1]
USER_AGENT = "pronghorn load, bench"
"""As long as h2load's."""
CIPHER = "TLS13_AES_128_GCM_SHA256"
"""Of all runs: h2load's first choice."""

ALPN = {"h1": "http/1.1", "h2": "h2", "h3": "h3"}
PATIENCE_S = 900.0
_LOOK_S = 0.05
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Task(NamedTuple):
    """What is asked for: requests for a path of a server, so many at once on each of the connections."""

    protocol: str
    server: str = NGINX
    requests: int = 200_000
    connections: int = 10
    streams: int = 100
    path: str = SMALL

    @property
    def response_bytes(self) -> int:
        """The body that each has to bring."""
        return LARGE_BYTES if self.path == LARGE else SMALL_BYTES


class Run(NamedTuple):
    """What a run took. `window_s` is the generator's own, from its first connection to the last response.
    `server_share`: the server's CPU time in it; `others_share`: what all other programs of the machine had of
    its CPUs meanwhile (user mode alone, since the kernel's work for either end may be charged to anyone).
    `max_rss_bytes`: the generator's largest resident set."""

    task: Task
    window_s: float
    cpu_s: float
    server_share: float
    others_share: float
    max_rss_bytes: int

    @property
    def requests_per_s(self) -> float:
        """Within the window."""
        return self.task.requests / self.window_s

    @property
    def bytes_per_s(self) -> float:
        """Of bodies."""
        return self.requests_per_s * self.task.response_bytes


class Used(NamedTuple):
    """What was used while a program ran: its CPU seconds and the server's, and its largest resident set."""

    cpu_s: float
    server_s: float
    others_share: float
    max_rss_bytes: int

    def run(self, task: Task, window_s: float) -> Run:
        """With what the generator said."""
        share = self.server_s / window_s
        return Run(task, window_s, self.cpu_s, share, self.others_share, self.max_rss_bytes)


class Generator(Protocol):
    """A program that can be asked for a task."""

    name: str

    def __call__(self, lab: Lab, task: Task) -> Run:
        """Does it; SystemExit unless every request was answered 200 with its whole body."""


class Ours:
    """`pronghorn-engine generate`, one thread."""

    name = "pronghorn"

    def __call__(self, lab: Lab, task: Task) -> Run:
        spec = LoadSpec(
            targets=(Target(url=lab.url(task.server, task.path), headers=(("user-agent", USER_AGENT),)),),
            protocol=task.protocol,  # type: ignore[arg-type]
            address=lab.address(task.server),
            tls=Tls(ca=str(lab.identity.authority)),
            congestion_control=Control(tcp=CONTROL, quic=CONTROL),
            knobs={"cipher": CIPHER},
            connections=task.connections,
            streams=task.streams,
            stop=Extent(requests=task.requests),
        )
        argv = [str(engine.locate()), "generate"]
        with tempfile.TemporaryFile() as stdin:
            stdin.write(json.dumps(spec.to_engine()).encode())
            stdin.seek(0)
            said, used = _measured(lab, task, argv, stdin)
        last = json.loads(said.strip().rpartition("\n")[2] or "{}")
        if "report" not in last:
            raise SystemExit(f"{self.name}, {task}: {last.get('error', said)}")
        report = LoadReport.model_validate(last["report"])
        if report.requests.statuses != {"200": task.requests}:
            raise SystemExit(f"{self.name}, {task}: {report.requests}, {report.failures}")
        if report.bytes.payload != task.requests * task.response_bytes:
            raise SystemExit(f"{self.name}, {task}: {report.bytes.payload} bytes of bodies")
        return used.run(task, report.window_s)


class H2load:
    """An h2load, one thread."""

    def __init__(self, name: str, program: Path) -> None:
        self.name = name
        self._program = program

    def __call__(self, lab: Lab, task: Task) -> Run:
        argv = [str(self._program), "-t1", f"-c{task.connections}", f"-m{task.streams}", f"-n{task.requests}"]
        # Debian 12's knows the long form alone under another name, both know this one for HTTP/1.1.
        argv += ["--h1"] if task.protocol == "h1" else _alpn(self._program, ALPN[task.protocol])
        argv += [f"--tls13-ciphers={CIPHER.replace('TLS13', 'TLS')}"]
        argv += [
            f"--connect-to={lab.address(task.server)}:{PORTS[task.server]}",
            lab.url(task.server, task.path),
        ]
        said, used = _measured(lab, task, argv, None)
        protocol = _found(r"Application protocol: (\S+)", said)
        succeeded = _found(r", (\d+) succeeded", said)
        body = _found(r"\((\d+)\) data", said)
        if (protocol, int(succeeded)) != (ALPN[task.protocol], task.requests) or int(body) != (
            task.requests * task.response_bytes
        ):
            raise SystemExit(f"{self.name}, {task}: {said}")
        return used.run(task, _window_s(said, task.requests))


_FEW = 10


def _window_s(said: str, requests: int) -> float:
    """From an h2load's first connection to its last response. Both its window and its rate have two digits
    after the point: with many requests the rate is the more precise one."""
    if requests >= _FEW:
        return requests / float(_found(r"finished in .*, ([\d.]+) req/s", said))
    unit = 1e-3 if _found(r"finished in [\d.]+(m?)s,", said) else 1.0
    return unit * float(_found(r"finished in ([\d.]+)m?s,", said))


def debians_h2load() -> H2load | None:
    """The h2load of this host, which has HTTP/1.1 and 2."""
    program = shutil.which("h2load")
    return None if program is None else H2load("h2load", Path(program))


def h2load_with_http3() -> H2load | None:
    """The one that scripts/peers has made."""
    finder = [str(ROOT / "scripts" / "peers"), "h2load", "--check"]
    done = subprocess.run(finder, capture_output=True, text=True, check=False)
    return H2load("h2load with HTTP/3", Path(done.stdout.strip())) if done.returncode == 0 else None


def _alpn(program: Path, protocol: str) -> list[str]:
    """How an h2load is told its protocol: until 1.58 by `--npn-list`, since then by `--alpn-list`."""
    said = subprocess.run([program, "--help"], capture_output=True, text=True, check=False).stdout
    return [f"--{'alpn' if '--alpn-list' in said else 'npn'}-list={protocol}"]


def _found(pattern: str, said: str) -> str:
    match = re.search(pattern, said)
    if match is None:
        raise SystemExit(f"h2load said nothing of {pattern!r}: {said}")
    return match[1]


def _measured(lab: Lab, task: Task, argv: list[str], stdin: IO[bytes] | None) -> tuple[str, Used]:
    """What a program said, and what was used while it ran."""
    pid = lab.servers[NGINX if task.server == BEHIND else task.server]
    server_s, server_user_s, all_user_s, began = _cpu_s(pid), _user_s(pid), _user_s(None), time.monotonic()
    with tempfile.TemporaryFile() as stdout:
        process = subprocess.Popen(
            lab.in_client(argv),
            stdin=stdin or subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.STDOUT,
        )
        highest = _HighWater(process.pid)
        timer = threading.Timer(PATIENCE_S, process.kill)
        timer.start()
        try:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            timer.cancel()
        stdout.seek(0)
        said = stdout.read().decode(errors="replace")
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(argv)}: exit status {process.returncode}: {said}")
    others_s = _user_s(None) - all_user_s - (_user_s(pid) - server_user_s) - used.ru_utime
    capacity_s = (time.monotonic() - began) * (os.cpu_count() or 1)
    cpu_s = used.ru_utime + used.ru_stime
    return said, Used(cpu_s, _cpu_s(pid) - server_s, max(others_s, 0) / capacity_s, highest.bytes())


def _cpu_s(pid: int) -> float:
    found = cpu_time.used_s(lambda _: (pid,))
    if found is None:
        raise SystemExit("the server is gone")
    return found


def _user_s(pid: int | None) -> float:
    """Time in user mode, of a process with all below it or of all there are (proc_pid_stat(5): utime;
    proc_stat(5): user, nice)."""
    if pid is None:
        fields = Path("/proc/stat").read_text(encoding="utf-8").split("\n", 1)[0].split()
        return (int(fields[1]) + int(fields[2])) / _TICKS_PER_S
    seen = cpu_time.Processes.now()
    family = () if seen is None else tuple(seen.tree(pid))
    stats = (Path(f"/proc/{one}/stat").read_text(encoding="utf-8") for one in family)
    return sum(int(stat.rpartition(")")[2].split()[11]) for stat in stats) / _TICKS_PER_S


class _HighWater:
    """The largest resident set of a process, looked at while it runs: what wait4(2) tells begins with that of
    the process which started it."""

    def __init__(self, pid: int) -> None:
        self._status = Path(f"/proc/{pid}/status")
        self._bytes = 0
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def bytes(self) -> int:
        """After its end: as of the last look, some hundredths of a second before."""
        self._thread.join()
        return self._bytes

    def _watch(self) -> None:
        while True:
            try:
                status = self._status.read_text(encoding="utf-8")
            except OSError:
                return
            line = re.search(r"^VmHWM:\s+(\d+) kB$", status, re.MULTILINE)
            if line is None:
                return
            self._bytes = int(line[1]) * 1024
            time.sleep(_LOOK_S)
